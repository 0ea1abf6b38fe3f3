// The causes of all that changed, in their order, and what came of each.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/diff_parts.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

// A number of a table that is new or gone counts as a whole.
RealInterval effect(const NumberDiff& number, Presence presence) {
  if (presence == Presence::added) return number.after.value_or(RealInterval{});
  if (presence == Presence::dropped) return RealInterval{} - number.before.value_or(RealInterval{});
  return number.change;
}

void add_effect(const TableDiff& table, Cause& cause) {
  cause.hbm = cause.hbm + effect(table.hbm, table.presence);
  cause.ddr = cause.ddr + effect(table.ddr, table.presence);
  cause.ssd = cause.ssd + effect(table.ssd, table.presence);
  cause.perf = cause.perf + effect(table.perf, table.presence);
  cause.tables += table.changed();
  cause.open_tables += table.is_open();
}

Cause cause_of(const TableDiff& table) {
  Cause cause;
  cause.kind = table.presence == Presence::added     ? Cause::Kind::added
               : table.presence == Presence::dropped ? Cause::Kind::dropped
                                                     : Cause::Kind::table;
  cause.table = table.fqn;
  cause.inputs = table.inputs;
  add_effect(table, cause);
  return cause;
}

bool memory_changed(const TableDiff& table) { return table.hbm.changed || table.ddr.changed || table.ssd.changed; }
bool may_memory_change(const TableDiff& table) {
  const auto may = [](const NumberDiff& number) { return number.change != RealInterval{}; };
  return may(table.hbm) || may(table.ddr) || may(table.ssd);
}

// What changed for no reason of the tables themselves, and, `with_open`, what may have.
struct Rest {
  Cause memory, time;  // time: of tables whose memory is the same
};
Rest rest_of(const std::vector<TableDiff>& tables, bool with_open) {
  Rest rest;
  for (const TableDiff& table : tables) {
    if (has_own_cause(table)) continue;
    if (memory_changed(table) || (with_open && may_memory_change(table)))
      add_effect(table, rest.memory);
    else if (table.perf.changed)
      add_effect(table, rest.time);
  }
  return rest;
}

void add(const Cause& from, Cause& to) {
  to.tables += from.tables;
  to.open_tables += from.open_tables;
  to.hbm = to.hbm + from.hbm;
  to.ddr = to.ddr + from.ddr;
  to.ssd = to.ssd + from.ssd;
  to.perf = to.perf + from.perf;
}

void add_wide(const std::vector<InputDiff>& inputs, const Cause& effects, std::vector<Cause>& causes) {
  for (const InputDiff& input : inputs) {
    Cause cause = effects;
    cause.inputs = {input};
    cause.shared = inputs.size() > 1;
    causes.push_back(std::move(cause));
  }
}

}  // namespace

bool has_own_cause(const TableDiff& table) { return table.presence != Presence::both || !table.inputs.empty(); }

double bytes_moved(const Cause& cause) { return magnitude(cause.hbm) + magnitude(cause.ddr) + magnitude(cause.ssd); }

std::vector<Cause> causes_of(const WideInputs& wide, const std::vector<TableDiff>& tables, RealInterval all_ranks,
                             bool other_tables) {
  Rest rest = rest_of(tables, !wide.storage.empty());
  if (wide.speed.empty()) add(std::exchange(rest.time, {}), rest.memory);
  std::vector<Cause> causes;
  // No tables are printed: the ranks tell, unless there are more tables, or fewer.
  if (tables.empty() && !other_tables) rest.memory.hbm = all_ranks;
  add_wide(wide.storage, rest.memory, causes);
  add_wide(wide.capacity, {}, causes);
  add_wide(wide.speed, rest.time, causes);
  std::vector<Cause> own;
  for (const TableDiff& table : tables)
    if (has_own_cause(table)) own.push_back(cause_of(table));
  std::ranges::stable_sort(own, [](const Cause& a, const Cause& b) {
    const double x = bytes_moved(a), y = bytes_moved(b);
    return x != y ? x > y : magnitude(a.perf) > magnitude(b.perf);
  });
  std::ranges::move(own, std::back_inserter(causes));
  if (tables.empty() && other_tables && all_ranks != RealInterval{}) {
    Cause hidden;
    hidden.kind = Cause::Kind::unexplained;
    hidden.hbm = all_ranks;
    causes.push_back(std::move(hidden));
  } else if (wide.storage.empty() && rest.memory.tables > 0) {
    rest.memory.kind = Cause::Kind::unexplained;
    causes.push_back(rest.memory);
  }
  return causes;
}

}  // namespace shardstats::analysis

namespace shardstats {

std::vector<std::string> Cause::assignments() const {
  if (kind == Kind::dropped) return {"drop " + table};
  std::vector<std::string> all;
  for (const InputDiff& input : inputs)
    all.push_back((table.empty() ? "" : table + ".") + std::string(input.name) + "=" + input.after);
  return all;
}

}  // namespace shardstats
