// Hidden numbers of a table lie where its own cells and the columns of the ranks put them.
#include <gtest/gtest.h>

#include "corpus.h"
#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

// The column counts the element size of a table, its own cell an output type: 4 and 2 bytes here.
TEST(Narrow, FindsAnOutputTypeThatCellAndColumnShowTogether) {
  const std::string text = test::file_text(test::source_folder() / "testdata" / "planner" / "v1.8.0-output_type.log");
  const PrintedPlan printed = parse(find_blocks(text).front());
  const Plan plan = infer(printed);
  const auto table = std::ranges::find_if(
      plan.tables, [&](const PlanTable& t) { return is_named(printed.tables.rows[t.row].fqn.text, "user_id__ebc9"); });
  ASSERT_NE(table, plan.tables.end());
  EXPECT_EQ(table->choice.element_size, 4);
  EXPECT_EQ(table->choice.output_element_size, 2);
  const auto shards = plan.shards_of(*table);
  ASSERT_EQ(shards.size(), 1u);
  constexpr std::int64_t kTruth = 19769612;
  EXPECT_LE(shards[0].hbm.low, kTruth);
  EXPECT_GE(shards[0].hbm.high, kTruth);
}

}  // namespace
}  // namespace shardstats
