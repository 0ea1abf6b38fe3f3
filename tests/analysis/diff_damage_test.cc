// What diff makes of logs that lack what the other prints, or have lost it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analysis/diffs.h"

namespace shardstats {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DiffOfDamage, WhatALogLacksIsNeitherEqualNorChanged) {
  const std::string log = log_bytes("v1.4.0.log");
  const struct {
    std::string after;
    std::vector<std::string> not_compared;
  } cases[] = {
      {without(log, "     Rank  ", "0.041 (0.0003"), {"ranks after"}},
      {without(log, "Parameter Info:", "model.position_ebc.device_os_ad_id"), {"tables after"}},
      {log.substr(log.find("Batch Size:") - 2), {"ranks after", "tables after"}},
      {before(log, "Reserved Memory:"), {"reserved after", "planning after", "dense after", "kjt after"}},
      {before(log, "Top 5 Tables Causing Max Perf"), {"some lines after"}},
  };
  for (const auto& c : cases) {
    const PlanDiff cut = diff(log, c.after);
    EXPECT_FALSE(cut.changed()) << c.after;
    EXPECT_FALSE(cut.compares_all()) << c.after;
    EXPECT_EQ(not_compared(cut), c.not_compared) << c.after;
    EXPECT_FALSE(diff(c.after, log).changed()) << c.after;
  }
}

TEST(DiffOfDamage, NoCutOffLogChangesAnything) {
  const std::string log = log_bytes("v1.4.0.log");
  std::size_t end = 0;
  for (int line = 1; line < 99; ++line) {
    end = log.find('\n', end) + 1;
    if (line < 8 || line % 7 != 0) continue;
    const PlanDiff cut = diff(log, log.substr(0, end));
    EXPECT_FALSE(cut.changed()) << line;
    EXPECT_FALSE(cut.compares_all()) << line;
  }
}

// Nor one that ends within a row, whose name is a part of one then, or none.
TEST(DiffOfDamage, NoLogThatEndsInARowDropsATable) {
  for (const char* name : {"v0.3.0.log", "v1.8.0.log"}) {
    const std::string log = log_bytes(name);
    const Checked whole(log);
    const Cell fqn = whole.printed.tables.rows[2].fqn;
    const std::size_t at = log.find(fqn.text);
    for (const std::size_t left : {std::size_t{0}, fqn.text.size() / 2, fqn.text.size()}) {
      EXPECT_FALSE(diff(log.substr(0, at + left), log).changed()) << name << " " << left;
      EXPECT_FALSE(diff(log, log.substr(0, at + left)).changed()) << name << " " << left;
    }
  }
}

TEST(DiffOfDamage, LogsWithoutTablesAreEqualAsFarAsTheyGo) {
  const PlanDiff same = diff(log_bytes("v1.8.0-nodebug.log"), log_bytes("v1.8.0-nodebug.log"));
  EXPECT_TRUE(same.compares_all());
  EXPECT_THAT(not_compared(same), ElementsAre("tables before after"));
}

TEST(DiffOfDamage, ACellThatCannotBeReadIsNotZero) {
  const std::string log = log_bytes("v1.8.0-nodebug.log");
  for (const std::string cell : {"20.0x1 (26%)", "20.010 (26%)"}) {  // the planner prints 20.01
    const PlanDiff broken = diff(log, changed(log, "#         0 ", "20.011 (26%)", cell));
    EXPECT_FALSE(broken.changed()) << cell;
    EXPECT_FALSE(broken.largest.hbm.after.has_value()) << cell;
    EXPECT_FALSE(broken.compares_all()) << cell;
  }
}

// A table on all ranks says how many there are, and the shards what the one of the lost row takes.
TEST(DiffOfDamage, LostRowsOfRanksAreRebuilt) {
  const std::string log = log_bytes("v1.4.0.log");
  for (const std::string row : {"#         1 ", "#         3 "}) {
    const PlanDiff lost = diff(log, without(log, row, row));
    EXPECT_FALSE(lost.changed()) << row;
    EXPECT_TRUE(lost.largest.hbm.before && lost.largest.hbm.after) << row;
    EXPECT_EQ(std::ranges::find(lost.numbers, "world_size", &NumberDiff::name)->after, exactly(4.0)) << row;
    EXPECT_FALSE(lost.compares_all()) << row;
  }
}

TEST(DiffOfDamage, ALostLineOfAKernelChangesNoKernel) {
  const std::string log = log_bytes("v1.8.0-nodebug.log");
  const PlanDiff lost = diff(log, without(log, "    dense: 1 ", "    dense: 1 "));
  EXPECT_FALSE(lost.changed());
  EXPECT_THAT(not_compared(lost), ElementsAre("tables before after", "some kernel_count after"));
}

// What stood in a line that lost its end, in a count that the shards of the ranks deny, or on a rank that may be lost.
TEST(DiffOfDamage, CutLinesOfRanksAndKernels) {
  const std::string log = log_bytes("v0.1.0.log");
  const std::string below = "TWRW: 5    #\n#";  // the last rank
  const std::size_t blank = log.rfind(below) + below.size();
  std::string rank = log, kernel = log;
  rank.erase(blank + 3, rank.find("\n", blank) - blank - 3);
  kernel.erase(kernel.find(": 9 "), kernel.find('\n', kernel.find(": 9 ")) - kernel.find(": 9 "));
  for (const std::string& cut : {rank, kernel, without(log, "#         1 ", "#         1 ")}) {
    const PlanDiff lost = diff(log, cut);
    EXPECT_FALSE(lost.changed()) << cut;
    EXPECT_FALSE(lost.compares_all()) << cut;
  }
}

