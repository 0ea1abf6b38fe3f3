#include "shardstats/analysis/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "corpus.h"
#include "logs.h"
#include "shardstats/analysis/explain.h"

namespace shardstats {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

Summary summary_of(const std::string& log) {
  static std::vector<std::unique_ptr<Checked>> kept;  // a summary points into its log
  kept.push_back(std::make_unique<Checked>(log_bytes(log)));
  const WhatIf what_if(kept.back()->printed);
  return summarize(kept.back()->printed, kept.back()->plan, {}, &what_if);
}

TEST(Summary, MemoryOfARoomyPlan) {
  const Summary summary = summary_of("v1.8.0.log");
  const MemorySummary& m = summary.memory;
  ASSERT_TRUE(m.known);
  EXPECT_EQ(m.fit, Fit::roomy);
  EXPECT_THAT(m.fullest, testing::ElementsAre(0, 1));
  EXPECT_EQ(m.peak_cell.text, "7.856");
  EXPECT_EQ(m.share_cell.text, "9");
  ASSERT_TRUE(m.planning);
  EXPECT_TRUE(m.planning->contains(84.6 * kGiB));
  EXPECT_NEAR(middle(m.headroom), (84.6 - 7.856) * kGiB, 0.06 * kGiB);
  EXPECT_EQ(m.tables_on_peak, 6U);
  EXPECT_EQ(m.tables.size(), 5U);
  EXPECT_EQ(m.tables.front().printed->fqn.text, "fused_ebc.like_creative_slot_emb");
  EXPECT_EQ(summary.memory_balance, Balance::even);
}

TEST(Summary, PartsAddUpToThePeakRank) {
  for (const char* log : {"v1.4.0.log", "v1.8.0.log"}) {
    const MemorySummary m = summary_of(log).memory;
    RealInterval sum{};
    for (const MemoryPart& part : m.parts) sum = sum + part.bytes;
    EXPECT_FALSE(m.parts.empty()) << log;
    EXPECT_TRUE(sum.overlaps(m.largest)) << log << " " << sum.low << ".." << sum.high;
  }
}

TEST(Summary, ChangesAreOrderedAndNeverMakeItWorse) {
  for (const char* log : {"v0.5.0.log", "v1.4.0.log", "v1.8.0.log"}) {
    const MemorySummary m = summary_of(log).memory;
    EXPECT_FALSE(m.changes.empty()) << log;
    EXPECT_TRUE(std::ranges::is_sorted(m.changes, std::greater<>(), [](const ChangeEffect& c) {
      return middle(c.fall);
    })) << log;
    for (const ChangeEffect& change : m.changes) {
      EXPECT_GT(change.fall.low, 0) << log << " " << change.assignment;
      EXPECT_LT(change.largest.low, m.largest.high) << log << " " << change.assignment;
    }
  }
}

// What other ranks fall by says nothing of the fullest one.
TEST(Summary, TheFullestRankFallsByItsOwnChange) {
  const MemorySummary m = summary_of("v1.4.0.log").memory;
  const auto batch = std::ranges::find(m.changes, "batch_size=256", &ChangeEffect::assignment);
  ASSERT_NE(batch, m.changes.end());
  EXPECT_NEAR(batch->fall.low, 937.0 * 1024, 512);
  EXPECT_NEAR(batch->fall.high, 937.0 * 1024, 512);
}

TEST(Summary, TooLargeAndTight) {
  const auto memory = [](const std::string& planning, std::string_view percent) {
    Checked checked(changed(log_bytes("v1.8.0.log"), "DDR: 2048.0 GB", "84.6", planning));
    for (PrintedRank& rank : checked.printed.ranks.rows) rank.hbm_percent.text = percent;
    return summarize(checked.printed, checked.plan).memory;
  };
  EXPECT_EQ(memory("84.6", "9").fit, Fit::roomy);
  EXPECT_EQ(memory("8.0", "98").fit, Fit::tight);
  EXPECT_EQ(memory("7.8", "101").fit, Fit::too_large);
  // Shares of another capacity: the printed one is not that of all devices.
  EXPECT_FALSE(memory("8.0", "9").planning);
  EXPECT_EQ(memory("8.0", "9").fit, Fit::roomy);
}

// Where devices differ, the rank with the most HBM need not be the one that runs out of it.
TEST(Summary, ASmallerDeviceMayBeTooSmall) {
  const auto memory = [](const std::string& log, std::initializer_list<std::string_view> percents) {
    Checked checked(log);
    auto rank = checked.printed.ranks.rows.begin();
    for (const std::string_view percent : percents) (rank++)->hbm_percent.text = percent;
    return summarize(checked.printed, checked.plan).memory;
  };
  const std::string debug = log_bytes("v1.4.0.log");
  const MemorySummary one = memory(debug, {"57", "10", "1", "1"});
  EXPECT_EQ(one.fit, Fit::roomy);
  EXPECT_FALSE(one.smaller);
  const MemorySummary own = memory(debug, {"57", "120", "12", "1"});
  EXPECT_EQ(own.peak, 0);
  EXPECT_EQ(own.fit, Fit::too_large);
  EXPECT_EQ(own.smaller, 1);
  EXPECT_EQ(own.smaller_cell.text, "120");
  EXPECT_FALSE(memory(debug, {"57", "120", "1", "1"}).smaller) << "verify calls one share of all a wrong number";
  EXPECT_EQ(memory(debug, {"97", "10", "1", "1"}).fit, Fit::unknown) << "it is, or 57% of the planning memory is";
}

TEST(Summary, LostRanksLeaveTheFitOpen) {
  std::string log = log_bytes("v1.4.0.log");
  const std::size_t last = log.find("#         3 ");
  log.erase(last, log.find('\n', last) + 1 - last);
  const Checked checked(log);
  const WhatIf what_if(checked.printed);
  const MemorySummary m = summarize(checked.printed, checked.plan, {}, &what_if).memory;
  EXPECT_TRUE(m.known);
  EXPECT_FALSE(m.complete);
  EXPECT_EQ(m.fit, Fit::unknown);
  EXPECT_TRUE(m.changes.empty());
}

TEST(Summary, Perf) {
  const PerfSummary p = summary_of("v1.8.0.log").perf;
  ASSERT_TRUE(p.known);
  EXPECT_EQ(p.balance, Balance::even);
  EXPECT_EQ(p.cell.text, "0.969");
  EXPECT_TRUE((p.compute + p.comms).overlaps(p.largest));
  EXPECT_EQ(p.tables.front().printed->fqn.text, "fused_ebc.advertiser_lang_user_id");
}

TEST(Summary, ShapeCountsEveryTableOnce) {
  const ShapeSummary shape = summary_of("v1.8.0.log").shape;
  for (const auto* groups : {&shape.shardings, &shape.kernels}) {
    std::int64_t tables = 0;
    for (const TableGroup& group : *groups) tables += group.tables;
    EXPECT_EQ(tables, 6);
  }
  EXPECT_EQ(shape.kernels.front().name, "fused");
  EXPECT_EQ(shape.kernels.front().tables, 5);
}

TEST(Summary, LostTablesAreSaid) {
  const std::string log = log_bytes("v1.8.0.log");
  const auto is_complete = [](const std::string& text) {
    const Checked checked(text);
    return summarize(checked.printed, checked.plan).shape.complete;
  };
  EXPECT_TRUE(is_complete(log));
  std::string without_row = log;
  const std::size_t row = log.rfind('\n', log.find("city_table")) + 1;
  without_row.erase(row, log.find('\n', row) + 1 - row);
  EXPECT_FALSE(is_complete(without_row));
  EXPECT_FALSE(is_complete(changed(log, "fused_ebc.city_table", " fused ", "       "))) << "it may be of any kernel";
}

// Before v0.6.0 no log prints what a table takes.
TEST(Summary, GroupsTakeWhatWasRebuiltOrIsNotKnown) {
  constexpr double kFused = 40'522'980'652, kDense = 8'291'168;  // v0.3.0.json, all shards
  const auto kernel = [](const Summary& summary, std::string_view name) {
    return *std::ranges::find(summary.shape.kernels, name, &TableGroup::name);
  };
  const Summary summary = summary_of("v0.3.0.log");
  EXPECT_EQ(summary.shape.largest.front().printed->fqn.text, "model.sparse_arch.fused_ebc_weighted.page_table");
  ASSERT_TRUE(kernel(summary, "fused").hbm && kernel(summary, "dense").hbm);
  EXPECT_TRUE(kernel(summary, "fused").hbm->contains(kFused));
  EXPECT_TRUE(kernel(summary, "dense").hbm->contains(kDense));
  // A table whose rows cannot be read leaves its own groups unknown.
  const Checked checked(changed(log_bytes("v0.3.0.log"), "ebc_weighted.country_session_14", "259541", "   ?  "));
  const Summary damaged = summarize(checked.printed, checked.plan);
  EXPECT_FALSE(kernel(damaged, "fused").hbm || kernel(damaged, "fused").ddr);
  EXPECT_EQ(kernel(damaged, "fused").shards, kernel(summary, "fused").shards);
  EXPECT_TRUE(kernel(damaged, "dense").hbm);
}

TEST(Summary, Oddities) {
  const auto message = [](const Summary& summary, std::string_view id) {
    const auto found = std::ranges::find(summary.oddities, id, &Oddity::id);
    return found == summary.oddities.end() ? "" : found->message;
  };
  const Summary summary = summary_of("v1.8.0.log");
  EXPECT_THAT(message(summary, "uncached_host_memory"), HasSubstr("1 table is"));
  EXPECT_THAT(message(summary, "same_rank_twice"), HasSubstr("position_ebc.like_doc_os_id on ranks 0,0,1,1"));
  EXPECT_EQ(message(summary, "default_cache_ratio"), "");
}

TEST(Summary, HostMemoryThatOverflowsIsNamed) {
  const std::string small = changed(log_bytes("v1.4.0.log"), "DDR: 256.0 GB", "256.0", "3.981");
  const auto message = [&](const std::string& cell) {
    const Checked checked(changed(small, "#         1 ", "0.0 (0%)", cell));
    const auto oddities = summarize(checked.printed, checked.plan, {}).oddities;
    const auto found = std::ranges::find(oddities, "full_ddr", &Oddity::id);
    return found == oddities.end() ? "" : found->message;
  };
  EXPECT_EQ(message("4.0 (100%)"), "");
  EXPECT_EQ(message("0.0 (226%)"), "") << "which its memory denies";
  EXPECT_EQ(message("9.0 (226%)"),
            "DDR of 1 rank is more than the planner may fill; the fullest is rank 1 with 9.0 GiB, 226% of that");
}

TEST(Summary, RanksWithoutAShard) {
  const auto message = [](const std::string& log) {
    const Checked checked(log);
    const auto oddities = summarize(checked.printed, checked.plan, {}).oddities;
    const auto found = std::ranges::find(oddities, "idle_ranks", &Oddity::id);
    return found == oddities.end() ? "" : found->message;
  };
  const std::string log = log_bytes("v1.4.0.log");
  EXPECT_EQ(message(log), "");
  EXPECT_EQ(message(changed(log, "#         3 ", "RW: 1", "RW: 0")), "1 rank has no shard at all");
}

TEST(Summary, NoMemoryWhereARankCannotBeRead) {
  const std::string log = log_bytes("v1.8.0-nodebug.log");
  const Checked checked(changed(log, "#         0 ", "20.011 (26%)", "20.0x1 (26%)"));
  EXPECT_FALSE(summarize(checked.printed, checked.plan, {}).memory.known);
}

// Only the lines that say so make an empty plan of a log without a rank table.
TEST(Summary, LostRanksAreNoEmptyPlan) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::size_t first = log.rfind('\n', log.find("     Rank     HBM")) + 1;
  const std::size_t end = log.rfind('\n', log.find("# Perf: Total perf")) + 1;
  const Checked checked(log.substr(0, first) + log.substr(end));
  EXPECT_FALSE(summarize(checked.printed, checked.plan, {}).empty_plan);
  const auto is_other_error = [](const Finding& f) {
    return f.severity == Severity::error && f.rule->id != "log.missing_lines";
  };
  EXPECT_TRUE(std::ranges::none_of(checked.report.findings, is_other_error));
  // The names of its tables are known, what they hold is not.
  const auto answer = explain(checked.printed, checked.plan, "ad_emb");
  ASSERT_TRUE(std::holds_alternative<std::vector<Explained>>(answer));
  EXPECT_EQ(std::get<std::vector<Explained>>(answer).size(), 1U);
}

