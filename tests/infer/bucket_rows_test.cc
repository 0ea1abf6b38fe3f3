#include "infer/bucket_rows.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace shardstats::infer_detail {
namespace {

// Row-wise tables of so many rows with a part on each rank.
PlanInputs plan_of(std::size_t ranks, std::initializer_list<std::int64_t> rows) {
  PlanInputs plan;
  plan.ranks.resize(ranks);
  for (const std::int64_t of_table : rows) {
    TableInputs& table = plan.tables.emplace_back();
    table.sharding = Sharding::rw;
    table.sized = true;
    table.rows = of_table;
  }
  return plan;
}

constexpr double kRowBytes = 96;
constexpr double kPrinted = 500'000;  // what rounding a sum leaves open to either side

// What ranks print that have so many rows of all tables together.
std::vector<RowLine> lines_of(const PlanInputs& plan, std::span<const std::int64_t> rows) {
  std::vector<RowLine> lines;
  for (std::uint32_t rank = 0; rank < rows.size(); ++rank) {
    const double bytes = kRowBytes * static_cast<double>(rows[rank]);
    RowLine& line = lines.emplace_back(RowLine{rank, {bytes - kPrinted, bytes + kPrinted}, {}});
    for (std::uint32_t t = 0; t < plan.tables.size(); ++t)
      line.tables.push_back({t, exactly(kRowBytes * static_cast<double>(plan.tables[t].rows))});
  }
  return lines;
}

RowsByTable found(const PlanInputs& plan, std::initializer_list<std::int64_t> rows,
                  SplitRows how = SplitRows::by_buckets, Release release = Release::v1_7_0) {
  Outcome outcome;
  outcome.setting.rules = &rules_of(release);
  outcome.rows.how = how;
  return rows_in_buckets(plan, outcome, lines_of(plan, std::span(rows.begin(), rows.size())));
}

std::vector<RealInterval> exact(std::initializer_list<double> rows) {
  std::vector<RealInterval> all;
  for (const double one : rows) all.push_back(exactly(one));
  return all;
}

TEST(BucketRows, AreThoseThatTheRanksShow) {
  const PlanInputs plan = plan_of(4, {49'999'976});  // 26 buckets: 7, 7, 6 and 6
  const auto rows = found(plan, {13'461'532, 13'461'532, 11'538'456, 11'538'456});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0], exact({13'461'532, 13'461'532, 11'538'456, 11'538'456}));
}

TEST(BucketRows, MayBeSplitEvenly) {
  const PlanInputs plan = plan_of(4, {10'000'001});  // 11 times 909,091, a prime number
  const auto rows = found(plan, {2'500'001, 2'500'001, 2'500'001, 2'499'998});
  ASSERT_EQ(rows.size(), 1u);
  // 909,091 buckets of 11 rows, and those of one row, are close.
  EXPECT_EQ(rows[0],
            (std::vector<RealInterval>{
                {2'500'001, 2'500'003}, {2'500'000, 2'500'003}, {2'500'000, 2'500'003}, {2'499'992, 2'500'000}}));
}

TEST(BucketRows, AreBoundsWhereTheRanksAreTooCoarse) {
  const PlanInputs plan = plan_of(2, {30'000'000, 30});
  const auto rows = found(plan, {15'000'015, 15'000'015});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_LE(rows[0][0].high - rows[0][0].low, 2 * kPrinted / kRowBytes);
  // 1, 3, 5 or 15 buckets, or an even split; the first part never has less than the second one.
  EXPECT_EQ(rows[1], (std::vector<RealInterval>{{15, 30}, {0, 15}}));
}

TEST(BucketRows, GiveTheFirstRanksMost) {
  const PlanInputs plan = plan_of(2, {10'000'000});
  EXPECT_TRUE(found(plan, {3'679'384, 6'320'616}).empty());
}

TEST(BucketRows, AreOfEachTableByItself) {
  const PlanInputs plan = plan_of(2, {3'000'000, 50'000'000});
  // 3 buckets of a million rows, and 5 of ten million.
  const auto rows = found(plan, {32'000'000, 21'000'000});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], exact({2'000'000, 1'000'000}));
  EXPECT_EQ(rows[1], exact({30'000'000, 20'000'000}));
}

TEST(BucketRows, AreFewerThanRanksOnlyIfTheyMayBe) {
  const PlanInputs plan = plan_of(4, {20'000'000});
  EXPECT_TRUE(found(plan, {10'000'000, 10'000'000, 0, 0}).empty());
  const auto rows = found(plan, {10'000'000, 10'000'000, 0, 0}, SplitRows::by_few_buckets);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0], exact({10'000'000, 10'000'000, 0, 0}));
}

TEST(BucketRows, AreNoFewerThanRanksFromV180On) {
  const PlanInputs plan = plan_of(4, {30});
  const auto rows = found(plan, {8, 8, 8, 6}, SplitRows::by_buckets, Release::v1_8_0);
  ASSERT_EQ(rows.size(), 1u);
  // 5, 6, 10, 15 or 30 buckets, or an even split; not 1, 2 or 3.
  EXPECT_EQ(rows[0], (std::vector<RealInterval>{{8, 12}, {6, 10}, {5, 8}, {5, 7}}));
}

TEST(BucketRows, AreAnyWhereThereAreTooManyToTry) {
  constexpr std::int64_t kTooMany = 10'000'000'000'000;
  const PlanInputs plan = plan_of(2, {kTooMany, 30'000'000});
  const auto rows = found(plan, {kTooMany / 2 + 20'000'000, kTooMany / 2 + 10'000'000});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], std::vector<RealInterval>(2, {0, static_cast<double>(kTooMany)}));
  EXPECT_EQ(rows[1], (std::vector<RealInterval>{{15'000'000, 20'000'000}, {10'000'000, 15'000'000}}));
}

}  // namespace
}  // namespace shardstats::infer_detail
