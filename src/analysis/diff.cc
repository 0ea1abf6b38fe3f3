#include "shardstats/analysis/diff.h"

#include <algorithm>
#include <variant>

#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "analysis/lost_lines.h"
#include "analysis/shares.h"
#include "analysis/statistics.h"

namespace shardstats {
namespace analysis {
namespace {

// ---- the whole plan ------------------------------------------------------------------------------------------------

struct PlanLine {
  std::string_view name;
  DiffUnit unit;
  LineId line;
  std::size_t slot;
};
constexpr PlanLine kPlanLines[] = {{"planning_hbm", DiffUnit::bytes, LineId::planning_memory, 0},
                                   {"planning_ddr", DiffUnit::bytes, LineId::planning_memory, 1},
                                   {"reserved_hbm", DiffUnit::bytes, LineId::reserved_hbm, 0},
                                   {"dense_hbm", DiffUnit::bytes, LineId::dense_storage, 0},
                                   {"kjt_hbm", DiffUnit::bytes, LineId::kjt_storage, 0},
                                   {"critical_path_comms", DiffUnit::ms, LineId::critical_path_comms, 0},
                                   {"critical_path_compute", DiffUnit::ms, LineId::critical_path_compute, 0},
                                   {"critical_path", DiffUnit::ms, LineId::critical_path_sum, 0}};

bool is_critical_path(LineId line) {
  return line == LineId::critical_path_comms || line == LineId::critical_path_compute ||
         line == LineId::critical_path_sum;
}

// What follows from the shards of the plan for a line. `names`: how a changed plan's are read.
Known rebuilt_line(const DiffSide& side, LineId line, NameReadings names) {
  if (line == LineId::dense_storage) return real(side.plan.dense_hbm);
  if (line == LineId::kjt_storage) return real(side.plan.kjt_hbm);
  if (!is_critical_path(line) || side.growth == nullptr) return std::nullopt;
  const RankValues values = rank_values(side.printed, side.plan);
  if (!values.known || !side.plan.perf.known) return std::nullopt;
  const CriticalPath path =
      critical_path(side.printed, side.plan, values, has_all_rows(side.printed, side.plan), names);
  if (line == LineId::critical_path_compute) return path.compute;
  return line == LineId::critical_path_comms || !path.comms ? path.comms : *path.comms + path.compute;
}

Known line_of(const DiffSide& side, const PlanLine& line, NameReadings names = {}) {
  const std::string_view unit = line.unit == DiffUnit::bytes ? "bytes" : "ms";
  const Known printed =
      printed_bounds(side.printed.slot(line.line, line.slot), side.printed.format_of(RoundedNumbers::lines), unit);
  if (!printed && side.growth == nullptr) return std::nullopt;
  const Known rebuilt = rebuilt_line(side, line.line, names);
  return printed && rebuilt ? narrowed(*printed, *rebuilt) : printed ? printed : rebuilt;
}

// Where policies that let the KJT storage grow explain the log as well as those that do not.
bool may_keep_kjt(const PlanGrowth& growth) { return growth.kjt_hbm != RealInterval{} && growth.kjt_hbm.contains(0); }

// No line of a changed plan that the log does not print.
NumberDiff line_diff(const DiffSide& base, const DiffSide& next, const PlanLine& line) {
  const Known before = line_of(base, line);
  if (next.growth == nullptr) return difference(line.name, line.unit, before, line_of(next, line));
  if (before && line.line == LineId::kjt_storage && may_keep_kjt(*next.growth)) {
    const RealInterval& change = next.growth->kjt_hbm;
    const RealInterval after = *before + change;
    return difference(line.name, line.unit, before, RealInterval{std::max(after.low, 0.0), after.high}, &change);
  }
  const bool rests_on_names = before && is_critical_path(line.line);
  const NameReadings names = rests_on_names ? readings_that_fit(base.printed, base.plan) : NameReadings{};
  return difference(line.name, line.unit, before, before ? line_of(next, line, names) : Known{});
}

Known count_in(std::string_view text) {
  const auto count = parse_integer(text);
  return count ? Known(exactly(static_cast<double>(*count))) : std::nullopt;
}

Known batch_size(const DiffSide& side) { return count_in(side.printed.slot(LineId::batch_size).text); }

Known world_size(const DiffSide& side) { return count_in(world_size_text(side)); }

Known tables(const DiffSide& side) {
  const bool is_known = has_all_tables(side.printed, side.plan);  // and some are printed
  return is_known ? Known(exactly(static_cast<double>(side.printed.tables.rows.size()))) : std::nullopt;
}

// The values of one quantity on all ranks of one side; nullopt if one of them is not known.
using Values = std::optional<std::vector<RealInterval>>;
Values values_of(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field, Known NumberDiff::*side,
                 Presence not_there) {
  std::vector<RealInterval> values;
  for (const RankDiff& rank : ranks) {
    if (rank.presence == not_there) continue;
    const Known& value = (rank.*field).*side;
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return values;
}

struct BothSides {
  Values before, after;
  template <class Statistic>
  NumberDiff diff(std::string_view name, DiffUnit unit, Statistic statistic) const {
    const auto of = [&](const Values& values) { return values ? Known(statistic(RankBounds(*values))) : std::nullopt; };
    return difference(name, unit, of(before), of(after));
  }
};

BothSides both_sides(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field) {
  return {values_of(ranks, field, &NumberDiff::before, Presence::added),
          values_of(ranks, field, &NumberDiff::after, Presence::dropped)};
}

// Takes the bounds of a change that other values give.
void narrow_change(NumberDiff& number, RealInterval change) {
  number.change = narrowed(*number.after - *number.before, change);
  number.changed = number.changed || !number.change.contains(0);
}

bool on_both_sides(const std::vector<RankDiff>& ranks) {
  return std::ranges::all_of(ranks, [](const RankDiff& rank) { return rank.presence == Presence::both; });
}

// What each rank adds to a change of all ranks. What has the same bounds on both sides may have changed all the same
// where not all shards of the rank are known, but for logs that do not differ on any rank.
class RankChanges {
 public:
  RankChanges(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field) : field_(field) {
    any_ = std::ranges::any_of(ranks, [&](const RankDiff& rank) { return (rank.*field).change != RealInterval{}; });
  }
  RealInterval of(const RankDiff& rank) const {
    const NumberDiff& number = rank.*field_;
    const bool told = rank.tells_shards || number.follows_inputs || number.before != number.after;
    return told || !any_ ? number.change : *number.after - *number.before;
  }

 private:
  NumberDiff RankDiff::*field_;
  bool any_ = false;
};

// A sum over the ranks changes as its ranks do: what does not change on a rank adds nothing to the bounds.
RealInterval change_of_sum(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field) {
  const RankChanges changes(ranks, field);
  RealInterval change{};
  for (const RankDiff& rank : ranks) change = change + changes.of(rank);
  return change;
}

// nullopt if a rank that may be the largest is on one side alone.
std::optional<RealInterval> change_of_largest(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field,
                                              const BothSides& of) {
  const RankList before = at_largest(*of.before), after = at_largest(*of.after);
  const RankChanges changes(ranks, field);
  std::vector<bool> was, is;  // of those that are on both sides
  std::vector<RealInterval> own;
  std::size_t old = 0, next = 0;  // of the ranks of each side
  for (const RankDiff& rank : ranks) {
    const bool was_largest = rank.presence != Presence::added && before.may[old++];
    const bool is_largest = rank.presence != Presence::dropped && after.may[next++];
    if (rank.presence != Presence::both && (was_largest || is_largest)) return std::nullopt;
    if (rank.presence != Presence::both) continue;
    was.push_back(was_largest);
    is.push_back(is_largest);
    own.push_back(changes.of(rank));
  }
  return analysis::change_of_largest(was, is, own);
}

bool are_followed(const std::vector<RankDiff>& ranks, NumberDiff RankDiff::*field) {
  return std::ranges::all_of(
      ranks, [field](const RankDiff& rank) { return rank.presence != Presence::both || (rank.*field).follows_inputs; });
}

NumberDiff largest_diff(std::string_view name, DiffUnit unit, const std::vector<RankDiff>& ranks,
                        NumberDiff RankDiff::*field) {
  const BothSides sides = both_sides(ranks, field);
  NumberDiff diff = sides.diff(name, unit, [](RankBounds values) { return largest(values); });
  if (!diff.before || !diff.after) return diff;
  diff.follows_inputs = are_followed(ranks, field);
  if (const auto change = change_of_largest(ranks, field, sides)) narrow_change(diff, *change);
  return diff;
}

LargestRank largest_rank(const std::vector<RankDiff>& ranks) {
  LargestRank found;
  found.hbm = largest_diff("largest_hbm", DiffUnit::bytes, ranks, &RankDiff::hbm);
  const BothSides hbm = both_sides(ranks, &RankDiff::hbm);
  const auto candidates = [&](const Values& values, Presence not_there) {
    std::vector<int> numbers;
    if (!values) return numbers;
    const RankList list = at_largest(*values);
    std::size_t i = 0;
    for (const RankDiff& rank : ranks)
      if (rank.presence != not_there && list.may[i++]) numbers.push_back(rank.rank);
    return numbers;
  };
  found.before = candidates(hbm.before, Presence::added);
  found.after = candidates(hbm.after, Presence::dropped);
  return found;
}

std::vector<NumberDiff> plan_numbers(const DiffSide& base, const DiffSide& next, const std::vector<RankDiff>& ranks) {
  std::vector<NumberDiff> numbers;
  const auto add = [&](NumberDiff diff) {
    if (diff.before || diff.after) numbers.push_back(diff);
  };
  const auto count = [&](std::string_view name, Known before, Known after) {
    add(difference(name, DiffUnit::count, before, after));
  };
  count("world_size", world_size(base), world_size(next));
  count("batch_size", batch_size(base), batch_size(next));
  count("tables", tables(base), tables(next));
  const auto sum = [&](std::string_view name, NumberDiff RankDiff::*field, auto statistic, double parts) {
    NumberDiff diff = both_sides(ranks, field).diff(name, DiffUnit::bytes, statistic);
    diff.follows_inputs = are_followed(ranks, field);
    if (on_both_sides(ranks) && diff.before && diff.after)
      narrow_change(diff, change_of_sum(ranks, field) / exactly(parts));
    add(diff);
  };
  const auto sum_of_all = [](RankBounds values) { return sum_of(values); };
  const auto mean_of_all = [](RankBounds values) { return mean_of(values); };
  sum("total_hbm", &RankDiff::hbm, sum_of_all, 1);
  sum("total_ddr", &RankDiff::ddr, sum_of_all, 1);
  sum("mean_hbm", &RankDiff::hbm, mean_of_all, static_cast<double>(std::max<std::size_t>(ranks.size(), 1)));
  add(largest_diff("largest_perf", DiffUnit::ms, ranks, &RankDiff::perf));
  for (const PlanLine& line : kPlanLines) add(line_diff(base, next, line));
  return numbers;
}

// Of the largest rank, or why there is none.
using Headroom = std::variant<RealInterval, NoHeadroom>;

// `log`: the side itself, of a changed plan the one it was changed from. Devices that are alike in it stay so, however
// small they become; those of more ranks or fewer are alike in any case.
Headroom headroom_of(const DiffSide& log, const DiffSide& side, const Known& planning, const Known& largest) {
  if (!planning) return NoHeadroom::not_printed;
  if (planning->high <= 0 || !hbm_shares(side.printed, side.plan).counted) return NoHeadroom::not_counted;
  if (!largest) return NoHeadroom::ranks_unknown;
  if (planning_of_all(log.printed, log.plan) || planning_of_all(side.printed, side.plan)) return *planning - *largest;
  return capacities_differ(log.printed, log.plan) ? NoHeadroom::other_devices : NoHeadroom::contradicted;
}

Known take_headroom(const Headroom& headroom, NoHeadroom& why_not) {
  if (const auto* bytes = std::get_if<RealInterval>(&headroom)) return *bytes;
  why_not = std::get<NoHeadroom>(headroom);
  return std::nullopt;
}

void set_headroom(const DiffSide& base, const DiffSide& next, PlanDiff& diff) {
  const auto line = std::ranges::find(diff.numbers, "planning_hbm", &NumberDiff::name);
  const NumberDiff planning = line == diff.numbers.end() ? NumberDiff{} : *line;
  const NumberDiff& largest = diff.largest.hbm;
  const DiffSide& log = next.growth != nullptr ? base : next;
  const Known before = take_headroom(headroom_of(base, base, planning.before, largest.before), diff.no_headroom_before);
  const Known after = take_headroom(headroom_of(log, next, planning.after, largest.after), diff.no_headroom_after);
  diff.headroom = difference("headroom", DiffUnit::bytes, before, after);
  if (before && after && !planning.changed) {
    diff.headroom.changed = largest.changed;
    diff.headroom.follows_inputs = largest.follows_inputs;
    diff.headroom.change = RealInterval{} - largest.change;
  }
}

// ---- what is shown -------------------------------------------------------------------------------------------------

bool is_kept(const Filter& filter, const DiffSide& base, const DiffSide& next, const TablePair& pair) {
  const auto keeps = [&](const DiffSide& side, const std::optional<std::uint32_t>& index) {
    return index && filter.keeps_row(side.printed.tables.rows[*index]);
  };
  return keeps(base, pair.before) || keeps(next, pair.after);
}

// The largest change of memory first, of time where no memory changed. A side that is not there counts as none.
template <class Row>
void sort_by_change(std::vector<Row>& rows) {
  const auto size = [](const NumberDiff& n) {
    if (n.before && n.after) return n.changed ? magnitude(n.change) : 0;
    return magnitude(n.after ? *n.after : n.before.value_or(RealInterval{}));
  };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    const double x = size(a.hbm) + size(a.ddr), y = size(b.hbm) + size(b.ddr);
    if constexpr (requires { a.perf; })
      if (x == y) return size(a.perf) > size(b.perf);
    return x > y;
  });
}

template <class Row>
void keep_changed(std::vector<Row>& rows) {
  std::erase_if(rows, [](const Row& row) { return !row.changed(); });
}

NumberDiff total_hbm(const std::vector<NumberDiff>& numbers) {
  const auto total = std::ranges::find(numbers, "total_hbm", &NumberDiff::name);
  return total == numbers.end() ? NumberDiff{} : *total;
}

// Keeps the tables that changed and are asked for; counts or names the others. `may_differ`: equal inputs of a table do
// not mean that it is equal, too.
void take_tables(const DiffSide& base, const DiffSide& next, const Filter& filter, const std::vector<TablePair>& pairs,
                 std::vector<TableDiff> tables, bool may_differ, PlanDiff& diff) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool kept = is_kept(filter, base, next, pairs[i]);
    if (!tables[i].changed() && !kept)
      continue;
    else if (may_differ && tables[i].is_open())
      diff.open_tables.push_back(std::move(tables[i].fqn));
    else if (!tables[i].changed())
      ++diff.same_tables;
    else if (kept)
      diff.tables.push_back(std::move(tables[i]));
    else
      ++diff.hidden;
  }
}

