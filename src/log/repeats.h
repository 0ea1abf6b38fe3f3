// Rows of a table, and runs of lines, that stand there twice. Private to src/log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// Indices, ascending, of the rows that stand above already, byte for byte. Equal names alone are no repetition:
// anonymised logs give one name to several tables.
std::vector<std::uint32_t> repeated_rows(std::span<const Cell> rows);

// Where a shipper of logs sends lines again, all of them stand behind themselves: several lines with text, whatever
// blank ones are between. The block with one copy of each such run, and the first lines of the others; null: there is
// none.
struct WithoutRepeats {
  Block block;
  std::vector<BoxLine> again;
};
std::optional<WithoutRepeats> without_repeated_runs(const Block& block);

}  // namespace shardstats::log_detail
