// The log that the benchmarks work on.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "shardstats/input/blocks.h"
#include "shardstats/input/source.h"

namespace bench {

using shardstats::Source;

inline std::string log_path() {
  const char* named = std::getenv("SHARDSTATS_LOG");
  return named != nullptr ? named : SHARDSTATS_SOURCE_DIR "/testdata/logs/v1.4.0.log";
}

// Null, with the benchmark skipped, if the log cannot be opened.
inline std::unique_ptr<Source> opened(benchmark::State& state) {
  shardstats::OpenResult result = shardstats::open_source(log_path());
  if (auto* source = std::get_if<std::unique_ptr<Source>>(&result)) return std::move(*source);
  state.SkipWithError((log_path() + ": " + std::get<shardstats::Error>(result).message).c_str());
  return nullptr;
}

inline void count_bytes(benchmark::State& state, const Source& source) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.bytes().size()));
}

}  // namespace bench
