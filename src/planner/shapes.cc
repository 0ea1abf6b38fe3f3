#include "shardstats/planner/shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardstats {
namespace {

std::int64_t even_block(std::int64_t rows, std::int64_t n) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(rows) / static_cast<double>(n)));
}

}  // namespace

std::int64_t even_rows(std::int64_t rows, std::int64_t n, std::int64_t i) {
  const std::int64_t block = even_block(rows, n);
  if (block == 0) return 0;
  const std::int64_t full = rows / block;
  if (i < full) return block;
  return i == full ? rows - block * full : 0;
}

ShapeRuns even_row_runs(Shape table, std::int64_t n) {
  const std::int64_t block = even_block(table.rows, n);
  const std::int64_t full = block == 0 ? 0 : std::min(table.rows / block, n);
  const std::int64_t rest = table.rows - block * full;
  ShapeRuns runs;
  runs.add({block, table.cols}, full);
  if (rest > 0) runs.add({rest, table.cols}, 1);
  runs.add({0, table.cols}, n - full - (rest > 0 ? 1 : 0));
  return runs;
}

ShapeRuns column_runs(Shape table, std::int64_t block, ColumnSplit split) {
  ShapeRuns runs;
  if (block <= 0) return runs;
  const std::int64_t count = std::max<std::int64_t>(table.cols / block, 1);
  const std::int64_t rest = table.cols - block * count;
  if (split == ColumnSplit::divisor || rest <= 0) {
    runs.add({table.rows, std::min(block, table.cols)}, count);
    return runs;
  }
  runs.add({table.rows, block}, count - 1);
  runs.add({table.rows, block + rest}, 1);
  return runs;
}

std::int64_t column_block(std::int64_t cols, std::int64_t min_partition, ColumnSplit split) {
  const std::int64_t least = min_partition > 0 ? min_partition : split == ColumnSplit::remainder_32 ? 32 : 128;
  if (split != ColumnSplit::divisor) return std::min(least, cols);
  for (std::int64_t d = least; d < cols; ++d)
    if (cols % d == 0 && d % 4 == 0) return d;
  return cols;
}

std::vector<std::int64_t> proportional_rows(std::int64_t rows, const std::vector<std::int64_t>& capacities) {
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

ShapeRuns equal_share_runs(Shape table, std::int64_t n) {
  const auto part = static_cast<std::int64_t>(static_cast<double>(table.rows) * (1 / static_cast<double>(n)));
  ShapeRuns runs;
  runs.add({part, table.cols}, n - 1);
  runs.add({table.rows - part * (n - 1), table.cols}, 1);
  return runs;
}

ShapeRuns bucket_runs(Shape table, std::int64_t buckets, std::int64_t n) {
  ShapeRuns runs;
  if (buckets <= 0 || table.rows % buckets != 0) return runs;
  const std::int64_t bucket = table.rows / buckets, each = buckets / n, more = buckets % n;
  runs.add({(each + 1) * bucket, table.cols}, more);
  runs.add({each * bucket, table.cols}, n - more);
  return runs;
}

std::vector<std::int64_t> bucket_rows(std::int64_t rows, std::int64_t buckets, std::int64_t world_size) {
  std::vector<std::int64_t> parts;
  for (const ShapeRun& run : bucket_runs({rows, 1}, buckets, world_size))
    parts.insert(parts.end(), static_cast<std::size_t>(run.count), run.shape.rows);
  return parts;
}

}  // namespace shardstats
