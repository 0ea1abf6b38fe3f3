#include "shardstats/log/missing_tables.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardstats {
namespace {

struct Row {
  std::string_view fqn, sharding, kernel, ranks;
};

struct Kernel {
  std::string_view name, count;
};

// A plan on two ranks, as far as missing rows are concerned.
PrintedPlan plan_of(const std::vector<Row>& rows, const std::vector<std::string_view>& shards,
                    const std::vector<Kernel>& kernels) {
  PrintedPlan plan;
  plan.ranks.printed = true;
  for (const Row& row : rows) {
    PrintedTable& table = plan.tables.rows.emplace_back();
    table.fqn.text = row.fqn;
    table.sharding.text = row.sharding;
    table.kernel.text = row.kernel;
    table.ranks.text = row.ranks;
  }
  for (const std::string_view text : shards) plan.ranks.rows.emplace_back().shards.text = text;
  for (const Kernel& kernel : kernels) {
    PrintedLine& line = plan.lines.emplace_back();
    line.id = LineId::kernel_count;
    line.first_slot = static_cast<std::uint32_t>(plan.slots.size());
    line.slot_count = 2;
    plan.slots.push_back(Cell{kernel.name, {}});
    plan.slots.push_back(Cell{kernel.count, {}});
  }
  return plan;
}

const std::vector<Row> kRows = {
    {"ebc.a", "TW", "fused", "0"}, {"ebc.b", "RW", "fused", "0-1"}, {"ebc.c", "DP", "dense", "0-1"}};
const std::vector<std::string_view> kShards = {"DP: 1 RW: 1 TW: 1", "DP: 1 RW: 1 TW: 0"};
const std::vector<Kernel> kKernels = {{"dense", "1"}, {"fused", "2"}};

TEST(MissingTables, NoneOfACompletePlan) { EXPECT_FALSE(missing_tables(plan_of(kRows, kShards, kKernels))); }

TEST(MissingTables, RanksAndKernelsShowEach) {
  const std::vector<std::vector<int>> ranks = {{0}, {0, 1}, {0, 1}};
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    auto rows = kRows;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
    const auto missing = missing_tables(plan_of(rows, kShards, kKernels));
    ASSERT_TRUE(missing) << i;
    EXPECT_EQ(missing->count, 1);
    EXPECT_EQ(missing->kernels.begin()->first, kRows[i].kernel);
    EXPECT_EQ(missing->types.begin()->first, kRows[i].sharding);
    EXPECT_EQ(missing->types.begin()->second, ranks[i]);
    EXPECT_EQ(missing->on_rank(1), i != 0);
    EXPECT_FALSE(missing->before);
  }
}

TEST(MissingTables, Several) {
  const auto missing = missing_tables(plan_of({kRows[1]}, kShards, kKernels));
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->count, 2);
  EXPECT_EQ(missing->types.size(), 2u);
}

// Where only one of ranks and kernels is short of a row, or one has too many, a cell is wrong.
TEST(MissingTables, OtherDamageIsNone) {
  EXPECT_FALSE(missing_tables(plan_of(kRows, kShards, {{"dense", "1"}, {"fused", "3"}})));
  EXPECT_FALSE(missing_tables(plan_of(kRows, {"DP: 1 RW: 1 TW: 2", kShards[1]}, kKernels)));
  EXPECT_FALSE(missing_tables(plan_of(kRows, {"DP: 1 RW: 1 TW: 2", kShards[1]}, {{"dense", "2"}, {"fused", "1"}})));
  EXPECT_FALSE(missing_tables(plan_of({kRows[0], kRows[1]}, {"DP: 1 RW: 1 TW: 0", kShards[1]}, kKernels)));
  EXPECT_FALSE(missing_tables(plan_of({kRows[0], kRows[1]}, kShards, {{"dense", "x"}, {"fused", "2"}})));
  EXPECT_FALSE(missing_tables(plan_of({}, kShards, kKernels)));
}

// Shards that so few tables cannot have: some count of a rank is wrong as well.
TEST(MissingTables, ImpossibleShards) {
  const std::vector<Row> rows = {kRows[1], kRows[2]};
  EXPECT_TRUE(missing_tables(plan_of(rows, kShards, kKernels)));
  EXPECT_FALSE(missing_tables(plan_of(rows, {"DP: 1 RW: 1 TW: 2", kShards[1]}, kKernels)));
  EXPECT_FALSE(missing_tables(plan_of(rows, {kShards[0], "DP: 1 RW: 1 TW: 1"}, kKernels)));
  const std::vector<Row> without_rw = {kRows[0], kRows[2]};
  EXPECT_FALSE(missing_tables(plan_of(without_rw, {kShards[0], "DP: 1 RW: 0 TW: 0"}, kKernels)));
  EXPECT_FALSE(missing_tables(plan_of(without_rw, {kShards[0], "DP: 1 RW: 3 TW: 0"}, kKernels)));
}

