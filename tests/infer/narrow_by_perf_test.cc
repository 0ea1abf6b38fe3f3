// Storage and perf of a table rest on one dtype: what the perf rules out is no alternative of the storage either.
#include <gtest/gtest.h>

#include <filesystem>

#include "corpus.h"
#include "inferred_log.h"
#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

namespace fs = std::filesystem;

// 16 small tables of fp16: of most the printed storage fits fp32 as well.
struct SmallTables {
  std::string text = test::file_text(test::source_folder() / "testdata" / "pairs" / "optimizer" / "next.log");
  PrintedPlan printed = parse(find_blocks(text).front());
};

// Tables that are left with several element sizes.
std::vector<std::string_view> open_tables(const PrintedPlan& printed, const Plan& plan) {
  std::vector<std::string_view> open;
  for (const PlanTable& table : plan.tables)
    if (std::ranges::any_of(table.alternatives,
                            [&](const Choice& c) { return c.element_size != table.choice.element_size; }))
      open.push_back(printed.tables.rows[table.row].fqn.text);
  return open;
}

TEST(NarrowByPerf, DecidesWhatStorageLeavesOpen) {
  const SmallTables log;
  InferOptions without_perf;
  without_perf.perf = false;
  EXPECT_EQ(open_tables(log.printed, infer(log.printed, without_perf)).size(), 14u);
  const Plan plan = infer(log.printed);
  EXPECT_TRUE(open_tables(log.printed, plan).empty());
  for (const PlanTable& table : plan.tables) EXPECT_EQ(table.choice.element_size, 2);
}

// Storage rounded to megabytes leaves the ids of a small table open, its perf in microseconds does not.
TEST(NarrowByPerf, BoundsIdsThatStorageLeavesOpen) {
  const test::InferredLog log("planner/v0.5.0-wire_types.log");
  InferOptions without_perf;
  without_perf.perf = false;
  const auto width_of_input = [&](const Plan& plan) {
    const auto& rows = log.printed.tables.rows;
    const auto is_it = [&](const PlanTable& t) { return is_named(rows[t.row].fqn.text, "t_ebc21"); };
    const ByteInterval input = plan.shards_of(*std::ranges::find_if(plan.tables, is_it)).front().sizes->input;
    return input.high - input.low;
  };
  EXPECT_GT(width_of_input(infer(log.printed, without_perf)), 1'500'000);
  EXPECT_LT(width_of_input(log.plan), 50'000);
}

TEST(NarrowByPerf, SaysNothingOfTablesWhosePerfNothingExplains) {
  SmallTables log;
  for (PrintedTable& row : log.printed.tables.rows) row.perf.total.text = "77.0";
  const Plan plan = infer(log.printed);
  for (const PlanTable& table : plan.tables) EXPECT_NE(table.perf.contradicted, 0u);
  EXPECT_EQ(open_tables(log.printed, plan).size(), 14u);
}

// Such bandwidths rest on the dtypes that were taken for most likely: 2 bytes of the table, which has 1.
TEST(NarrowByPerf, FittedBandwidthsDecideNothing) {
  const test::InferredLog log("perf/fitted_bandwidths.log");
  const PlanTable& table = log.table("advertiser_92");
  EXPECT_TRUE(std::ranges::any_of(table.alternatives, [](const Choice& c) { return c.element_size == 1; }));
}

// Half of the output would be that of tables of two bytes, and their perf is that of four.
TEST(NarrowByPerf, DeniesADtypeThatOneOutputAsksForOfAllTables) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "logs" / "v0.5.0.log");
  const std::size_t output = text.find(" 0.39 ");
  ASSERT_NE(output, std::string::npos);
  const auto infer_uniform = [&] {
    const PrintedPlan printed = parse(find_blocks(text).front());
    InferOptions look;
    look.alternatives = false;
    look.effort = Effort::uniform;
    return infer(printed, look);
  };
  EXPECT_FALSE(infer_uniform().ranks[0].expected_output.contradicted);
  text.replace(output, 6, " 0.19 ");
  EXPECT_TRUE(infer_uniform().ranks[0].expected_output.contradicted);
}

TEST(NarrowByPerf, StorageAndPerfAgreeInTheCorpus) {
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  std::size_t tables = 0;
  for (const fs::path& log : logs) {
    const std::string text = test::file_text(log);
    const PrintedPlan printed = parse(find_blocks(text).front());
    const Plan plan = infer(printed);
    for (const PlanTable& table : plan.tables) {
      const auto is_of_perf = [&](const Choice& c) { return c.element_size == table.perf_choice.element_size; };
      if (!table.perf.known || table.perf.contradicted != 0) continue;
      if (!is_of_perf(table.choice) && std::ranges::none_of(table.alternatives, is_of_perf)) continue;
      ++tables;
      EXPECT_EQ(table.choice.element_size, table.perf_choice.element_size)
          << log << " " << printed.tables.rows[table.row].fqn.text;
    }
  }
  EXPECT_GE(tables, test::sampled(6000u));
}

}  // namespace
}  // namespace shardstats
