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

}  // namespace
}  // namespace shardstats
