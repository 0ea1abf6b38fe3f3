// The physical lines of a log by number, for formats whose columns are no bytes.
// Tested by tests/report/log_lines_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardstats/input/source.h"

namespace shardstats {

// Lines are looked for from the one that was asked for last: steps are short within a block.
class LogLines {
 public:
  LogLines() = default;
  // `offset`: in `bytes`, of the first byte of line number `line`.
  explicit LogLines(std::string_view bytes, std::size_t offset = 0, std::uint32_t line = 1)
      : bytes_(bytes), offset_(offset), line_(line) {}

  // Without its line end; empty beyond the log.
  std::string_view line(std::uint32_t number);

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
};

// UTF-16 code units of UTF-8 text; a stray byte counts as one.
std::size_t utf16_units(std::string_view text);

}  // namespace shardstats
