#include "shardstats/analysis/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/diff_parts.h"
#include "analysis/diffs.h"

namespace shardstats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string first_set(const PlanDiff& diff) {
  if (diff.causes.empty() || diff.causes.front().assignments().empty()) return "";
  return diff.causes.front().assignments().front();
}

TEST(Diff, ALogDoesNotDifferFromItself) {
  for (const std::string& name : all_logs()) {
    const PlanDiff same = diff(log_bytes(name), log_bytes(name));
    EXPECT_FALSE(same.changed()) << name;
    EXPECT_THAT(same.causes, IsEmpty()) << name;
  }
}

TEST(Diff, OtherReleasesHaveOtherColumnsAndNoZeros) {
  const PlanDiff releases = diff(log_bytes("v0.1.0.log"), log_bytes("v1.8.0.log"));
  EXPECT_EQ(first_set(releases), "release=v1.8.0");
  for (const RankDiff& rank : releases.ranks) {
    EXPECT_FALSE(rank.input.before && rank.input.changed);  // v0.1.0 prints no bytes there
    EXPECT_TRUE(rank.input.before.has_value() || rank.input.change == RealInterval{});
    EXPECT_FALSE(rank.perf.before.has_value());  // nor ms
  }
}

TEST(Diff, PrintedInputsOfATable) {
  const std::string log = log_bytes("v1.4.0.log");
  const Checked base(log);
  const PrintedTable& row = base.printed.tables.rows.front();
  const std::string fqn(row.fqn.text), rows(row.hash_size.text);
  const std::string more = std::string(rows.size() > 1 ? 1 : 0, '9') + rows.substr(rows.size() > 1 ? 1 : 0);
  ASSERT_NE(rows, more);
  // The row's own line, not one that only names the table.
  const PlanDiff changed_rows = diff(log, changed(log, fqn + " ", " " + rows + " ", " " + more + " "));
  EXPECT_EQ(first_set(changed_rows), fqn + ".rows=" + more);
}

TEST(Diff, RankPartsAddUpToTheChange) {
  const PlanDiff versions = diff(log_bytes("v1.4.0.log"), log_bytes("v1.8.0.log"));
  ASSERT_FALSE(versions.ranks.empty());
  for (const RankDiff& rank : versions.ranks) {
    if (!rank.hbm.changed || rank.presence != Presence::both) continue;
    RealInterval sum{};
    for (const RankPart& part : rank.parts) sum = sum + part.hbm;
    EXPECT_TRUE(sum.overlaps(rank.hbm.change)) << rank.rank;
  }
}

TEST(Diff, EveryTableIsOnOneListOrTheOther) {
  const Checked a(log_bytes("v1.4.0.log")), b(log_bytes("v1.8.0.log"));
  const PlanDiff all = diff_plans({a.printed, a.plan}, {b.printed, b.plan}, Filter());
  std::size_t added = 0, dropped = 0;
  for (const TableDiff& table : all.tables) {
    added += table.presence == Presence::added;
    dropped += table.presence == Presence::dropped;
  }
  const auto both =
      all.tables.size() - added - dropped + all.open_tables.size() + static_cast<std::size_t>(all.same_tables);
  EXPECT_EQ(both + added, b.printed.tables.rows.size());
  EXPECT_EQ(both + dropped, a.printed.tables.rows.size());
}

TEST(Diff, FilterChoosesRowsNotCauses) {
  const Checked a(log_bytes("v1.4.0.log")), b(log_bytes("v1.8.0.log"));
  const Filter filter = filter_of({.tables = {"no such table"}, .ranks = {"1"}});
  const PlanDiff few = diff_plans({a.printed, a.plan}, {b.printed, b.plan}, filter);
  EXPECT_THAT(few.tables, IsEmpty());
  EXPECT_FALSE(few.causes.empty());
  for (const RankDiff& rank : few.ranks) EXPECT_EQ(rank.rank, 1);
}

TEST(Diff, PercentOfTheBase) {
  const auto percent = [](RealInterval before, RealInterval change) {
    NumberDiff number;
    number.before = before;
    number.after = before + change;
    number.change = change;
    return number.percent();
  };
  EXPECT_EQ(percent({100, 100}, {50, 50}), (RealInterval{50, 50}));
  EXPECT_EQ(percent({100, 200}, {50, 50}), (RealInterval{25, 50}));
  EXPECT_EQ(percent({100, 200}, {-50, -50}), (RealInterval{-50, -25}));
  EXPECT_EQ(percent({0, 200}, {50, 50}), std::nullopt);
}

