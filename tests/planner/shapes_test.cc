#include "shardstats/planner/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "true_shapes.h"

namespace shardstats {
namespace {

// "3 3 3 1", one number a shard.
std::string rows_text(const ShapeRuns& runs) {
  std::string text;
  for (const ShapeRun& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) text += (text.empty() ? "" : " ") + std::to_string(run.shape.rows);
  return text;
}

std::string columns_text(const ShapeRuns& runs) {
  std::string text;
  for (const ShapeRun& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) text += (text.empty() ? "" : " ") + std::to_string(run.shape.cols);
  return text;
}

// Part i alone, as the planner cuts it (storage-model.md section 3.1).
std::int64_t even_rows(std::int64_t rows, std::int64_t n, std::int64_t i) {
  const std::int64_t block = (rows + n - 1) / n;
  return std::clamp<std::int64_t>(rows - i * block, 0, block);
}

struct RowCase {
  std::int64_t rows, parts;
  const char* expected;
};
constexpr RowCase kRows[] = {
    {10, 4, "3 3 3 1"}, {5, 4, "2 2 1 0"}, {8, 4, "2 2 2 2"},   {1, 3, "1 0 0"},   {3, 8, "1 1 1 0 0 0 0 0"},
    {7, 1, "7"},        {0, 2, "0 0"},     {9, 5, "2 2 2 2 1"}, {6, 4, "2 2 2 0"},
};

TEST(Shapes, EvenRows) {
  for (const RowCase& c : kRows) {
    EXPECT_EQ(rows_text(even_row_runs({c.rows, 16}, c.parts)), c.expected) << c.rows << " rows on " << c.parts;
    std::string one_by_one;
    for (std::int64_t i = 0; i < c.parts; ++i)
      one_by_one += (i == 0 ? "" : " ") + std::to_string(even_rows(c.rows, c.parts, i));
    EXPECT_EQ(one_by_one, c.expected) << c.rows << " rows on " << c.parts;
  }
}

// Bounds over all numbers of buckets hold each of them, and are reached by some where the rows allow it.
TEST(Shapes, RowsInAnyBuckets) {
  constexpr std::int64_t kRows = 27'720;  // a multiple of 1 to 12
  for (const std::int64_t parts : {1, 2, 5, 6}) {
    std::vector<ByteInterval> found(static_cast<std::size_t>(parts), {kRows, 0});
    for (std::int64_t buckets = parts; buckets <= kRows; ++buckets) {
      if (kRows % buckets != 0) continue;
      auto part = found.begin();
      for (const ShapeRun& run : bucket_runs({kRows, 1}, buckets, parts))
        for (std::int64_t i = 0; i < run.count; ++i, ++part)
          *part = {std::min(part->low, run.shape.rows), std::max(part->high, run.shape.rows)};
    }
    for (std::int64_t k = 0; k < parts; ++k)
      EXPECT_EQ(rows_in_any_buckets(kRows, parts, k), found[static_cast<std::size_t>(k)]) << k << " of " << parts;
  }
  EXPECT_EQ(rows_in_any_buckets(20, 8, 0), (ByteInterval{3, 4}));
  EXPECT_EQ(rows_in_any_buckets(20, 8, 7), (ByteInterval{2, 2}));
}

TEST(Shapes, EvenRowsOfTheExampleLog) {
  const auto runs = even_row_runs({80'000'000, 128}, 96);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs.begin()[0].shape, (Shape{833'334, 128}));
  EXPECT_EQ(runs.begin()[0].count, 95);
  EXPECT_EQ(runs.begin()[1].shape, (Shape{833'270, 128}));
  EXPECT_EQ(runs.begin()[1].count, 1);
}

TEST(Shapes, EvenRowsAddUpAndRunsAgreeWithParts) {
  for (std::int64_t rows = 0; rows <= 70; ++rows)
    for (std::int64_t n = 1; n <= 20; ++n) {
      std::int64_t sum = 0, shards = 0, part = 0;
      for (const ShapeRun& run : even_row_runs({rows, 4}, n)) {
        sum += run.shape.rows * run.count;
        shards += run.count;
        for (std::int64_t i = 0; i < run.count; ++i, ++part)
          ASSERT_EQ(even_rows(rows, n, part), run.shape.rows) << rows << " rows on " << n << ", part " << part;
      }
      ASSERT_EQ(sum, rows) << n;
      ASSERT_EQ(shards, n) << rows;
    }
}

TEST(Shapes, EqualSharesAreThoseOfEqualCapacities) {
  for (const std::int64_t capacity : {std::int64_t{1} << 34, std::int64_t{85'899'345'920}, std::int64_t{999'999'937}})
    for (const std::int64_t rows : {0, 1, 41, 48, 1000, 123'456'789})
      for (std::int64_t n = 1; n <= 130; ++n) {
        std::string expected;
        for (const std::int64_t part :
             test::proportional_rows(rows, std::vector(static_cast<std::size_t>(n), capacity)))
          expected += (expected.empty() ? "" : " ") + std::to_string(part);
        ASSERT_EQ(rows_text(equal_share_runs({rows, 16}, n)), expected) << rows << " rows on " << n;
      }
}

struct ColumnCase {
  std::int64_t cols, min_partition;
  ColumnSplit split;
  const char* expected;
};
constexpr auto r32 = ColumnSplit::remainder_32, r128 = ColumnSplit::remainder_128, dv = ColumnSplit::divisor;
constexpr ColumnCase kColumns[] = {
    {200, 0, r32, "32 32 32 32 32 40"},
    {200, 0, r128, "200"},
    {200, 0, dv, "200"},
    {256, 100, dv, "128 128"},
    {256, 100, r128, "100 156"},
    {256, 0, r128, "128 128"},
    {256, 0, dv, "128 128"},
    {64, 0, r128, "64"},
    {64, 32, dv, "32 32"},
    {64, 128, dv, "64"},
    {300, 8, dv, "12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12"},
    {6, 2, dv, "6"},  // 2 divides but is no multiple of four
    {1, 0, r32, "1"},
};

TEST(Shapes, ColumnBlocks) {
  for (const ColumnCase& c : kColumns) {
    const ShapeRuns runs = column_runs({7, c.cols}, test::column_block(c.cols, c.min_partition, c.split), c.split);
    EXPECT_EQ(columns_text(runs), c.expected) << c.cols << " columns, at least " << c.min_partition;
    for (const ShapeRun& run : runs) EXPECT_EQ(run.shape.rows, 7);
  }
}

TEST(Shapes, ProportionalRowsFollowTheCapacities) {
  EXPECT_EQ(test::proportional_rows(100, {1, 1, 2}), (std::vector<std::int64_t>{25, 25, 50}));
  EXPECT_EQ(test::proportional_rows(10, {1, 1, 1}), (std::vector<std::int64_t>{3, 3, 4}));
  EXPECT_EQ(test::proportional_rows(3, {0, 5}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(test::proportional_rows(9, {7}), (std::vector<std::int64_t>{9}));
}

TEST(Shapes, BucketsStayWhole) {
  EXPECT_EQ(test::bucket_rows(90, 9, 4), (std::vector<std::int64_t>{30, 20, 20, 20}));
  EXPECT_EQ(test::bucket_rows(16, 16, 4), (std::vector<std::int64_t>{4, 4, 4, 4}));
  EXPECT_EQ(test::bucket_rows(12, 3, 5), (std::vector<std::int64_t>{4, 4, 4, 0, 0}));
  EXPECT_TRUE(test::bucket_rows(10, 3, 2).empty());
  EXPECT_TRUE(test::bucket_rows(10, 0, 2).empty());
}

}  // namespace
}  // namespace shardstats
