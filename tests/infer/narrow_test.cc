// Hidden numbers of a table lie where its own cells and the columns of the ranks put them.
#include <gtest/gtest.h>

#include "inferred_log.h"

namespace shardstats {
namespace {

// The column counts the element size of a table, its own cell an output type: 4 and 2 bytes here.
TEST(Narrow, FindsAnOutputTypeThatCellAndColumnShowTogether) {
  const test::InferredLog log("planner/v1.8.0-output_type.log");
  const PlanTable& table = log.table("user_id__ebc9");
  EXPECT_EQ(table.choice.element_size, 4);
  EXPECT_EQ(table.choice.output_element_size, 2);
  const auto shards = log.plan.shards_of(table);
  ASSERT_EQ(shards.size(), 1u);
  constexpr std::int64_t kTruth = 19769612;
  EXPECT_LE(shards[0].sizes->hbm.low, kTruth);
  EXPECT_GE(shards[0].sizes->hbm.high, kTruth);
}

// What the columns of the ranks leave of the poolings leaves one output type to its cell, and so its size.
TEST(Narrow, KeepsNoOutputTypeThatPoolingsOfTheColumnsDeny) {
  const test::InferredLog log("planner/v0.8.0-link_of_one_table.log");
  const PlanTable& table = log.table("table_1");
  EXPECT_EQ(table.choice.output_element_size, 2);
  EXPECT_TRUE(table.alternatives.empty());
  for (const PlanShard& shard : log.plan.shards_of(table))
    EXPECT_LT(shard.sizes->hbm.high - shard.sizes->hbm.low, 10'000);
}

}  // namespace
}  // namespace shardstats
