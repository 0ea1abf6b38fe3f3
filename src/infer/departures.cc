#include "infer/departures.h"

#include <algorithm>
#include <functional>

#include "infer/shard_totals.h"
#include "infer/sum_constants.h"

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

void OwnDeparturesCount::add(const TableInputs& table, const TableState& state, const TableParts& parts, int pair) {
  const int values = departures(table, state, parts, pair);
  if (values == 0) return;
  found_.values += values;
  const std::uint64_t combos = combos_of(state.options);
  found_.usual |= once_ & combos;
  once_ |= combos;
}

OwnDepartures own_departures(const PlanInputs& plan, const Outcome& outcome) {
  OwnDeparturesCount count;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t)
    count.add(plan.tables[t], outcome.tables[t], (*outcome.parts)[t], outcome.pair);
  return count.found();
}

bool has_unlikely_table(const PlanInputs& plan, const Outcome& outcome) {
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    const Options& options = outcome.tables[t].options;
    const Combo wide = plan_wide(plan.tables[t], outcome.pair);
    const auto is_likely = [&](Option option) {
      const Combo own = combo_of(option.combo);
      const bool same_output = own.output == wide.output;
      if (!same_output && kOutputSizes[static_cast<std::size_t>(own.output)] < 1) return false;
      return own.optimizer == wide.optimizer || (own.element == wide.element && same_output);
    };
    if (options.size() > 0 && std::ranges::none_of(options, is_likely)) return true;
  }
  return false;
}

namespace {

std::vector<std::optional<Option>> plan_wide_options(const PlanInputs& plan, const Outcome& outcome) {
  std::vector<std::optional<Option>> wide(outcome.tables.size());
  for (std::uint32_t t = 0; t < wide.size(); ++t) {
    const Options& options = outcome.tables[t].options;
    if (options.size() > 1) wide[t] = plan_wide_option(plan.tables[t], (*outcome.parts)[t], options, outcome.pair);
  }
  return wide;
}

}  // namespace

PlanWideSums::PlanWideSums(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds)
    : plan_(plan),
      outcome_(outcome),
      lines_(*outcome.lines),
      bounds_(bounds),
      wide_(plan_wide_options(plan, outcome)),
      values_(bounds.values_with(wide_)) {}

RealInterval PlanWideSums::of(const SumLine& line) const {
  return lines_.sum_of(values_, line) + constant_of(plan_, outcome_, line);
}

std::vector<RealInterval> PlanWideSums::all() const {
  std::vector<RealInterval> all;
  all.reserve(outcome_.sums.size());
  ShardTotals totals(lines_, values_);
  for (const SumLine& line : outcome_.sums) all.push_back(totals.of(line) + constant_of(plan_, outcome_, line));
  return all;
}

bool PlanWideSums::agree() const {
  const std::vector<RealInterval> wide = all();
  for (std::size_t l = 0; l < wide.size(); ++l)
    if (const SumLine& line = outcome_.sums[l]; !line.contradicted && !wide[l].overlaps(line.printed)) return false;
  return true;
}

Departures PlanWideSums::departures() const {
  Departures found;
  const std::vector<RealInterval> wide = all();
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

std::vector<std::uint32_t> PlanWideSums::furthest_off(std::size_t most) const {
  const std::vector<RealInterval> wide = all();
  std::vector<std::pair<double, std::uint32_t>> off;
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    const SumLine& line = outcome_.sums[l];
    const double distance = line.of == SumOf::rank ? apart(wide[l], line.printed) : 0;
    if (distance > 0) off.emplace_back(-distance / std::max(line.printed.high, 1.0), l);
  }
  std::ranges::sort(off);
  if (off.size() > most) off.resize(most);
  std::vector<std::uint32_t> lines;
  for (const auto& [distance, l] : off) lines.push_back(l);
  return lines;
}

std::int64_t PlanWideSums::departures_in(const SumLine& line, RealInterval sum) const {
  const double missing = std::max(line.printed.low - sum.high, sum.low - line.printed.high);
  if (missing <= 0) return 0;
  const bool upwards = line.printed.low > sum.high;
  std::vector<double> moves;  // how far each table can move the sum towards what is printed
  lines_.each_part(line, [&](Part part) {
    const RealInterval all = bounds_.sum_of(part, line.quantity), wide = lines_.sum_of(values_, part, line.quantity);
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

bool PlanWideSums::are_usual(const Departures& found, std::uint64_t usual) const {
  const SumLine& line = outcome_.sums[found.line];
  // Memory is printed too coarsely to show small tables; the columns of input and output are not.
  if (line.quantity > Quantity::ddr) return false;
  RealInterval sum = of(line);
  lines_.each_part(line, [&](Part part) {
    const auto& own = wide_[part.table];
    if (!own) return;
    const RealInterval wide = bounds_.bytes(part, *own, line.quantity);
    RealInterval reached = wide;
    for (const Option option : outcome_.tables[part.table].options)
      if ((usual >> option.combo & 1) != 0) reached = hull(reached, bounds_.bytes(part, option, line.quantity));
    sum = {sum.low + std::min(reached.low - wide.low, 0.0), sum.high + std::max(reached.high - wide.high, 0.0)};
  });
  return sum.overlaps(line.printed);
}

// Is there one table that, departing alone from the plan-wide values, brings all sums to what is printed?
bool PlanWideSums::one_table_departs(const std::vector<RealInterval>& wide) const {
  std::vector<std::uint32_t> disagreeing;                      // lines
  std::vector<std::size_t> stands_in(outcome_.tables.size());  // by table: so many of them
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    const SumLine& line = outcome_.sums[l];
    if (line.contradicted || wide[l].overlaps(line.printed)) continue;
    disagreeing.push_back(l);
    lines_.each_part(line, [&](Part part) { ++stands_in[part.table]; });
  }
  if (disagreeing.empty()) return false;
  for (std::uint32_t t = 0; t < stands_in.size(); ++t) {
    if (stands_in[t] != disagreeing.size() || !wide_[t]) continue;
    const auto explains_all = [&](Option option) {
      return option.combo != wide_[t]->combo && explains(t, option, wide, disagreeing);
    };
    if (std::ranges::any_of(outcome_.tables[t].options, explains_all)) return true;
  }
  return false;
}

// Does the table with another option bring all of its sums to what is printed? It stands in all that disagree.
bool PlanWideSums::explains(std::uint32_t t, Option to, const std::vector<RealInterval>& wide,
                            const std::vector<std::uint32_t>& disagreeing) const {
  const auto fits = [&](std::uint32_t l, Part part) {
    const SumLine& line = outcome_.sums[l];
    if (line.contradicted) return true;
    const RealInterval others = without(wide[l], bounds_.bytes(part, *wide_[t], line.quantity));
    return (others + bounds_.bytes(part, to, line.quantity)).overlaps(line.printed);
  };
  // Most tables fail at the first of these.
  const auto agrees = [&](std::uint32_t l) { return fits(l, lines_.part_of(outcome_.sums[l], t)); };
  return std::ranges::all_of(disagreeing, agrees) && lines_.all_lines_of(t, fits);
}

}  // namespace shardstats::infer_detail
