// The critical path of comms as the shards give it (log-format.md section 6.9).
#include <algorithm>
#include <array>
#include <map>
#include <memory_resource>
#include <span>
#include <unordered_set>
#include <utility>

#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

constexpr double kManyRanks = 8;  // above, v1.2.0 and v1.3.0 divide comms of column-wise plans by three
constexpr double kEarlyDivisor = 3;
constexpr double kRounding = 1e-12;       // relative: the planner adds in another order
constexpr std::size_t kBytesOfPath = 64;  // of one in a hash table, about

std::string_view module_of(std::string_view fqn) {
  const auto dot = std::find(fqn.rbegin(), fqn.rend(), '.');
  return dot == fqn.rend() ? std::string_view{} : fqn.substr(0, static_cast<std::size_t>(fqn.rend() - dot) - 1);
}

std::string_view fqn_of(const PrintedPlan& printed, const PlanTable& table) {
  return printed.tables.rows[table.row].fqn.text;
}

constexpr std::array kDirections = {PerfPart::forward_comms, PerfPart::backward_comms};

// Sums over the shards of a group, by rank. Of many groups each has shards on a few ranks only, so no others are
// looked at.
class CommsByRank {
 public:
  explicit CommsByRank(std::size_t ranks) : of_(ranks) {}

  void add(const PlanTable& table, std::span<const PlanShard> shards) {
    Comms comms;
    for (std::size_t d = 0; d < comms.size(); ++d)
      comms[d] = table.shard_perf.parts[static_cast<std::size_t>(kDirections[d])];
    const std::span<OnRank> all(of_);
    for (const PlanShard& shard : shards) {
      if (!shard.rank || static_cast<std::size_t>(*shard.rank) >= all.size()) continue;
      const auto rank = static_cast<std::size_t>(*shard.rank);
      OnRank& on = all[rank];
      if (on.used) {
        for (std::size_t d = 0; d < comms.size(); ++d) on.comms[d] = on.comms[d] + comms[d];
      } else {
        on = {comms, true};
        ranks_.push_back(rank);
      }
    }
  }

  void take_largest(std::size_t direction, CommsGroup& group) const {
    if (ranks_.empty()) return;
    std::size_t most = ranks_.front();
    RealInterval largest = ranks_.size() < of_.size() ? RealInterval{} : of_[most].comms[direction];
    double most_high = of_[most].comms[direction].high;
    for (const std::size_t rank : ranks_) {
      const RealInterval x = of_[rank].comms[direction];
      largest = {std::max(largest.low, x.low), std::max(largest.high, x.high)};
      if (x.high < most_high || (x.high == most_high && rank >= most)) continue;
      most = rank;
      most_high = x.high;
    }
    group.largest = largest;
    group.rank = static_cast<int>(most);
  }

  void clear() {
    for (const std::size_t rank : ranks_) of_[rank] = {};
    ranks_.clear();
  }

 private:
  using Comms = std::array<RealInterval, kDirections.size()>;
  struct OnRank {
    Comms comms{};
    bool used = false;
  };
  std::vector<OnRank> of_;
  std::vector<std::size_t> ranks_;  // used ones
};

// Tables that follow each other in one module, as most of a module do.
struct ModuleRun {
  std::string_view module;
  std::size_t first = 0, end = 0;  // in Plan::tables
  friend bool operator==(const ModuleRun&, const ModuleRun&) = default;
};

bool is_directly_in(std::string_view fqn, std::string_view module) {
  return !module.empty() && fqn.size() > module.size() && fqn[module.size()] == '.' && fqn.starts_with(module) &&
         fqn.find('.', module.size() + 1) == std::string_view::npos;
}

std::vector<ModuleRun> module_runs(const PrintedPlan& printed, const Plan& plan) {
  std::vector<ModuleRun> runs;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const std::string_view fqn = fqn_of(printed, plan.tables[t]);
    if (runs.empty() || !is_directly_in(fqn, runs.back().module)) runs.push_back({module_of(fqn), t, t});
    runs.back().end = t + 1;
  }
  return runs;
}

// The shortest of the paths above that is the module of other tables; else the module itself.
std::string_view outermost(std::string_view module, const std::pmr::unordered_set<std::string_view>& paths) {
  std::string_view found = module;
  for (std::string_view path = module_of(module); !path.empty(); path = module_of(path))
    if (paths.contains(path)) found = path;
  return found;
}

// Table names may have dots of their own ("ebc.item.v2"): then a shorter path, that of other tables, is the module.
std::vector<ModuleRun> with_dotted_names(std::vector<ModuleRun> runs) {
  std::pmr::monotonic_buffer_resource nodes(kBytesOfPath * (runs.size() + 1));
  std::pmr::unordered_set<std::string_view> paths(runs.size(), &nodes);
  for (const ModuleRun& run : runs) paths.insert(run.module);
  for (ModuleRun& run : runs) run.module = outermost(run.module, paths);
  return runs;
}