// Leaves the ranks and kernels that changed and are asked for.
void choose_ranks_and_kernels(const Filter& filter, PlanDiff& diff) {
  for (const RankDiff& rank : diff.ranks)
    if (rank.is_open() && filter.keeps_rank(rank.rank)) diff.open_ranks.push_back(rank.rank);
  keep_changed(diff.ranks);
  keep_changed(diff.kernels);
  const std::size_t changed = diff.ranks.size() + diff.kernels.size();
  std::erase_if(diff.ranks, [&](const RankDiff& rank) { return !filter.keeps_rank(rank.rank); });
  std::erase_if(diff.kernels, [&](const KernelDiff& kernel) { return !filter.keeps_kernel(kernel.name); });
  diff.hidden += static_cast<std::int64_t>(changed - diff.ranks.size() - diff.kernels.size());
}

}  // namespace

}  // namespace analysis

bool KernelDiff::changed() const { return tables.changed || hbm.changed || ddr.changed || ssd.changed; }

bool PlanDiff::changed() const {
  const auto is_changed = [](const auto& x) { return x.changed; };
  return !causes.empty() || !assumptions.empty() || !tables.empty() || !ranks.empty() || !kernels.empty() ||
         hidden > 0 || largest.hbm.changed || headroom.changed || std::ranges::any_of(numbers, is_changed);
}

