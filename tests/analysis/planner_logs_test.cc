// Logs that released planners printed: nothing in them is wrong, see testdata/planner/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/logs.h"
#include "inferred_log.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/verify.h"

namespace shardstats {
namespace {

std::vector<std::filesystem::path> logs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "testdata" / "planner"))
    if (entry.path().extension() == ".log") found.push_back(entry.path());
  return found;
}

TEST(PlannerLogs, HaveNoErrors) {
  ASSERT_EQ(logs().size(), 88u);
  for (const auto& path : logs()) {
    SCOPED_TRACE(path.filename().string());
    const test::InferredLog log("planner/" + path.filename().string());
    for (const Finding& finding : verify(log.printed, log.plan).findings)
      if (finding.severity == Severity::error) ADD_FAILURE() << finding.rule->id << ": " << finding.message;
  }
}

// What the planner had for each shard of a table, which the log does not print.
struct Planned {
  const char *log, *table;
  double ms;
};
void expect_within_bounds(const Planned& planned) {
  const test::InferredLog log("planner/" + std::string(planned.log));
  const RealInterval bounds = log.table(planned.table).shard_perf.total;
  EXPECT_LE(bounds.low, planned.ms) << planned.log;
  EXPECT_GE(bounds.high, planned.ms) << planned.log;
}

TEST(PlannerLogs, BoundsHoldWhatWasPlanned) {
  for (const Planned& planned : {
           Planned{"v0.5.0-bounds_of_dtypes.log", "table_10", 0.0028165555692144803},
           Planned{"v1.9.2-no_mtia.log", "table_2", 0.02489988684654236},
           Planned{"v1.6.0-default_link.log", "table_3", 0.008393437938960833},
           Planned{"v0.6.0-default_multiplier.log", "table_9", 0.006934541221313519},
           Planned{"v0.6.0-hosts_or_bandwidth.log", "table_0", 9.669605642557145e-05},
           Planned{"v0.5.0-open_default.log", "table_19", 0.0013877714381498453},
           Planned{"v0.7.0-multiplier_besides.log", "table_1", 0.0010160362720489503},
           Planned{"v0.7.0-multiplier_or_bandwidth.log", "table_1", 0.024708151950219536},
           Planned{"v1.1.0-bandwidth_of_which_link.log", "table_5", 0.005558538436889649},
           Planned{"v1.6.0-multiplier_alone.log", "table_4", 0.00017892556844347697},
           Planned{"v1.8.0-two_bandwidths_and_multiplier.log", "table_1", 0.008998823165893555},
           Planned{"v0.8.0-link_of_one_table.log", "sequences.table_7", 0.000145253986120224},
           Planned{"v1.7.0-link_and_multiplier.log", "sequences.table_29", 1.9218113111413047},
           Planned{"v1.1.0-wide_multiplier.log", "table_0", 0.0017786407470703125},
           Planned{"v1.6.0-release_of_four_tables.log", "processed.table_1", 0.00020887725545278227},
           Planned{"v1.7.0-bandwidth_behind_dtypes.log", "second.table_9", 0.004002767694966583},
           Planned{"v1.8.0-multiplier_and_dtypes.log", "processed.table_20", 0.025863810959789485},
           Planned{"v1.7.0-hosts_and_dtypes.log", "bags.table_6", 0.0002440654273544039},
           Planned{"v0.8.0-multiplier_beside_another.log", "second.table_8", 0.024695763221153844},
       })
    expect_within_bounds(planned);
}

TEST(PlannerLogs, BoundsHoldTheBandwidthsOfHostsOfAnySize) {
  const test::InferredLog log("planner/v0.5.0-hosts_behind_dtypes.log");
  EXPECT_TRUE(log.plan.perf.bandwidths.intra_host.contains(450 * kBytesPerMs));
  EXPECT_TRUE(log.plan.perf.bandwidths.inter_host.contains(50 * kBytesPerMs));
}