TEST(Diff, NothingFallsByMoreThanAll) {
  NumberDiff number;
  number.before = RealInterval{199, 201};
  number.after = RealInterval{0, 1};
  number.changed = true;
  number.change = *number.after - *number.before;
  EXPECT_EQ(number.percent()->low, -100);
  EXPECT_LT(number.percent()->high, -99);
  number.after = RealInterval{-201, -199};  // headroom may be negative
  number.change = *number.after - *number.before;
  EXPECT_LT(number.percent()->low, -200);
}

TEST(Diff, ValuesThatMayDifferAllTheSame) {
  using enum DiffUnit;
  const double mb = kMiB;
  const struct {
    DiffUnit unit;
    std::optional<RealInterval> before, after;
    bool open;
  } cases[] = {
      {bytes, RealInterval{100 * mb, 101 * mb}, RealInterval{90 * mb, 400 * mb}, true},
      {bytes, RealInterval{100 * mb, 101 * mb}, RealInterval{10 * mb, 101 * mb}, true},
      // No more than what two cells of 3 decimals hide.
      {bytes, RealInterval{100 * mb, 101 * mb}, RealInterval{100.5 * mb, 101.5 * mb}, false},
      // A thousandth of the value.
      {bytes, RealInterval{1e6 * mb, 1e6 * mb}, RealInterval{1e6 * mb, 1.0005e6 * mb}, false},
      {ms, RealInterval{0.5, 0.501}, RealInterval{0.4991, 0.5019}, false},
      {ms, RealInterval{0.5, 0.501}, RealInterval{0.499, 0.6}, true},
      {bytes, RealInterval{0, 400 * mb}, RealInterval{0, 400 * mb}, false},  // the same bounds
      {bytes, RealInterval{0, 0}, RealInterval{400 * mb, 400 * mb}, false},  // certainly changed
      {bytes, std::nullopt, RealInterval{0, 400 * mb}, false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(analysis::difference("x", c.unit, c.before, c.after).is_open(), c.open) << &c - cases;
}

// What a change of inputs makes of a value is known better than its bounds.
TEST(Diff, ValuesThatFollowAChange) {
  const RealInterval before{100000, 200000}, after{90000, 210000};
  const auto followed = [&](RealInterval growth) {
    return analysis::difference("hbm", DiffUnit::bytes, before, after, &growth);
  };
  EXPECT_EQ(followed({5, 7}).change, (RealInterval{5, 7}));
  EXPECT_TRUE(followed({5, 7}).changed);
  EXPECT_EQ(followed({-500000, 7}).change, (RealInterval{-110000, 7}));  // within both sides
  EXPECT_TRUE(followed({-500000, 7}).is_open());
  EXPECT_FALSE(followed({-500000, 7}).changed);
  EXPECT_FALSE(followed({-42, 42}).is_open());  // rounding alone
  EXPECT_EQ(followed({0, 0}).change, RealInterval{});
  EXPECT_FALSE(followed({0, 0}).is_open());
}

TEST(Diff, Limits) {
  const auto status = [](RealInterval before, RealInterval after, IncreaseLimit limit) {
    PlanDiff diff;
    diff.largest.hbm = analysis::difference("largest_hbm", DiffUnit::bytes, before, after);
    diff.hidden = 1;  // something did change
    return hold_against(diff, limit);
  };
  using enum LimitStatus;
  const IncreaseLimit ten{10, false, "10"}, percent{10, true, "10%"};
  EXPECT_EQ(status({100, 100}, {110, 110}, ten), kept);
  EXPECT_EQ(status({100, 100}, {111, 111}, ten), exceeded);
  EXPECT_EQ(status({100, 101}, {111, 111}, ten), undecided);
  EXPECT_EQ(status({100, 120}, {110, 125}, ten), undecided);
  EXPECT_EQ(status({100, 100}, {50, 60}, ten), kept);
  EXPECT_EQ(status({200, 200}, {220, 220}, percent), kept);
  EXPECT_EQ(status({200, 200}, {221, 221}, percent), exceeded);
  EXPECT_EQ(hold_against({}, ten), unknown);
}

PlanDiff diff_of_pair(const std::string& name) { return diff(log_of_pair(name, "base"), log_of_pair(name, "next")); }

TEST(Diff, CausesOfTheWholePlan) {
  const PlanDiff optimizer = diff_of_pair("optimizer");
  EXPECT_EQ(first_set(optimizer), "optimizer=adagrad");
  EXPECT_LT(optimizer.causes.front().hbm->high, 0);  // from two states of each weight to one
  EXPECT_EQ(first_set(diff_of_pair("bwd_compute_multiplier")), "bwd_compute_multiplier=2.5");
  const PlanDiff world_size = diff_of_pair("world_size");
  EXPECT_EQ(first_set(world_size), "world_size=24");
  const auto is_new = [](const RankDiff& rank) { return rank.presence == Presence::added; };
  EXPECT_GT(std::ranges::count_if(world_size.ranks, is_new), 0);
}

TEST(Diff, MovedShards) {
  const Checked base(log_bytes("v1.4.0.log"));
  Checked next(log_bytes("v1.4.0.log"));
  // A table of one shard goes to the other rank, and its memory with it.
  const auto table = std::ranges::find(next.plan.tables, 1U, &PlanTable::shard_count);
  ASSERT_NE(table, next.plan.tables.end());
  PlanShard& shard = next.plan.shards[table->first_shard];
  const int from = *shard.rank, to = 1 - from;
  shard.rank = to;
  const auto row = static_cast<std::size_t>(table - next.plan.tables.begin());
  next.printed.tables.rows[row].ranks.text = to == 0 ? "0" : "1";
  const auto rank = [&](int number) { return std::ranges::find(next.plan.ranks, number, &PlanRank::rank); };
  rank(from)->hbm = rank(from)->hbm - shard.sizes->hbm;
  rank(to)->hbm = rank(to)->hbm + shard.sizes->hbm;
  const PlanDiff moved = diff_plans({base.printed, base.plan}, {next.printed, next.plan}, Filter());
  EXPECT_EQ(first_set(moved), std::string(next.printed.tables.rows[row].fqn.text) + ".ranks=" + std::to_string(to));
  ASSERT_EQ(moved.ranks.size(), 2U);
  for (const RankDiff& change : moved.ranks) {
    ASSERT_EQ(change.parts.size(), 1U) << change.rank;
    const RankPart& part = change.parts.front();
    EXPECT_EQ(part.kind, change.rank == to ? RankPart::Kind::moved_here : RankPart::Kind::moved_away);
    EXPECT_THAT(part.ranks, ElementsAre(1 - change.rank));
  }
}

// One log prints neither its tables nor what is reserved, and its kernels have others: no input explains the ranks.
TEST(Diff, WhatOneSideHidesIsNotExplained) {
  const Checked a(log_bytes("v1.8.0-nodebug.log")), b(log_bytes("v1.8.0.log"));
  const PlanDiff found = diff_plans({a.printed, a.plan}, {b.printed, b.plan}, Filter());
  EXPECT_FALSE(found.ranks.empty());
  for (const RankDiff& rank : found.ranks)
    for (const RankPart& part : rank.parts) EXPECT_EQ(part.kind, RankPart::Kind::unexplained) << rank.rank;
  std::size_t unexplained = 0;
  for (const Cause& cause : found.causes) {
    unexplained += cause.kind == Cause::Kind::unexplained;
    if (cause.kind == Cause::Kind::plan) {
      EXPECT_EQ(cause.hbm, RealInterval{});
    }
  }
  EXPECT_EQ(unexplained, 1U);
}

const NumberDiff& plan_number(const PlanDiff& diff, std::string_view name) {
  return *std::ranges::find(diff.numbers, name, &NumberDiff::name);
}

// No log prints the shards that would tell whether a rank changed whose cells print alike, or overlap.
TEST(Diff, RanksWithoutTablesMayChangeWithinTheirBounds) {
  const std::string log = log_bytes("v0.1.0.log");
  const PlanDiff one_decimal = diff(log, changed(log, "#         1 ", " 1.8 (1%)", " 2.8 (1%)"));
  const NumberDiff& total = plan_number(one_decimal, "total_hbm");
  EXPECT_TRUE(total.changed);
  EXPECT_TRUE(total.change.contains(1.15 * static_cast<double>(kGiB)));  // 0.1 is 0.05 to 0.15
  const PlanDiff releases =
      diff(log, changed(log_bytes("v1.8.0-nodebug.log"), "#         0 ", "20.011 (26%)", "   0.12 (0%)"));
  const RankDiff& rank = *std::ranges::find(releases.ranks, 0, &RankDiff::rank);
  EXPECT_FALSE(rank.hbm.changed);
  EXPECT_TRUE(rank.hbm.change.contains(0.05 * static_cast<double>(kGiB)));
}

// Of an effect that no tables tell, the ranks tell the HBM.
TEST(Diff, EffectsThatAreNotKnown) {
  const std::string log = log_bytes("v1.8.0-nodebug.log");
  const PlanDiff found = diff(log, changed(log, "Batch Size", ": 512", ": 256"));
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_EQ(found.causes[0].hbm, RealInterval{});
  EXPECT_EQ(found.causes[0].ddr, std::nullopt);
  EXPECT_EQ(found.causes[0].perf, std::nullopt);
}

// The tables of another kernel are no other tables.
TEST(Diff, AKernelMayTakeATableOfAnother) {
  std::string log = log_bytes("v1.8.0-nodebug.log");
  const Checked a(log);
  log.replace(log.find("dense: 1 "), 9, "dense: 2 ");
  log.replace(log.find("fused: 50 "), 10, "fused: 49 ");
  const Checked b(log);
  const PlanDiff found = diff_plans({a.printed, a.plan}, {b.printed, b.plan}, Filter());
  EXPECT_FALSE(found.kernels.empty());
  EXPECT_TRUE(found.causes.empty());
}

// A lost line of a kernel, or of a rank, is no change.
TEST(Diff, LinesThatLogsWithoutTablesHaveLost) {
  for (const auto& [name, line] : {std::pair("v0.1.0.log", "#   batched_fused: 9 "),
                                   {"v0.1.0.log", "#         1 "},
                                   {"v1.1.0-nodebug.log", "#    fused: 5 "},
                                   {"v1.1.0-nodebug.log", "#         3 "}}) {
    const std::string log = log_bytes(name);
    EXPECT_FALSE(diff(without(log, line, line), log).changed()) << name << " " << line;
    EXPECT_FALSE(diff(log, without(log, line, line)).changed()) << name << " " << line;
  }
}

TEST(Diff, WhyThereIsNoHeadroom) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::string wrong = changed(log, "#         0 ", "(57%)", "(37%)");
  const std::string devices =
      changed(changed(log, "#         1 ", "(10%)", "(120%)"), "#         2 ", "(1%)", "(12%)");  // smaller ones
  const std::string table = "weighted.ad_emb ";  // which would tell the rank that is lost, too
  const std::string lost = without(without(log, "#         1 ", "#         1 "), table, table);
  using enum NoHeadroom;
  for (const auto& [other, why] :
       {std::pair(wrong, contradicted), {devices, other_devices}, {log_bytes("v1.8.0-nodebug.log"), not_printed}}) {
    const PlanDiff after = diff(log, other), before = diff(other, log);
    EXPECT_TRUE(after.headroom.before && !after.headroom.after);
    EXPECT_EQ(after.no_headroom_after, why);
    EXPECT_TRUE(before.headroom.after && !before.headroom.before);
    EXPECT_EQ(before.no_headroom_before, why);
  }
  EXPECT_EQ(diff(log, lost).no_headroom_after, ranks_unknown);
}

TEST(Diff, FilteredChangesAreStillChanges) {
  const Checked a(log_bytes("v1.8.0-nodebug.log")), b(log_bytes("v1.8.0.log"));
  const Filter filter = filter_of({.ranks = {"77"}, .kernels = {"no such kernel"}});
  const DiffSide base{a.printed, a.plan}, next{b.printed, b.plan};
  const PlanDiff all = diff_plans(base, next, Filter()), few = diff_plans(base, next, filter);
  EXPECT_EQ(all.changed(), few.changed());
  EXPECT_EQ(few.hidden, static_cast<std::int64_t>(all.tables.size() + all.ranks.size() + all.kernels.size()));
}

TEST(Diff, Assignments) {
  Cause cause;
  cause.inputs = {{"batch_size", "512", "4096"}};
  EXPECT_THAT(cause.assignments(), ElementsAre("batch_size=4096"));
  cause.table = "ebc.t";
  cause.inputs = {{"sharding", "TW", "RW"}, {"ranks", "2", "0-3"}};
  EXPECT_THAT(cause.assignments(), ElementsAre("ebc.t.sharding=RW", "ebc.t.ranks=0-3"));
  cause.kind = Cause::Kind::dropped;
  EXPECT_THAT(cause.assignments(), ElementsAre("drop ebc.t"));
}

}  // namespace
}  // namespace shardstats