LimitStatus hold_against(const PlanDiff& diff, const IncreaseLimit& limit) {
  const NumberDiff& hbm = diff.largest.hbm;
  if (!hbm.before || !hbm.after) return LimitStatus::unknown;
  const auto most = [&](double base) { return limit.percent ? base * limit.amount / 100 : limit.amount; };
  if (hbm.change.low > most(hbm.before->high)) return LimitStatus::exceeded;
  // Values that print alike may differ all the same, unless nothing at all changed.
  const bool may_differ = diff.changed() || !diff.compares_all();
  const bool is_known = hbm.changed || hbm.change != RealInterval{};
  const double highest = is_known ? hbm.change.high : may_differ ? hbm.after->high - hbm.before->low : 0;
  return highest > most(hbm.before->low) ? LimitStatus::undecided : LimitStatus::kept;
}

PlanDiff diff_plans(const DiffSide& base, const DiffSide& next, const Filter& filter) {
  using namespace analysis;
  const std::vector<TablePair> pairs = pair_tables(base, next);
  WideInputs wide = wide_inputs(base, next, pairs);
  std::vector<TableDiff> tables;
  tables.reserve(pairs.size());
  for (const TablePair& pair : pairs)
    tables.push_back(table_diff(base, next, pair, table_inputs(base, next, pair, wide)));
  add_speed(base, next, pairs, tables, wide);
  PlanDiff diff;
  diff.releases_before = base.plan.releases;
  diff.releases_after = next.plan.releases;
  diff.kernels = kernel_diffs(base, next);
  const bool other_tables = has_other_tables(diff.kernels);
  const bool whole_plan = !wide.storage.empty() && !(pairs.empty() && other_tables);
  const bool lost_tables = are_tables_lost(base, next);
  diff.ranks = rank_diffs(base, next, pairs, tables, whole_plan, lost_tables);
  const bool all_ranks = knows_all_ranks(base.printed, base.plan) && knows_all_ranks(next.printed, next.plan);
  if (all_ranks) diff.largest = largest_rank(diff.ranks);
  diff.numbers = plan_numbers(base, next, all_ranks ? diff.ranks : std::vector<RankDiff>{});
  // Where rows are lost nobody knows which ranks are new or gone.
  if (!all_ranks) std::erase_if(diff.ranks, [](const RankDiff& rank) { return rank.presence != Presence::both; });
  set_headroom(base, next, diff);
  diff.causes = causes_of(wide, tables, total_hbm(diff.numbers), other_tables, lost_tables);
  // What a changed plan changes is stated, not found.
  if (next.growth == nullptr && base.plan.contradictions + next.plan.contradictions > 0)
    doubt_hidden_inputs(diff.causes);
  diff.assumptions = assumption_diffs(base, next, pairs);
  const bool may_differ = !wide.storage.empty() || !wide.speed.empty() || next.growth != nullptr;
  take_tables(base, next, filter, pairs, std::move(tables), may_differ, diff);
  diff.tables_printed = base.printed.tables.printed && next.printed.tables.printed;
  diff.not_compared = not_compared(base, next);
  choose_ranks_and_kernels(filter, diff);
  sort_by_change(diff.tables);
  sort_by_change(diff.ranks);
  sort_by_change(diff.kernels);
  return diff;
}

}  // namespace shardstats