TEST(PlannerLogs, BoundsHoldTheMemoryThatWasPlanned) {
  const auto hbm_of = [](const char* name, const char* table) {
    const test::InferredLog log("planner/" + std::string(name));
    return log.plan.shards_of(log.table(table)).front().sizes->hbm;
  };
  EXPECT_TRUE(hbm_of("v0.5.0-lookups_and_dtypes.log", "table_8").contains(1055360));
  EXPECT_TRUE(hbm_of("v1.6.0-release_and_dtypes.log", "table_8").contains(3392));
  EXPECT_TRUE(hbm_of("v0.5.0-dtypes_and_codecs.log", "table_10").contains(7389021));
}

// With buckets of their own some tables have rows on every rank; others are split evenly, with none on the last.
TEST(PlannerLogs, BoundsHoldEmptyShardsBesideBuckets) {
  const test::InferredLog log("planner/v1.9.2-buckets_beside_empty_shards.log");
  EXPECT_EQ(log.plan.shards_of(log.table("table_14")).back().sizes->hbm.low, 0);
}

// A table with fewer buckets than ranks has none on the last ones, however many rows.
TEST(PlannerLogs, BoundsHoldEmptyShardsOfFewBuckets) {
  const test::InferredLog log("planner/V1.5.0-few_buckets_among_many.log");
  EXPECT_EQ(log.plan.shards_of(log.table("bags.table_20")).back().sizes->hbm.low, 0);
}

// Of a tower that was split by columns as well, any rank may hold the part that has no rows: here it is the first.
TEST(PlannerLogs, BoundsHoldAnyOrderOfTheRanksOfATower) {
  const test::InferredLog log("planner/v0.5.0-order_of_ranks.log");
  EXPECT_EQ(log.plan.shards_of(log.table("module.0.table_2")).front().sizes->rows, (ByteInterval{0, 2}));
  EXPECT_EQ(log.plan.shards_of(log.table("module.1.table_13")).front().sizes->rows, (ByteInterval{1539, 1540}));
}

// The log with blanks for each of these words.
std::string blanked(std::string text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
    text.replace(at, word.size(), word.size(), ' ');
  return text;
}