// Where the line of a kernel is lost as well, the ranks alone show how many rows there were at least.
TEST(MissingTables, WithTheLineOfAKernel) {
  const struct {
    std::vector<Row> rows;
    std::vector<std::string_view> shards;
    std::vector<Kernel> kernels;
    std::int64_t count;  // 0: none that is sure
  } cases[] = {
      {{kRows[1], kRows[2]}, kShards, {kKernels[0]}, 1},
      {{kRows[1], kRows[2]}, kShards, {{"dense", "2"}}, 1},  // ... of which that is the one
      {{kRows[2]}, kShards, {}, 2},
      {{kRows[2]}, kShards, {{"fused", "2"}}, 2},
      {kRows, kShards, {kKernels[0]}, 0},
      {kRows, {"DP: 1 RW: 1 TW: 0", kShards[1]}, {kKernels[0]}, 0},
      {{kRows[0], {"ebc.b", "RW", "fused", ""}, kRows[2]}, kShards, {kKernels[0]}, 0},  // a row that cannot be read
      {{kRows[0], {"ebc.b", "RW", "", "0-1"}}, kShards, kKernels, 0},
  };
  for (const auto& c : cases) {
    const auto missing = missing_tables(plan_of(c.rows, c.shards, c.kernels));
    ASSERT_EQ(missing.has_value(), c.count > 0) << &c - cases;
    if (!missing) continue;
    EXPECT_EQ(missing->count, c.count) << &c - cases;
    EXPECT_TRUE(missing->at_least);
    const bool has_line = std::ranges::count(c.kernels, "fused", &Kernel::name) > 0;
    EXPECT_TRUE(c.kernels.empty() || missing->kernels.contains(has_line ? "dense" : "fused")) << &c - cases;
  }
}

// A rank whose row is lost as well, or its cell of shards, shows none.
TEST(MissingTables, BesideALostRank) {
  for (const bool is_lost : {false, true}) {
    PrintedPlan plan = plan_of({kRows[0], kRows[2]}, kShards, kKernels);
    plan.ranks.rows[1] = {};
    plan.ranks.rows[1].lost = is_lost;
    const auto missing = missing_tables(plan);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->types.at("RW"), std::vector<int>{0});
  }
}

// Without ranks the kernels' constraints have to agree.
TEST(MissingTables, OfABlockWithoutRanks) {
  for (const std::string_view selected : {"1", "2", "3"}) {
    PrintedPlan plan = plan_of({kRows[0], kRows[2]}, {}, kKernels);
    plan.ranks.printed = false;
    PrintedLine& line = plan.lines.emplace_back();
    line.id = LineId::kernel_constraints;
    line.first_slot = static_cast<std::uint32_t>(plan.slots.size());
    line.slot_count = 2;
    plan.slots.push_back(Cell{"1", {}});
    plan.slots.push_back(Cell{selected, {}});
    const auto missing = missing_tables(plan);
    EXPECT_EQ(missing.has_value(), selected == "2");
    EXPECT_TRUE(!missing || missing->types.empty());
  }
}

// The memory of a kernel that its rows do not have speaks for a lost row, where no ranks count the shards.
TEST(MissingTables, MemoryOfTheKernelWithoutRanks) {
  const struct {
    std::string_view hbm, ddr;  // of the kernel's line
    bool ranks, lost;           // is the rank table there; has it lost its second row
    bool is_missing;
  } cases[] = {
      {"3.0", "0.0", false, false, true},     // rows have 1.0 GB
      {"1.0", "0.5", false, false, true},     // DDR shows it, too
      {"1.001", "0.0", false, false, false},  // rounded
      {"0.5", "0.5", false, false, false},    // less than the rows have: something else is wrong
      {"3.0", "0.0", true, false, false},     // the ranks do not lack a shard
      {"3.0", "0.0", true, true, true},
  };
  for (const auto& c : cases) {
    PrintedPlan plan = plan_of({kRows[0]}, {"TW: 1", "TW: 0"}, {{"fused", "2"}});
    plan.tables.rows[0].hbm.text = "1.0";
    plan.tables.rows[0].ddr.text = "0.0";
    plan.ranks.printed = c.ranks;
    if (!c.ranks) plan.ranks.rows.clear();
    if (c.lost) plan.ranks.rows[1].lost = true;
    PrintedLine& line = plan.lines.emplace_back();
    line.id = LineId::kernel_storage;
    line.first_slot = static_cast<std::uint32_t>(plan.slots.size());
    line.slot_count = 3;
    for (const std::string_view text : {std::string_view("fused"), c.hbm, c.ddr}) plan.slots.push_back(Cell{text, {}});
    EXPECT_EQ(missing_tables(plan).has_value(), c.is_missing) << c.hbm << " " << c.ddr << " " << c.ranks << c.lost;
  }
}

