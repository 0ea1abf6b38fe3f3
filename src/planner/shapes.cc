#include "shardstats/planner/shapes.h"

#include <algorithm>
#include <cmath>

namespace shardstats {

ShapeRuns even_row_runs(Shape table, std::int64_t n) {
  const auto block = static_cast<std::int64_t>(std::ceil(static_cast<double>(table.rows) / static_cast<double>(n)));
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

// Part k has the least of n + k buckets, one each for it and those behind it, and the most of one bucket more, of which
// it is the last to have two.
ByteInterval rows_in_any_buckets(std::int64_t rows, std::int64_t n, std::int64_t k) {
  const auto least = static_cast<double>(rows) / static_cast<double>(n + k);
  const auto most = 2 * static_cast<double>(rows) / static_cast<double>(n + k + 1);
  return {static_cast<std::int64_t>(std::ceil(least)), static_cast<std::int64_t>(std::floor(most))};
}

}  // namespace shardstats
