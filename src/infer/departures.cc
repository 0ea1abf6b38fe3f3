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
  for (std::uint32_t t = 0; t < outcome_.tables.size(); ++t)
    if (const Options& options = outcome_.tables[t].options; options.size() > 1)
      wide_[t] = plan_wide_option(plan_.tables[t], (*outcome_.parts)[t], options, outcome_.pair);
}

// With the table at its plan-wide values where it can have them.
RealInterval Sums::wide_bytes(Part part, Quantity quantity) const {
  const auto& option = wide_[part.table];
  return option ? bytes(part, *option, quantity) : bounds(part, quantity);
}

RealInterval Sums::wide_sum(const SumLine& line) const {
  RealInterval sum = constant_of(line);
  lines_.each_part(line, [&](Part part) { sum = sum + wide_bytes(part, line.quantity); });
  return sum;
}

Departures Sums::departures() const {
  Departures found;
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    const SumLine& line = outcome_.sums[l];
    if (line.of != SumOf::rank || line.contradicted) continue;
    const std::int64_t tables = departures_in(line);
    found.lines += tables > 0;
    if (tables <= found.tables) continue;
    found.tables = tables;
    found.line = l;
  }
  if (found.tables == 1 && !one_table_departs()) found.tables = 2;
  return found;
}

void Sums::contradict(std::uint32_t l) {
  outcome_.sums[l].contradicted = true;
  settle();
  outcome_.sums[l].expected = wide_sum(outcome_.sums[l]);
}

std::int64_t Sums::departures_in(const SumLine& line) const {
  const RealInterval sum = wide_sum(line);
  const double missing = std::max(line.printed.low - sum.high, sum.low - line.printed.high);
  if (missing <= 0) return 0;
  const bool upwards = line.printed.low > sum.high;
  std::vector<double> moves;  // how far each table can move the sum towards what is printed
  lines_.each_part(line, [&](Part part) {
    const RealInterval all = bounds(part, line.quantity), wide = wide_bytes(part, line.quantity);
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

// Is there one table that, departing alone from the plan-wide values, brings all sums to what is printed?
bool Sums::one_table_departs() const {
  std::vector<RealInterval> wide;
  const auto disagrees = [&](std::uint32_t l) {
    return !outcome_.sums[l].contradicted && !wide[l].overlaps(outcome_.sums[l].printed);
  };
  std::ptrdiff_t disagreeing = 0;
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    wide.push_back(wide_sum(outcome_.sums[l]));
    disagreeing += disagrees(l);
  }
  for (std::uint32_t t = 0; t < outcome_.tables.size(); ++t) {
    if (!wide_[t] || std::ranges::count_if(lines_.places_of(t), disagrees, &Place::line) < disagreeing) continue;
    for (const Option option : outcome_.tables[t].options)
      if (option.combo != wide_[t]->combo && explains(t, option, wide, disagrees) &&
          explains(t, option, wide, std::not_fn(disagrees)))
        return true;
  }
  return false;
}

// Does the table with another option bring those of its sums to what is printed that are wanted?
template <class Wanted>
bool Sums::explains(std::uint32_t t, Option to, const std::vector<RealInterval>& wide, Wanted wanted) const {
  return std::ranges::all_of(lines_.places_of(t), [&](const Place& place) {
    const SumLine& line = outcome_.sums[place.line];
    if (line.contradicted || !wanted(place.line)) return true;
    const RealInterval others = without(wide[place.line], bytes(place.part, *wide_[t], line.quantity));
    return (others + bytes(place.part, to, line.quantity)).overlaps(line.printed);
  });
}

}  // namespace shardstats::infer_detail
