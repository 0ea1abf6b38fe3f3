// How the planner splits a table by what no log shows (storage-model.md section 3), and the truth of the corpus does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "shardstats/planner/shapes.h"

namespace shardstats::test {

// The block width that a minimum partition gives (3.2); min_partition 0: the release's default.
inline std::int64_t column_block(std::int64_t cols, std::int64_t min_partition, ColumnSplit split) {
  const std::int64_t least = min_partition > 0 ? min_partition : split == ColumnSplit::remainder_32 ? 32 : 128;
  if (split != ColumnSplit::divisor) return std::min(least, cols);
  for (std::int64_t d = least; d < cols; ++d)
    if (cols % d == 0 && d % 4 == 0) return d;
  return cols;
}

// Of each rank in a memory-proportional split (3.3). Capacities in bytes.
inline std::vector<std::int64_t> proportional_rows(std::int64_t rows, const std::vector<std::int64_t>& capacities) {
  const auto total = static_cast<double>(std::accumulate(capacities.begin(), capacities.end(), std::int64_t{0}));
  std::vector<std::int64_t> parts;
  std::int64_t rest = rows;
  for (std::size_t i = 0; i + 1 < capacities.size(); ++i) {
    const double part = static_cast<double>(rows) * (static_cast<double>(capacities[i]) / total);
    parts.push_back(static_cast<std::int64_t>(part));
    rest -= parts.back();
  }
  parts.push_back(rest);
  return parts;
}

// Of each rank where the table has buckets (3.4).
inline std::vector<std::int64_t> bucket_rows(std::int64_t rows, std::int64_t buckets, std::int64_t world_size) {
  std::vector<std::int64_t> parts;
  for (const ShapeRun& run : bucket_runs({rows, 1}, buckets, world_size))
    parts.insert(parts.end(), static_cast<std::size_t>(run.count), run.shape.rows);
  return parts;
}

}  // namespace shardstats::test
