#include "analysis/table_values.h"

#include <vector>

#include "analysis/statistics.h"

namespace shardstats::analysis {

std::optional<RealInterval> settled(std::optional<RealInterval> printed, std::optional<RealInterval> rebuilt) {
  if (printed && rebuilt) return intersection(*printed, *rebuilt).value_or(hull(*printed, *rebuilt));
  return printed ? printed : rebuilt;
}

bool is_rebuilt(const TableRow& table) { return table.table->sized && table.shard_count > 0; }

std::optional<RealInterval> storage_of(const PrintedPlan& printed, const Cell& cell, const TableRow* table,
                                       ByteInterval TableRow::*sum) {
  const bool rebuilt = table != nullptr && is_rebuilt(*table);
  return settled(printed_bounds(cell, printed.format_of(RoundedNumbers::table_storage), "bytes"),
                 rebuilt ? std::optional(real(table->*sum)) : std::nullopt);
}

std::optional<std::int64_t> shard_count_of(const PrintedTable& printed, const TableRow* table) {
  if (table != nullptr && is_rebuilt(*table)) return table->shard_count;
  std::vector<int> ranks;
  if (!parse_ranks(printed.ranks.text, ranks)) return std::nullopt;
  return static_cast<std::int64_t>(ranks.size());
}

}  // namespace shardstats::analysis
