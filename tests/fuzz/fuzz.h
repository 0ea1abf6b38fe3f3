// What the targets share: how a broken promise ends a run, and mutation of planner logs line by line and cell by cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace shardstats::fuzz {

// Ends the run, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// For LLVMFuzzerCustomMutator: half of the time a change that a log may suffer (lines and cells swapped, doubled, lost,
// digits changed, columns widened, prefixes, wrapped and glued lines), else one of libFuzzer's own.
std::size_t mutate_log(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);

}  // namespace shardstats::fuzz