// Where the tables of a group are in CriticalComms::tables.
struct GroupTables {
  std::size_t count = 0, first = 0;
};
using ModuleGroups = std::array<GroupTables, kShardingNames.size()>;  // by Sharding
using Groups = std::pmr::map<std::string_view, ModuleGroups>;         // by module

// The tables of one group after those of another, in the order of the groups.
std::vector<const PlanTable*> tables_by_group(const Plan& plan, const std::vector<ModuleRun>& runs, Groups& groups) {
  const auto group_of = [&](ModuleGroups& of_module, std::size_t t) -> GroupTables& {
    return of_module[static_cast<std::size_t>(plan.tables[t].sharding)];
  };
  std::vector<ModuleGroups*> groups_of_run;
  groups_of_run.reserve(runs.size());
  for (const ModuleRun& run : runs) {
    groups_of_run.push_back(&groups[run.module]);
    for (std::size_t t = run.first; t < run.end; ++t) ++group_of(*groups_of_run.back(), t).count;
  }
  std::size_t first = 0;
  for (auto& [name, of_module] : groups)
    for (GroupTables& group : of_module) {
      group.first = first;
      first += std::exchange(group.count, 0);
    }
  std::vector<const PlanTable*> tables(plan.tables.size());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t t = runs[r].first; t < runs[r].end; ++t) {
      GroupTables& of = group_of(*groups_of_run[r], t);
      tables[of.first + of.count++] = &plan.tables[t];
    }
  return tables;
}

// For each module and sharding type the largest rank's comms, forward and backward by themselves.
CriticalComms comms_by_group(const Plan& plan, const std::vector<ModuleRun>& runs, std::size_t rank_count) {
  CriticalComms comms;
  std::pmr::monotonic_buffer_resource nodes;
  Groups groups(&nodes);
  comms.tables = tables_by_group(plan, runs, groups);
  CommsByRank by_rank(rank_count);
  for (const auto& [module, of_module] : groups)
    for (std::size_t type = 0; type < of_module.size(); ++type) {
      const GroupTables& of = of_module[type];
      if (of.count == 0) continue;
      const auto tables = std::span(comms.tables).subspan(of.first, of.count);
      // Where all ranks have one shard of each table, they have the same comms: the first stands for all.
      const bool same = std::ranges::all_of(
          tables, [&](const PlanTable* table) { return table->on_every_rank && table->shard_count == rank_count; });
      for (const PlanTable* table : tables) {
        const auto shards = plan.shards_of(*table);
        by_rank.add(*table, same ? shards.first(std::min<std::size_t>(shards.size(), 1)) : shards);
      }
      for (std::size_t d = 0; d < kDirections.size(); ++d)
        by_rank.take_largest(d, comms.groups.emplace_back(
                                    CommsGroup{module, static_cast<Sharding>(type), kDirections[d], {}, 0, tables}));
      by_rank.clear();
    }
  return comms;
}

bool divides_comms(const Plan& plan, std::size_t rank_count) {
  if (!std::ranges::all_of(plan.tables, [](const PlanTable& t) { return t.sharding == Sharding::cw; })) return false;
  std::vector<bool> used(rank_count);
  for (const PlanShard& shard : plan.shards)
    if (shard.rank && static_cast<std::size_t>(*shard.rank) < used.size())
      used[static_cast<std::size_t>(*shard.rank)] = true;
  return static_cast<double>(std::ranges::count(used, true)) > kManyRanks;
}

// By what the releases left may divide; some of v1.2.0 and v1.3.0 by more than one.
struct Divisors {
  bool one = false, early = false;
};
Divisors divisors_of(const Plan& plan, std::size_t ranks) {
  const auto early = [](Release r) { return r < Release::v1_4_0; };
  Divisors divisors;
  divisors.early = divides_comms(plan, ranks) && std::ranges::any_of(plan.releases, early);
  divisors.one = !divisors.early || !std::ranges::all_of(plan.releases, early);
  return divisors;
}

bool all_perf_known(const Plan& plan) {
  return plan.perf.known && std::ranges::all_of(plan.tables, [](const PlanTable& t) { return t.perf.known; });
}

RealInterval sum_of(const std::vector<CommsGroup>& groups, double divisor) {
  RealInterval sum{};
  for (const CommsGroup& group : groups) sum = sum + group.largest;
  return {sum.low * (1 - kRounding) / divisor, sum.high * (1 + kRounding) / divisor};
}