// Memory and perf alike: the lost rank may be the fullest and the slowest.
TEST(Summary, OfTheRowsThatAreNotLost) {
  const std::string log = log_bytes("v1.1.0-nodebug.log");
  const auto summary = [](const std::string& bytes) {
    const Checked checked(bytes);
    return summarize(checked.printed, checked.plan);
  };
  const std::size_t last = log.find("#         3 ");
  const Summary lost = summary(log.substr(0, last) + log.substr(log.find('\n', last) + 1));
  EXPECT_TRUE(summary(log).memory.complete && summary(log).perf.complete);
  EXPECT_FALSE(lost.memory.complete || lost.perf.complete);
}

TEST(Summary, WithoutPlanOrTables) {
  const Summary empty = summary_of("v0.8.0-empty.log");
  EXPECT_TRUE(empty.empty_plan);
  EXPECT_FALSE(empty.memory.known);
  EXPECT_FALSE(empty.perf.known);
  const Summary old = summary_of("v0.1.0.log");
  EXPECT_TRUE(old.memory.known);
  EXPECT_FALSE(old.memory.counts_reservation);
  EXPECT_TRUE(old.memory.share_of_all);
  EXPECT_FALSE(old.perf.known || old.perf.in_ms);
  EXPECT_TRUE(old.memory.parts.empty());
  EXPECT_TRUE(old.memory.changes.empty());
  EXPECT_TRUE(summary_of("v1.8.0-nodebug.log").memory.parts.empty());
}

}  // namespace
}  // namespace shardstats
