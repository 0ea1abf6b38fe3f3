// What all shards of a table take together, as it is printed and as it was rebuilt. Private to src/analysis.
#pragma once

#include <optional>

#include "shardstats/analysis/reconstruct.h"

namespace shardstats::analysis {

// Both hold for an undamaged log; of two that disagree either may be right. nullopt: neither is known.
std::optional<RealInterval> settled(std::optional<RealInterval> printed, std::optional<RealInterval> rebuilt);

// Are the sizes of its shards known?
bool is_rebuilt(const TableRow& table);

// `sum` of all shards and the cell that prints it; `table` may be nullptr.
std::optional<RealInterval> storage_of(const PrintedPlan& printed, const Cell& cell, const TableRow* table,
                                       ByteInterval TableRow::*sum);

// As many as were rebuilt, else as the row lists ranks; nullopt: the list cannot be read.
std::optional<std::int64_t> shard_count_of(const PrintedTable& printed, const TableRow* table);

}  // namespace shardstats::analysis