// Over the ways to read the names and all rules of the releases left.
RealInterval all_comms(const PrintedPlan& printed, const Plan& plan, std::size_t ranks, NameReadings names) {
  const Divisors divisors = divisors_of(plan, ranks);
  const std::vector<ModuleRun> plain = module_runs(printed, plan), dotted = with_dotted_names(plain);
  std::optional<RealInterval> all;
  for (const std::vector<ModuleRun>* runs : {&plain, &dotted}) {
    const bool may_be = runs == &plain ? names.plain : names.dotted;
    if (!may_be || (runs == &dotted && all && dotted == plain)) continue;
    const CriticalComms comms = comms_by_group(plan, *runs, ranks);
    const auto take = [&](double divisor) {
      const RealInterval sum = sum_of(comms.groups, divisor);
      all = all ? hull(*all, sum) : sum;
    };
    if (divisors.one) take(1);
    if (divisors.early) take(kEarlyDivisor);
  }
  return *all;
}

// Is the perf of every table known, and its module, which groups it?
bool groups_known(const PrintedPlan& printed, const Plan& plan) {
  const auto is_nameless = [](const PrintedTable& row) { return row.fqn.text.empty(); };
  return all_perf_known(plan) && std::ranges::none_of(printed.tables.rows, is_nameless);
}

}  // namespace

std::vector<std::string_view> modules(const PrintedPlan& printed, const Plan& plan, bool dotted_names) {
  auto runs = module_runs(printed, plan);
  if (dotted_names) runs = with_dotted_names(std::move(runs));
  std::vector<std::string_view> modules;
  for (const ModuleRun& run : runs) modules.resize(run.end, run.module);
  return modules;
}

bool critical_path_known(const PrintedPlan& printed, const Plan& plan, bool whole) {
  const bool has_lines = printed.slot(LineId::critical_path_comms) || printed.slot(LineId::critical_path_compute);
  return has_lines && whole && groups_known(printed, plan);
}

CriticalPath critical_path(const PrintedPlan& printed, const Plan& plan, const RankValues& values, bool whole,
                           NameReadings names) {
  CriticalPath path;
  path.compute =
      largest_of(printed, values, PerfPart::forward_compute) + largest_of(printed, values, PerfPart::backward_compute);
  if (whole && groups_known(printed, plan)) path.comms = all_comms(printed, plan, values.ranks(), names);
  return path;
}

NameReadings readings_that_fit(const PrintedPlan& printed, const Plan& plan) {
  const Cell cell = printed.slot(LineId::critical_path_comms);
  if (!cell || !groups_known(printed, plan)) return {};
  const RealInterval comms = printed_or_anything(cell, printed.format_of(RoundedNumbers::lines), "ms");
  const auto gives_it = [&](NameReadings names) {
    return all_comms(printed, plan, printed.ranks.rows.size(), names).overlaps(comms);
  };
  const NameReadings fit{gives_it({.plain = true, .dotted = false}), gives_it({.plain = false, .dotted = true})};
  return fit.plain || fit.dotted ? fit : NameReadings{};
}

// What the shards give, in the way to read the names and by the rule of a release left that the printed value (or, if
// that is wrong, the sum of both paths) fits.
CriticalComms critical_comms(const PrintedPlan& printed, const Plan& plan, std::size_t ranks, NameReadings names) {
  const Format form = printed.format_of(RoundedNumbers::lines);
  const auto cell = printed_bounds(printed.slot(LineId::critical_path_comms), form, "ms");
  const Divisors divisors = divisors_of(plan, ranks);
  const RealInterval path = printed_or_anything(printed.slot(LineId::critical_path_sum), form, "ms");
  const RealInterval compute = printed_or_anything(printed.slot(LineId::critical_path_compute), form, "ms");
  struct Reading {
    CriticalComms* comms = nullptr;
    double divisor = 1;
    RealInterval sum{};
  } likely;
  const auto take = [](const Reading& reading) {
    reading.comms->divisor = reading.divisor;
    reading.comms->sum = reading.sum;
    return std::move(*reading.comms);
  };
  bool by_sum = false;
  // Modules within a module with tables are rare, dots in names are not.
  const std::vector<ModuleRun> plain = module_runs(printed, plan), dotted = with_dotted_names(plain);
  std::array<CriticalComms, 2> comms;
  for (std::size_t way = 0; way < comms.size(); ++way) {
    const bool is_dotted = way == 0;
    if (!(is_dotted ? names.dotted : names.plain)) continue;
    if (way == 1 && likely.comms != nullptr && dotted == plain) break;  // no name can be read in two ways
    comms[way] = comms_by_group(plan, is_dotted ? dotted : plain, ranks);
    for (const double divisor : {1.0, kEarlyDivisor}) {
      if (divisor == 1 ? !divisors.one : !divisors.early) continue;
      const Reading reading{&comms[way], divisor, sum_of(comms[way].groups, divisor)};
      if (cell && reading.sum.overlaps(*cell)) return take(reading);
      const bool fits_sum = (reading.sum + compute).overlaps(path);
      if (likely.comms == nullptr || (fits_sum && !by_sum)) likely = reading;
      by_sum |= fits_sum;
    }
  }
  return take(likely);
}

}  // namespace shardstats::analysis
