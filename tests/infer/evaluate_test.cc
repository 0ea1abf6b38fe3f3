#include "infer/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "infer/read_plan.h"
#include "infer/settings.h"
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

// What is known of the tables before decides how soon a hypothesis is given up, not whether.
TEST(Evaluator, GivesUpWhatCostsTooMuchAndNothingElse) {
  int given_up = 0;
  for (const char* name : {"planner/v0.8.0-passes_of_one_table.log", "planner/v1.4.0-two_dtypes.log",
                           "planner/v1.1.0-equal_capacities.log", "logs/v0.3.0.log"}) {
    const test::InferredLog log(name);
    const PlanInputs plan = read_plan(log.printed);
    Evaluator evaluator(plan);
    for (const SettingGroup& group : possible_settings(plan, {})) {
      const Setting& setting = group.members.front();
      const auto wide = evaluator.plan_wide_of(setting, {kNoLimit, kNoLimit});
      ASSERT_TRUE(wide);
      for (const SplitRows rows : {SplitRows::evenly, SplitRows::by_equal_memory}) {
        const auto cost_of = [&](const PlanWide& known, std::int64_t limit) {
          const auto outcome = evaluator.free(setting, known, Freedom::poolings, rows, limit);
          return outcome ? outcome->cost() : -1;
        };
        const std::int64_t cost = cost_of(with_pair(wide->pair), kNoLimit);
        for (const std::int64_t limit : {cost, cost - 1, cost / 2}) {
          const std::int64_t without = cost_of(with_pair(wide->pair), limit);
          EXPECT_EQ(cost_of(*wide, limit), without) << name << ", at most " << limit << " of " << cost;
          given_up += without < 0;
        }
      }
    }
  }
  EXPECT_GT(given_up, 0);
}

}  // namespace
}  // namespace shardstats::infer_detail
