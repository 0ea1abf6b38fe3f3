#include "infer/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "infer/read_plan.h"
#include "inferred_log.h"

namespace shardstats::infer_detail {
namespace {

// Blocks of columns make no shards for more ranks than there are columns, so that a table with such a wrong word has no
// size either; but its row is whole.
TEST(RanksThatTell, AreNotThoseOfATableThatLostItsSize) {
  const test::InferredLog log("logs/v0.3.0.log");
  PrintedPlan printed = log.printed;
  const auto is_narrow = [](const PrintedTable& row) { return row.fqn.text.ends_with(".country_session_14"); };
  const auto row = std::ranges::find_if(printed.tables.rows, is_narrow);
  ASSERT_NE(row, printed.tables.rows.end());
  const auto t = static_cast<std::size_t>(row - printed.tables.rows.begin());
  const auto tell = [&](bool sized) {
    const PlanInputs plan = read_plan(printed);
    EXPECT_EQ(plan.tables[t].sized, sized);
    return std::ranges::count(ranks_that_tell(plan), true);
  };
  EXPECT_EQ(tell(true), 8);
  row->sharding.text = "CW";
  EXPECT_EQ(tell(false), 8);
  row->hash_size.text = {};
  EXPECT_EQ(tell(false), 0);
}

}  // namespace
}  // namespace shardstats::infer_detail