// The kernels' lines count one more than there are rows: its row may be lost, and be that of any table of the other
// log.
TEST(DiffOfDamage, TablesWithoutRowsAreNotGone) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::string more = changed(log, "    fused: ", "fused: 3", "fused: 4");
  const std::string name(Checked(log).printed.tables.rows.front().fqn.text);
  const PlanDiff lost = diff(log, without(more, name + " ", name + " "));
  EXPECT_THAT(lost.causes, IsEmpty());
  EXPECT_THAT(not_compared(diff(log, more)), ElementsAre("some tables after"));
}

TEST(DiffOfDamage, ARowWithoutItsNameIsNoTable) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::string name(Checked(log).printed.tables.rows.back().fqn.text);
  std::string cut = log;
  const std::size_t at = cut.find(name + " ");
  cut.erase(at, cut.find('\n', at) - at);
  for (const PlanDiff& lost : {diff(log, cut), diff(cut, log), diff(cut, cut)}) {
    EXPECT_FALSE(lost.changed());
    EXPECT_FALSE(lost.compares_all());
  }
}

TEST(DiffOfDamage, NoTableIsNewWhereANameIsLost) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::string name(Checked(log).printed.tables.rows.back().fqn.text);
  const std::string nameless = changed(log, name + " ", name, std::string(name.size(), ' '));
  for (const PlanDiff& lost : {diff(log, nameless), diff(nameless, log)}) {
    EXPECT_THAT(lost.causes, IsEmpty());
    EXPECT_FALSE(lost.changed());
    EXPECT_FALSE(lost.compares_all());
  }
}

// What came of a change of the whole plan is not what came of the tables that are left.
TEST(DiffOfDamage, LostTablesHideEffects) {
  const std::string base = log_of_pair("optimizer", "base"), next = log_of_pair("optimizer", "next");
  const std::string row = "ec.t_cat_10 ";
  EXPECT_FALSE(diff(base, next).causes.front().lost_tables);
  for (const PlanDiff& lost : {diff(base, without(next, row, row)), diff(without(base, row, row), next)}) {
    EXPECT_EQ(lost.causes.front().inputs.front().name, "optimizer");
    EXPECT_TRUE(lost.causes.front().lost_tables);
  }
}

// Where the ranks print alike and a table may be another one, all together need not stay the same.
TEST(DiffOfDamage, TotalsStayOpenWhereANameIsLost) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::string name(Checked(log).printed.tables.rows.back().fqn.text);
  const auto change_of_total = [&](const std::string& next) {
    const PlanDiff changes = diff(log, next);
    return std::ranges::find(changes.numbers, "total_hbm", &NumberDiff::name)->change;
  };
  EXPECT_EQ(change_of_total(log), RealInterval{});
  const RealInterval open = change_of_total(changed(log, name + " ", name, std::string(name.size(), ' ')));
  EXPECT_NE(open, RealInterval{});
  EXPECT_TRUE(open.contains(0));
}

// Logs that are cut off on the right lose what tables take; 0 was shown.
TEST(DiffOfDamage, LostCellsHideEffects) {
  const std::string base = log_of_pair("world_size", "base");
  std::string cut;
  std::istringstream lines(log_of_pair("world_size", "next"));
  for (std::string line; std::getline(lines, line);) cut += line.substr(0, 90) + "\n";
  const PlanDiff lost = diff(base, cut);
  ASSERT_FALSE(lost.causes.empty());
  EXPECT_FALSE(lost.causes.front().hbm.has_value());
  EXPECT_FALSE(lost.causes.front().has_all_effects());  // nor is known whether dtypes changed
}

TEST(DiffOfDamage, HiddenInputsOfALogThatContradictsItself) {
  const std::string log = log_bytes("v1.8.0.log");
  const auto notes = [](const PlanDiff& diff) {
    std::vector<std::string> notes;
    for (const Cause& cause : diff.causes)
      for (const InputDiff& input : cause.inputs) notes.push_back(std::string(input.name) + ": " + input.note);
    return notes;
  };
  const PlanDiff found = diff(log_bytes("v1.4.0.log"), changed(log, "#         1 ", " 7.856 ", " 9.856 "));
  EXPECT_THAT(notes(found), Contains("count_ephemeral: a log contradicts itself"));
  EXPECT_THAT(notes(found), Contains("batch_size: "));
}

// A release that ignores codecs has no wire size that could be another.
TEST(DiffOfDamage, ALostRowChangesNoOtherTable) {
  const std::string log = log_bytes("v0.3.0.log");
  for (const std::string name : {"country_session_14 ", "author_campaign_emb ", "os_pub_like_89 "}) {
    const PlanDiff lost = diff(log, without(log, name, name));
    EXPECT_THAT(lost.causes, IsEmpty()) << name;
    EXPECT_FALSE(lost.changed()) << name;
  }
}

}  // namespace
}  // namespace shardstats
