// Puts the lines of damaged blocks together again: escaped, wrapped, glued, interleaved or without their frame
// (log-format.md section 8). Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "input/region.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

struct MendedRegion {
  std::vector<std::shared_ptr<Transcript>> streams;  // lines that end in '\n'; one for each process
  std::vector<Mended> mended;
  std::size_t end = 0;           // behind the last physical line that was read
  std::optional<Error> problem;  // a bound that was met; then there are no streams
};

// Of a line whose part of a block is not read.
Error too_long_line(std::uint32_t number);

// Reads from `start`, where the physical line `number` (1-based) begins, until every block that was opened is closed.
MendedRegion mend(std::string_view bytes, std::size_t start, std::uint32_t number, LogSoFar& log);

}  // namespace shardstats::input_detail
