// The causes of all that changed, in their order, and what came of each.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/diff_parts.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

Known sum(Known a, Known b) { return a && b ? Known(*a + *b) : std::nullopt; }

// A number of a table that is new or gone counts as a whole.
Known effect(const NumberDiff& number, Presence presence) {
  if (presence == Presence::added) return number.after;
  if (presence == Presence::dropped) return number.before ? Known(RealInterval{} - *number.before) : std::nullopt;
  return number.before && number.after ? Known(number.change) : std::nullopt;
}

void add_effect(const TableDiff& table, Cause& cause) {
  cause.hbm = sum(cause.hbm, effect(table.hbm, table.presence));
  cause.ddr = sum(cause.ddr, effect(table.ddr, table.presence));
  cause.ssd = sum(cause.ssd, effect(table.ssd, table.presence));
  cause.perf = sum(cause.perf, effect(table.perf, table.presence));
  cause.tables += table.changed();
  cause.open_tables += table.is_open();
  cause.hidden_tables += !table.tells_hidden_inputs;
}

Cause cause_of(const TableDiff& table) {
  Cause cause;
  cause.kind = table.presence == Presence::added     ? Cause::Kind::added
               : table.presence == Presence::dropped ? Cause::Kind::dropped
                                                     : Cause::Kind::table;
  cause.table = table.fqn;
  cause.inputs = table.inputs;
  add_effect(table, cause);
  cause.hidden_tables = 0;  // whatever the reason, it is one table
  return cause;
}

bool memory_changed(const TableDiff& table) { return table.hbm.changed || table.ddr.changed || table.ssd.changed; }
bool may_memory_change(const TableDiff& table) {
  const auto may = [](const NumberDiff& number) { return number.change != RealInterval{}; };
  const auto is_unknown = [](const NumberDiff& number) { return !number.before || !number.after; };
  return may(table.hbm) || may(table.ddr) || may(table.ssd) || is_unknown(table.hbm);
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
  to.hidden_tables += from.hidden_tables;
  to.hbm = sum(to.hbm, from.hbm);
  to.ddr = sum(to.ddr, from.ddr);
  to.ssd = sum(to.ssd, from.ssd);
  to.perf = sum(to.perf, from.perf);
}

// Where no tables tell it, all that is known of an effect is the HBM of all ranks.
void tell_ranks_alone(const NumberDiff& hbm, Cause& cause) {
  cause.hbm = effect(hbm, Presence::both);
  cause.ddr = cause.ssd = cause.perf = std::nullopt;
}

void add_wide(const std::vector<InputDiff>& inputs, const Cause& effects, std::vector<Cause>& causes) {
  for (const InputDiff& input : inputs) {
    Cause cause = effects;
    cause.inputs = {input};
    cause.shared = inputs.size() > 1;
    causes.push_back(std::move(cause));
  }
}

// Inputs that no log prints: they are told by what explains it.
constexpr std::string_view kHiddenInputs[] = {"dtype",
                                              "output_dtype",
                                              "optimizer",
                                              "caching_ratio",
                                              "wire_size",
                                              "local_world_size",
                                              "compute_device",
                                              "pipeline",
                                              "count_ephemeral",
                                              "is_inference",
                                              "hbm_mem_bw",
                                              "ddr_mem_bw",
                                              "hbm_to_ddr_mem_bw",
                                              "ssd_mem_bw",
                                              "inter_host_bw",
                                              "intra_host_bw",
                                              "bwd_compute_multiplier",
                                              "weighted_feature_bwd_compute_multiplier"};

}  // namespace

void doubt_hidden_inputs(std::vector<Cause>& causes) {
  constexpr std::string_view kDoubt = "a log contradicts itself";
  for (Cause& cause : causes)
    for (InputDiff& input : cause.inputs)
      if (std::ranges::find(kHiddenInputs, input.name) != std::end(kHiddenInputs))
        input.note += (input.note.empty() ? "" : "; ") + std::string(kDoubt);
}

bool has_own_cause(const TableDiff& table) { return table.presence != Presence::both || !table.inputs.empty(); }

double bytes_moved(const Cause& cause) {
  double bytes = 0;
  for (const Known& memory : {cause.hbm, cause.ddr, cause.ssd}) bytes += memory ? magnitude(*memory) : 0;
  return bytes;
}

std::vector<Cause> causes_of(const WideInputs& wide, const std::vector<TableDiff>& tables, const NumberDiff& all_ranks,
                             bool other_tables, bool lost_tables) {
  Rest rest = rest_of(tables, !wide.storage.empty());
  rest.memory.lost_tables = rest.time.lost_tables = lost_tables;
  if (wide.speed.empty()) add(std::exchange(rest.time, {}), rest.memory);
  std::vector<Cause> causes;
  // Where no log prints its tables, the ranks tell, unless there are more tables, or fewer.
  if (tables.empty() && !other_tables) tell_ranks_alone(lost_tables ? NumberDiff{} : all_ranks, rest.memory);
  add_wide(wide.storage, rest.memory, causes);
  add_wide(wide.capacity, {}, causes);
  add_wide(wide.speed, rest.time, causes);
  const auto time_of = [](const Cause& cause) { return cause.perf ? magnitude(*cause.perf) : 0; };
  std::vector<Cause> own;
  for (const TableDiff& table : tables)
    if (has_own_cause(table)) own.push_back(cause_of(table));
  std::ranges::stable_sort(own, [&](const Cause& a, const Cause& b) {
    const double x = bytes_moved(a), y = bytes_moved(b);
    return x != y ? x > y : time_of(a) > time_of(b);
  });
  std::ranges::move(own, std::back_inserter(causes));
  if (tables.empty() && other_tables && all_ranks.changed) {
    Cause hidden;
    hidden.kind = Cause::Kind::unexplained;
    tell_ranks_alone(all_ranks, hidden);
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
