// Departures of tables from the plan-wide values of a hypothesis.
#include <algorithm>
#include <functional>

#include "infer/sums.h"

namespace shardstats::infer_detail {

std::optional<Option> plan_wide_option(const TableInputs& table, const TableParts& parts, const Options& options,
                                       int pair) {
  const int wide = combo_index(plan_wide(table, pair));
  for (const Option option : options) {
    const Variant& variant = parts[option.variant].variant;
    if (option.combo == wide && variant.passes == 1 && !variant.virtual_table) return option;
  }
  return std::nullopt;
}

void Sums::list_wide_options() {
  wide_.assign(outcome_.tables.size(), std::nullopt);
  wide_bounds_ = bounds_;
  for (std::uint32_t t = 0; t < outcome_.tables.size(); ++t) {
    if (!has_choice_[t]) continue;
    const Options& options = outcome_.tables[t].options;
    wide_[t] = plan_wide_option(plan_.tables[t], (*outcome_.parts)[t], options, outcome_.pair);
    if (wide_[t]) set_sizes(t, *wide_[t], &wide_bounds_[lines_.values_of(t)]);
  }
}

void Sums::take_pair(int pair) {
  outcome_.pair = pair;
  list_wide_options();
}

// With every table at its plan-wide values that can have them.
RealInterval Sums::wide_sum(const SumLine& line) const {
  return sum_of(wide_bounds_, part_of(line), line.quantity) + constant_of(line);
}

std::uint64_t usual_departures(const PlanInputs& plan, const Outcome& outcome) {
  std::uint64_t once = 0, several = 0;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    const TableParts& parts = (*outcome.parts)[t];
    if (departures(plan.tables[t], outcome.tables[t], parts, outcome.pair) == 0) continue;
    const std::uint64_t combos = combos_of(outcome.tables[t].options);
    several |= once & combos;
    once |= combos;
  }
  return several;
}

Departures Sums::departures() const {
  Departures found;
  std::vector<RealInterval> wide;
  wide.reserve(outcome_.sums.size());
  for (const SumLine& line : outcome_.sums) wide.push_back(wide_sum(line));
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    const SumLine& line = outcome_.sums[l];
    if (line.of != SumOf::rank || line.contradicted) continue;
    const std::int64_t tables = departures_in(line, wide[l]);
    found.lines += tables > 0;
    if (tables <= found.tables) continue;
    found.tables = tables;
    found.line = l;
  }
  if (found.tables == 1 && !one_table_departs(wide)) found.tables = 2;
  return found;
}

void Sums::contradict(std::uint32_t l) {
  outcome_.sums[l].contradicted = true;
  settle();
  outcome_.sums[l].expected = wide_sum(outcome_.sums[l]);
}

std::int64_t Sums::departures_in(const SumLine& line, RealInterval sum) const {
  const double missing = std::max(line.printed.low - sum.high, sum.low - line.printed.high);
  if (missing <= 0) return 0;
  const bool upwards = line.printed.low > sum.high;
  std::vector<double> moves;  // how far each table can move the sum towards what is printed
  lines_.each_part(line, [&](Part part) {
    const RealInterval all = sum_of(bounds_, part, line.quantity), wide = sum_of(wide_bounds_, part, line.quantity);
    const double move = upwards ? all.high - wide.high : wide.low - all.low;
    if (move > 0) moves.push_back(move);
  });
  std::sort(moves.begin(), moves.end(), std::greater<>{});
  double moved = 0;
  std::int64_t tables = 0;
  for (const double move : moves) {
    if (moved >= missing) break;
    moved += move;
    ++tables;
  }
  return std::max<std::int64_t>(tables, 1);
}

bool Sums::are_usual(const Departures& found, std::uint64_t usual) const {
  const SumLine& line = outcome_.sums[found.line];
  // Memory is printed too coarsely to show small tables; the columns of input and output are not.
  if (line.quantity > Quantity::ddr) return false;
  RealInterval sum = wide_sum(line);
  lines_.each_part(line, [&](Part part) {
    const auto& own = wide_[part.table];
    if (!own) return;
    const RealInterval wide = bytes(part, *own, line.quantity);
    RealInterval reached = wide;
    for (const Option option : outcome_.tables[part.table].options)
      if ((usual >> option.combo & 1) != 0) reached = hull(reached, bytes(part, option, line.quantity));
    sum = {sum.low + std::min(reached.low - wide.low, 0.0), sum.high + std::max(reached.high - wide.high, 0.0)};
  });
  return sum.overlaps(line.printed);
}

// Is there one table that, departing alone from the plan-wide values, brings all sums to what is printed?
bool Sums::one_table_departs(const std::vector<RealInterval>& wide) const {
  std::vector<char> by_line(outcome_.sums.size());
  std::ptrdiff_t disagreeing = 0;
  std::uint32_t disagreeing_line = 0;  // any of them
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    by_line[l] = !outcome_.sums[l].contradicted && !wide[l].overlaps(outcome_.sums[l].printed);
    if (by_line[l]) disagreeing_line = l, ++disagreeing;
  }
  const auto disagrees = [&](std::uint32_t l) { return by_line[l] != 0; };
  if (disagreeing == 0) return false;
  const auto stands_in_all = [&](std::uint32_t t) {
    std::ptrdiff_t lines = 0;
    lines_.each_line_of(t, [&](std::uint32_t l, Part) { lines += disagrees(l); });
    return lines == disagreeing;
  };
  bool found = false;
  lines_.each_part(outcome_.sums[disagreeing_line], [&](Part part) {
    const std::uint32_t t = part.table;
    if (found || !wide_[t] || !stands_in_all(t)) return;
    found = std::ranges::any_of(outcome_.tables[t].options, [&](Option option) {
      return option.combo != wide_[t]->combo && explains(t, option, wide, disagrees) &&
             explains(t, option, wide, std::not_fn(disagrees));
    });
  });
  return found;
}

// Does the table with another option bring those of its sums to what is printed that are wanted?
template <class Wanted>
bool Sums::explains(std::uint32_t t, Option to, const std::vector<RealInterval>& wide, Wanted wanted) const {
  bool all = true;
  lines_.each_line_of(t, [&](std::uint32_t l, Part part) {
    const SumLine& line = outcome_.sums[l];
    if (!all || line.contradicted || !wanted(l)) return;
    const RealInterval others = without(wide[l], bytes(part, *wide_[t], line.quantity));
    all = (others + bytes(part, to, line.quantity)).overlaps(line.printed);
  });
  return all;
}

}  // namespace shardstats::infer_detail
