// Rows of a table that stand there twice. Private to src/log.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// Indices, ascending, of the rows that stand above already, byte for byte. Equal names alone are no repetition:
// anonymised logs give one name to several tables.
std::vector<std::uint32_t> repeated_rows(std::span<const Cell> rows);

}  // namespace shardstats::log_detail
