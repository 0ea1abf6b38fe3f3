#include "shardstats/analysis/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/logs.h"

namespace shardstats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PlanDiff diff(const std::string& before, const std::string& after) {
  const Checked a(before), b(after);
  return diff_plans({a.printed, a.plan}, {b.printed, b.plan}, Filter());
}

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
  const auto both = all.tables.size() - added - dropped + static_cast<std::size_t>(all.same_tables);
  EXPECT_EQ(both + added, b.printed.tables.rows.size());
  EXPECT_EQ(both + dropped, a.printed.tables.rows.size());
}

TEST(Diff, FilterChoosesRowsNotCauses) {
  const Checked a(log_bytes("v1.4.0.log")), b(log_bytes("v1.8.0.log"));
  Filter filter;
  FilterWords words;
  words.tables = {"no such table"};
  words.ranks = {"1"};
  ASSERT_EQ(filter.set(words), std::nullopt);
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
