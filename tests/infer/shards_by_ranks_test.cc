// What the rows of the ranks leave of shards that their tables leave open. The true bytes are those of the planner.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inferred_log.h"

namespace shardstats {
namespace {

struct Case {
  const char *log, *table;
  std::int64_t hbm;  // of its first shard
};

TEST(ShardsByRanks, AreLeftWhatTheRankHasBesideTheOthers) {
  for (const Case& c : {Case{"edits/v0.4.0-dtype_of_one_output.log", "item_query", 6361012736},
                        Case{"edits/v1.8.0-optimizer_state.log", "hist_bucket_table", 1184660678}}) {
    SCOPED_TRACE(c.log);
    const test::InferredLog log(c.log);
    const ByteInterval hbm = log.plan.shards_of(log.table(c.table)).front().sizes->hbm;
    EXPECT_TRUE(hbm.contains(c.hbm));
    EXPECT_LT(hbm.width(), c.hbm / 40);
    InferOptions by_tables_alone;
    by_tables_alone.shards_by_ranks = false;
    const Plan wide = infer(log.printed, by_tables_alone);
    EXPECT_GT(wide.shards_of(log.table(c.table)).front().sizes->hbm.width(), 3 * c.hbm);
  }
}

// All that shards of a rank can be is within what it holds, and it holds no more than they can be.
TEST(ShardsByRanks, LeaveTheRankWhatItIs) {
  const test::InferredLog log("edits/v0.3.0-odd_blocks.log");
  std::vector<ByteInterval> outputs(log.plan.ranks.size());
  for (const PlanShard& shard : log.plan.shards) {
    ByteInterval& sum = outputs.at(static_cast<std::size_t>(shard.rank.value()));
    EXPECT_LE(shard.sizes->output.low, log.plan.ranks.at(static_cast<std::size_t>(*shard.rank)).output.high);
    sum = sum + shard.sizes->output;
  }
  for (std::size_t r = 0; r < outputs.size(); ++r) EXPECT_TRUE(outputs[r].overlaps(log.plan.ranks[r].output)) << r;
}

// A rank whose cell contradicts the formulas leaves nothing.
TEST(ShardsByRanks, AreNotBoundByWrongCells) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "edits" / "v1.8.0-optimizer_state.log");
  const test::InferredLog log("edits/v1.8.0-optimizer_state.log");
  const PlanTable& table = log.table("hist_bucket_table");
  const auto rank = static_cast<std::size_t>(log.plan.shards_of(table).front().rank.value());
  const std::string cell(log.printed.ranks.rows[rank].hbm.text), wrong(cell.size(), '9');
  const std::size_t at = static_cast<std::size_t>(log.printed.ranks.rows[rank].hbm.text.data() - log.text.data());
  ASSERT_EQ(text.substr(at, cell.size()), cell);
  text.replace(at, cell.size(), "9" + cell.substr(1, 1) + wrong.substr(2));
  const PrintedPlan edited = parse(find_blocks(text).front());
  const Plan plan = infer(edited);
  ASSERT_TRUE(plan.ranks[rank].expected_hbm.contradicted);
  EXPECT_TRUE(plan.shards_of(plan.tables.at(static_cast<std::size_t>(&table - log.plan.tables.data())))
                  .front()
                  .sizes->hbm.contains(1184660678));
}

}  // namespace
}  // namespace shardstats
