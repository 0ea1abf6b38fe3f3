// Which perf hypotheses are found.
#include <gtest/gtest.h>

#include "corpus.h"
#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

// Hosts of one rank with 80 GiB/s between them explain this log as well as the true hosts of 8 with 300 GiB/s inside.
TEST(PerfSearch, FindsWhichOfTwoBandwidthsIsNotTheDefault) {
  const std::string text =
      test::file_text(test::source_folder() / "testdata" / "planner" / "v1.7.0-one_of_two_bandwidths.log");
  const PrintedPlan printed = parse(find_blocks(text).front());
  const Plan plan = infer(printed);
  const auto table = std::ranges::find_if(
      plan.tables, [&](const PlanTable& t) { return is_named(printed.tables.rows[t.row].fqn.text, "emb_ebc4"); });
  ASSERT_NE(table, plan.tables.end());
  constexpr double kTruth = 0.2801078466600931;  // ms of one shard
  EXPECT_TRUE(table->shard_perf.total.contains(kTruth));
}

}  // namespace
}  // namespace shardstats
