#include "infer/tower_orders.h"

#include <map>
#include <optional>
#include <string_view>

namespace shardstats::infer_detail {
namespace {

// What the rows of a module say. A tower has TWRW and TWCW tables only.
struct Module {
  bool is_tower = false;  // by a sharder
  bool is_other = false;  // by a sharder, or by a table of another sharding type
  bool has_twcw = false;  // or may: a sharding type is lost
  bool may_be_tower() const { return is_tower || !is_other; }
  bool may_be_mixed() const { return may_be_tower() && has_twcw; }
};

// By name; none of those whose names are lost.
using Modules = std::map<std::optional<std::string_view>, Module>;

bool is_of_tower(const PrintedTable& printed) { return printed.sharder.text.starts_with("EmbeddingTower"); }

void add_row(const PrintedTable& printed, Module& module) {
  const auto sharding = parse_name<Sharding>(printed.sharding.text, kShardingNames);
  const bool fits_tower = !sharding || sharding == Sharding::twrw || sharding == Sharding::twcw;
  const bool is_tower = is_of_tower(printed);
  module.is_tower |= is_tower;
  module.is_other |= !fits_tower || (printed.sharder && !is_tower);
  module.has_twcw |= !sharding || sharding == Sharding::twcw;
}

bool may_miss_twcw(const std::optional<MissingTables>& missing) {
  return missing && (missing->types.empty() || missing->types.contains(name(Sharding::twcw)));
}

}  // namespace

void leave_orders_open(PlanInputs& plan) {
  const PrintedPlan& printed = *plan.printed;
  if (printed.releases.front() > Release::v0_5_0) return;
  Modules modules;
  for (const PrintedTable& row : printed.tables.rows) add_row(row, modules[module_of(row)]);
  bool any_twcw = may_miss_twcw(plan.missing);  // without the name of its module
  if (const auto nameless = modules.find(std::nullopt); nameless != modules.end()) {
    nameless->second.is_other = false;  // it is of several
    any_twcw |= nameless->second.has_twcw;
    for (const auto& module : modules) nameless->second.has_twcw |= module.second.may_be_mixed();
  }
  for (TableInputs& table : plan.tables) {
    if (table.sharding != Sharding::twrw) continue;
    const PrintedTable& row = printed.tables.rows[table.row];
    const Module& module = modules.at(module_of(row));
    const bool may_be_tower = is_of_tower(row) || (!row.sharder && module.may_be_tower());
    table.order_open = may_be_tower && (module.has_twcw || any_twcw);
  }
}

}  // namespace shardstats::infer_detail