std::string text_of(const char* log) {
  return read_file(std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/planner/" + log);
}

std::string without_lines(const std::string& text, std::string_view word) {
  std::string left;
  for (std::size_t start = 0, end = 0; start < text.size(); start = end) {
    end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    if (line.find(word) == std::string::npos) left += line;
  }
  return left;
}

// Nor does the loss of what shows such a tower settle it.
TEST(PlannerLogs, BoundsHoldAnyOrderOfTheRanksOfWhatMayBeATower) {
  const std::string text = text_of("v0.5.0-order_of_ranks.log");
  for (const std::string& damaged : {blanked(text, "EmbeddingTowerSharder"), blanked(text, "TWCW    "),
                                     without_lines(text, "         TWCW      ")}) {
    const Checked log(damaged);
    const auto has_name = [&](const PlanTable& table) {
      return log.printed.tables.rows[table.row].fqn.text == "module.0.table_2";
    };
    const auto table = std::ranges::find_if(log.plan.tables, has_name);
    ASSERT_NE(table, log.plan.tables.end());
    for (const PlanShard& shard : log.plan.shards_of(*table)) EXPECT_EQ(shard.sizes->rows, (ByteInterval{0, 2}));
  }
}

// Which of its shards have rows is open, but not how many of them.
TEST(PlannerLogs, TotalsOfATableInAnyOrderAreThoseOfItsShards) {
  const test::InferredLog log("planner/v0.5.0-order_of_ranks.log");
  const PlanTable& table = log.table("module.0.table_2");
  EXPECT_EQ(table.row_split, RowSplitKind::in_any_order);
  constexpr std::int64_t kMost = 5 * 12'835;
  const Reconstruction rebuilt = reconstruct(log.printed, log.plan, {}, {});
  const auto row = std::ranges::find(rebuilt.tables, &table, &TableRow::table);
  ASSERT_NE(row, rebuilt.tables.end());
  EXPECT_LE(row->hbm.high, kMost);
  EXPECT_GT(row->hbm.low, 0);
  const auto answer = explain(log.printed, log.plan, "module.0.table_2");
  const auto& explained = std::get<std::vector<Explained>>(answer);
  const Step& hbm = explained.front().steps.front();
  EXPECT_EQ(hbm.value.nominal, 5 * 12'826);
  EXPECT_LE(hbm.narrowed.value_or(hbm.value).bounds.high, kMost);
  EXPECT_EQ(hbm.children.front().label, "5 shards, any of ranks 0-7: 2 x 8 each");
}

// No log prints the number of buckets, which an even split of rows hides.
TEST(PlannerLogs, BoundsHoldBucketsOfVirtualTables) {
  const test::InferredLog log("planner/v1.9.2-buckets_that_nothing_shows.log");
  const PlanTable& table = log.table("table_23");
  EXPECT_EQ(table.row_split, RowSplitKind::in_buckets);
  const auto shards = log.plan.shards_of(table);
  const std::vector<std::int64_t> truth = {4, 4, 2, 2, 2, 2, 2, 2};
  ASSERT_EQ(shards.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_TRUE(shards[k].sizes->rows.contains(truth[k])) << k;
  EXPECT_TRUE(shards.back().sizes->hbm.contains(328320));  // or empty
  EXPECT_GE(shards.front().sizes->hbm.low, 328'000);       // which does not rest on its rows
  EXPECT_LE(shards.front().sizes->hbm.high, 350'000);
  EXPECT_EQ(log.table("table_13").row_split, RowSplitKind::evenly);
}

// Capacities of the devices would split all tables.
TEST(PlannerLogs, BucketsOfVirtualTablesLeaveTheOthersAlone) {
  const test::InferredLog log("planner/V1.5.0-buckets_alone.log");
  EXPECT_EQ(log.plan.shards_of(log.table("table_1")).front().sizes->rows, (ByteInterval{1277, 1277}));
  EXPECT_TRUE(log.plan.shards_of(log.table("table_1")).front().sizes->hbm.contains(890592));
}

// Rows in buckets say nothing of what a rank holds, so that they explain no wrong number.
TEST(PlannerLogs, BucketsHideNoWrongMemory) {
  const Checked checked(
      changed(text_of("v1.9.2-buckets_that_nothing_shows.log"), "#         3 ", " 0.098 ", " 0.108 "));
  std::vector<std::string_view> wrong;
  for (const Finding& finding : checked.report.findings)
    if (finding.severity == Severity::error && !finding.rule->id.starts_with("distribution.") &&
        !finding.rule->id.starts_with("tiers."))
      wrong.push_back(finding.rule->id);
  EXPECT_THAT(wrong, testing::ElementsAre("rank.hbm"));
}

// Another number of a rank.
struct WrongCell {
  const char *log, *rank, *printed, *wrong, *rule;
};
void expect_disputed(const WrongCell& c) {
  const Checked checked(changed(text_of(c.log), c.rank, c.printed, c.wrong));
  const auto disputed = [&](const Finding& f) {
    return f.severity == Severity::error && f.rule->id == c.rule &&
           std::string(c.wrong) == " " + std::string(f.where.text) + " ";
  };
  EXPECT_TRUE(std::ranges::any_of(checked.report.findings, disputed)) << c.log;
}

// How many ids a rank looks up is hidden in these logs, but others with the same shards look up as many.
TEST(PlannerLogs, RanksWithTheSameShardsPrintTheSame) {
  expect_disputed({"v0.5.0-peak_memory.log", "#         3     0.3", " 0.75 ", " 0.77 ", "rank.input"});
  expect_disputed({"v1.7.0-one_of_two_bandwidths.log", "#         0   0.184", " 50.62 ", " 52.14 ", "rank.output"});
}

// A split of rows that the log hides would explain any sum of a rank.
TEST(PlannerLogs, WrongSumIsNoSplitOfRows) {
  expect_disputed({"V1.5.0-wrong_sum_and_rows.log", "#         7   2.997", " 260.15 ", " 160.15 ", "rank.output"});
}

// Cells that few buckets explain count alike whether another cell is wrong or not.
TEST(PlannerLogs, WrongSumLeavesTheBuckets) {
  const Checked checked(
      changed(text_of("V1.5.0-few_buckets_among_many.log"), "#         2   0.283", " 53.82 ", " 54.82 "));
  std::vector<std::string_view> wrong;
  for (const Finding& finding : checked.report.findings)
    if (finding.severity == Severity::error) wrong.push_back(finding.where.text);
  EXPECT_THAT(wrong, testing::ElementsAre("54.82"));
}

// Nor does a number that the Input of all ranks rests on hide them.
TEST(PlannerLogs, WrongLookupsLeaveTheBuckets) {
  const Checked checked(
      changed(text_of("V1.5.0-few_buckets.log"), "second.table_1 ", "2.72     pooled", " 272     pooled"));
  for (const Finding& finding : checked.report.findings)
    EXPECT_FALSE(finding.severity == Severity::error && finding.rule->id == "rank.perf") << finding.message;
}

// A split of rows that the cells show stays the explanation where it does not explain the imbalance.
TEST(PlannerLogs, WrongImbalanceLeavesTheRows) {
  const std::string one =
      changed(text_of("v0.8.0-one_smaller_device.log"), "# Total Variation: 0.969", "0.969", "1.938");
  const Checked checked(changed(one, "# Total Distance: 1.938", "1.938", "0.969"));
  EXPECT_EQ(std::ranges::count(checked.report.findings, Severity::error, &Finding::severity), 2);
}

// Which shards of tables with few rows are empty is hidden in these logs, but each one has all of its input and output
// or none.
TEST(PlannerLogs, NoShardHasAPartOfItsInputOrOutput) {
  expect_disputed({"V1.5.0-buckets.log", "#         1 ", " 4.04 ", " 3.04 ", "rank.input"});
  expect_disputed({"v1.4.0-unequal_devices.log", "#         1 ", " 65.25 ", " 64.25 ", "rank.output"});
}

// Modules may have sharders of their own: what they share is not known without their names.
TEST(PlannerLogs, LostShardersDenyNothing) {
  for (const char* const name :
       {"v0.5.0-order_of_ranks.log", "v1.6.0-release_and_dtypes.log", "v1.7.0-link_and_multiplier.log"}) {
    std::string text = text_of(name);
    for (const char* const sharder : {"FeatureProcessedEmbeddingBagCollectionSharder", "EmbeddingBagCollectionSharder",
                                      "EmbeddingCollectionSharder", "EmbeddingTowerSharder"})
      text = blanked(std::move(text), sharder);
    const Checked checked(text);
    EXPECT_FALSE(checked.printed.tables.rows.front().sharder) << name;
    for (const Finding& finding : checked.report.findings)
      if (finding.severity == Severity::error && !finding.rule->id.starts_with("log."))
        ADD_FAILURE() << name << ": " << finding.message;
  }
}

// The planner of v0.6.0 leaves out a table whose constraints allow no sharding, and says so only in a warning of its
// own.
TEST(PlannerLogs, ATableThatWasLeftOutShowsInTheKjtStorage) {
  const test::InferredLog log("planner/v0.6.0-left_out.log");
  const Report report = verify(log.printed, log.plan);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule->id, "reservation.kjt");
  EXPECT_EQ(report.findings[0].severity, Severity::warning);
  EXPECT_THAT(report.findings[0].message, testing::HasSubstr("is not planned, but counted here"));
}

}  // namespace
}  // namespace shardstats
