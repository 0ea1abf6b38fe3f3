// Shard shapes (storage-model.md section 3): rows and columns of every shard of a table.
// Tested by tests/planner/shapes_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shardstats/numbers/interval.h"
#include "shardstats/planner/releases.h"

namespace shardstats {

struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool empty() const { return rows == 0 || cols == 0; }
  friend constexpr bool operator==(Shape, Shape) = default;
};

// Neighbouring shards of equal shape: all that storage needs to know.
struct ShapeRun {
  Shape shape;
  std::int64_t count = 0;  // shards
};
// Those of one table, of which there are at most three.
class ShapeRuns {
 public:
  void add(Shape shape, std::int64_t count) {
    if (count > 0) runs_[size_++] = {shape, count};
  }
  std::size_t size() const { return size_; }
  const ShapeRun* begin() const { return runs_.data(); }
  const ShapeRun* end() const { return begin() + size_; }
  ShapeRun* begin() { return runs_.data(); }
  ShapeRun* end() { return begin() + size_; }

 private:
  std::array<ShapeRun, 3> runs_{};
  std::size_t size_ = 0;
};

// Rows split evenly into n >= 1 parts (3.1): full blocks, at most one partial block, empty tail.
ShapeRuns even_row_runs(Shape table, std::int64_t n);

// Column blocks (3.2) for a block width: all `block` wide; in v0.1.0-v0.4.0 the last one takes the remainder too.
ShapeRuns column_runs(Shape table, std::int64_t block, ColumnSplit split);

// Rows of a memory-proportional split (3.3) where all n devices have the same capacity: fl(R / n) without its fraction
// each, and the last one the rest.
ShapeRuns equal_share_runs(Shape table, std::int64_t n);

// Row blocks of a table of `buckets` buckets on n ranks (3.4); none if the rows do not divide.
ShapeRuns bucket_runs(Shape table, std::int64_t buckets, std::int64_t n);

// Bounds of the rows of part k of n <= rows over all numbers of buckets that leave no part empty (3.4).
ByteInterval rows_in_any_buckets(std::int64_t rows, std::int64_t n, std::int64_t k);

}  // namespace shardstats