struct SeriesCase {
  std::vector<std::string_view> names;
  std::string_view count;  // of the kernel's tables
  std::string_view fqn;    // of the first missing row
  std::size_t before;
};

// A name that its neighbours' numbers leave out is that of the missing row, if all other numbers follow each other.
TEST(MissingTables, NumberedNames) {
  const SeriesCase cases[] = {
      {{"m.t_0", "m.t_1", "m.t_3", "m.t_4", "m.t_5"}, "6", "m.t_2", 2},
      {{"m.t_8_x", "m.t_9_x", "m.t_11_x", "m.t_12_x", "m.t_13_x"}, "6", "m.t_10_x", 2},
      {{"a.t_0", "a.t_1", "b.t_0", "b.t_1", "b.t_3", "b.t_4", "b.t_5"}, "8", "b.t_2", 4},
      {{"m.t_0", "m.t_1", "m.t_4", "m.t_5", "m.t_6"}, "7", "m.t_2", 2},
      {{"m.t_1", "m.t_4", "n.t_2", "n.t_3", "n.t_5", "n.t_7", "n.t_8"}, "8", "n.t_6", 5},  // numbered across modules
      {{"m.t_1", "m.t_9", "n.t_2", "n.t_3", "n.t_4", "n.t_7", "n.t_8"}, "9", "", 0},       // in either of them
      {{"m.t_0", "m.t_1", "m.other", "m.t_3", "m.t_5", "m.t_6"}, "7", "m.t_4", 4},         // another name
      {{"m.t_0", "m.t_1", "m.other", "m.t_4", "m.t_5", "m.t_6"}, "7", "", 0},  // which side of the other name?
      {{"m.t_0", "m.other", "m.t_1", "m.t_3", "m.t_4", "m.t_5"}, "7", "", 0},  // other names have no number of theirs
      {{"m.t_0", "m.t_1", "m.t_4", "m.t_5", "m.t_6"}, "6", "", 0},             // one row too few for the gap
      {{"m.t_0", "m.t_1", "m.t_3", "m.t_4", "m.t_6"}, "6", "", 0},             // two gaps
      {{"m.t_0", "m.t_1", "m.t_2", "m.t_3", "m.t_4"}, "6", "", 0},             // at an end
      {{"m.t_0", "m.t_2", "m.t_3"}, "4", "", 0},                               // too few to be a series
      {{"m.t_5", "m.t_1", "m.t_3", "m.t_4", "m.t_5", "m.t_6"}, "7", "", 0},    // out of order
      {{"m.t_1", "m.t_2", "m.t_3", "m.t_4", "m.t_5"}, "6", "m.t_0", 0},        // counted from zero
      {{"m.t_1", "m.t_2", "m.t_3", "m.t_4", "m.t_5"}, "7", "", 0},             // but only of one
      {{"m.t_3", "m.t_9", "n.t_1", "n.t_2", "n.t_4", "n.t_5", "n.t_7", "n.t_8"}, "9", "n.t_6", 6},  // n is denser
      {{"m.a", "m.b", "m.d", "m.e", "m.f"}, "6", "", 0},
  };
  for (const SeriesCase& c : cases) {
    std::vector<Row> rows;
    for (const std::string_view name : c.names) rows.push_back({name, "TW", "fused", "0"});
    const std::string shards = "TW: " + std::string(c.count);
    const auto missing = missing_tables(plan_of(rows, {shards}, {{"fused", c.count}}));
    ASSERT_TRUE(missing) << c.names.front();
    EXPECT_EQ(missing->numbered_name, c.fqn);
    EXPECT_EQ(missing->before.value_or(0), c.before);
    EXPECT_EQ(missing->before.has_value(), !c.fqn.empty());
  }
}

// A listed name without a row is the missing one's; the lists do not print modules.
TEST(MissingTables, ListedNames) {
  const struct {
    std::string_view first, second, listed, name;
  } cases[] = {{"m.a", "m.b", "c", "c"}, {"m.a", "n.b", "b", ""}, {"m.a", "m.b.v2", "b.v2", ""}};
  for (const auto& c : cases) {
    PrintedPlan plan =
        plan_of({{c.first, "TW", "fused", "0"}, {c.second, "TW", "fused", "0"}}, {"TW: 3"}, {{"fused", "3"}});
    PrintedLine& line = plan.lines.emplace_back();
    line.id = LineId::top_perf_table;
    line.first_slot = static_cast<std::uint32_t>(plan.slots.size());
    line.slot_count = 1;
    plan.slots.push_back(Cell{c.listed, {}});
    const auto missing = missing_tables(plan);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->listed_name, c.name);
    EXPECT_FALSE(missing->before);
  }
}

}  // namespace
}  // namespace shardstats
