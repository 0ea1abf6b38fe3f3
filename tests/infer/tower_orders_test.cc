#include "infer/tower_orders.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats::infer_detail {
namespace {

struct TowerRow {
  std::string_view fqn, sharding, sharder;
};
constexpr std::string_view kTower = "EmbeddingTowerSharder", kBags = "EmbeddingBagCollectionSharder";

// Of each row whether the order of its parts is open.
std::vector<bool> open_orders(Release release, const std::vector<TowerRow>& rows, bool missing_twcw = false) {
  PrintedPlan printed;
  printed.releases = {release};
  PlanInputs plan;
  plan.printed = &printed;
  for (const TowerRow& row : rows) {
    TableInputs& table = plan.tables.emplace_back();
    table.row = static_cast<std::uint32_t>(printed.tables.rows.size());
    table.sharding = parse_name<Sharding>(row.sharding, kShardingNames).value_or(Sharding::tw);
    PrintedTable& cells = printed.tables.rows.emplace_back();
    cells.fqn.text = row.fqn;
    cells.sharding.text = row.sharding;
    cells.sharder.text = row.sharder;
  }
  if (missing_twcw) plan.missing.emplace().types = {{"TWCW", {0}}};
  leave_orders_open(plan);
  std::vector<bool> open;
  for (const TableInputs& table : plan.tables) open.push_back(table.order_open);
  return open;
}
using OpenOrders = std::vector<bool>;

TEST(LeaveOrdersOpen, TowersWithTablesOfBothTypes) {
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", kTower}, {"a.u", "TWCW", kTower}, {"b.t", "TWRW", kTower}}),
            (OpenOrders{true, false, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", kBags}, {"a.u", "TWCW", kBags}}), (OpenOrders{false, false}));
  EXPECT_EQ(open_orders(Release::v0_6_0, {{"a.t", "TWRW", kTower}, {"a.u", "TWCW", kTower}}),
            (OpenOrders{false, false}));
}

// v0.4.0 and before do not print the sharder; other logs may have lost it.
TEST(LeaveOrdersOpen, ModulesThatMayBeTowers) {
  EXPECT_EQ(open_orders(Release::v0_4_0, {{"a.t", "TWRW", ""}, {"a.u", "TWCW", ""}}), (OpenOrders{true, false}));
  EXPECT_EQ(open_orders(Release::v0_4_0, {{"a.t", "TWRW", ""}, {"a.u", "TWCW", ""}, {"a.v", "DP", ""}}),
            (OpenOrders{false, false, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", ""}, {"a.u", "TWCW", kBags}}), (OpenOrders{false, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", ""}, {"a.u", "TWCW", kTower}}), (OpenOrders{true, false}));
}

TEST(LeaveOrdersOpen, TablesThatMayBeTwcw) {
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", kTower}, {"a.u", "", kTower}}), (OpenOrders{true, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", kTower}, {"b.t", "TWRW", kBags}}, true),
            (OpenOrders{true, false}));
}

TEST(LeaveOrdersOpen, TablesOfLostModules) {
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"a.t", "TWRW", kTower}, {"", "TWCW", kTower}}), (OpenOrders{true, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"", "TWRW", kTower}, {"a.t", "TWCW", kTower}}), (OpenOrders{true, false}));
  EXPECT_EQ(open_orders(Release::v0_5_0, {{"", "TWRW", kTower}, {"b.t", "TWCW", kBags}, {"", "DP", kBags}}),
            (OpenOrders{false, false, false}));
}

}  // namespace
}  // namespace shardstats::infer_detail
