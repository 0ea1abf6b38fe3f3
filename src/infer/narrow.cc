// Hidden real numbers of a table (S, y, caching ratio) lie where the printed cells put them. All sizes grow with each
// of them, so bounds are found by bisection over the formulas themselves, with no inverse formula to keep in step.

#include <algorithm>
#include <cmath>

#include "infer/outermost.h"
#include "infer/rebuild.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kSteps = 48;            // of a bisection
constexpr double kWideEnough = 1e-7;  // relative width from which narrowing is worth it
constexpr int kColumnRounds = 3;

bool is_wide_range(RealInterval x) { return x.high - x.low > kWideEnough * std::max(x.high, 1e-300); }

// Where the printed cells say that the sizes lie, for the option that fits best.
class Squeeze {
 public:
  Squeeze(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t)
      : table_(plan.tables[t]), outcome_(outcome), state_(outcome.tables[t]), t_(t) {}

  // Bounds of x; `at(variant's parts, x)` makes the parts for one value of it.
  template <class At>
  RealInterval bounds(RealInterval x, At at) const {
    return {edge(x, at, true), edge(x, at, false)};
  }

 private:
  // Do all options put the sizes beyond the printed cells on that side?
  template <class At>
  bool beyond(double value, At at, bool too_low) const {
    const TableParts& variants = (*outcome_.parts)[t_];
    std::vector<std::optional<Parts>> made(variants.size());
    for (const Option option : state_.options) {
      auto& parts = made[option.variant];
      if (!parts) parts = at(variants[option.variant], value);
      if (!option_beyond(*parts, combo_of(option.combo), too_low)) return false;
    }
    return true;
  }

  bool option_beyond(const Parts& parts, Combo combo, bool too_low) const {
    for (const Quantity quantity : kCells) {
      const auto& cell = table_.cells[at(quantity)];
      if (!cell || state_.contradicted[at(quantity)]) continue;
      const RealInterval bytes = table_bytes(outcome_.setting, table_, parts, combo, quantity), printed = real(*cell);
      if (too_low ? bytes.high < printed.low : bytes.low > printed.high) return true;
    }
    return false;
  }

  template <class At>
  double edge(RealInterval x, At at, bool lower) const {
    return outermost(x, lower, kSteps, [&](double value) { return beyond(value, at, lower); });
  }

  const TableInputs& table_;
  const Outcome& outcome_;
  const TableState& state_;
  std::uint32_t t_;
};

class Narrowing {
 public:
  Narrowing(const PlanInputs& plan, Outcome& outcome)
      : plan_(plan), outcome_(outcome), parts_(std::make_shared<std::vector<TableParts>>(*outcome.parts)) {
    outcome_.parts = parts_;
  }

  void by_columns() {
    for (int round = 0; round < kColumnRounds; ++round)
      if (!take(lookups_by_columns(plan_, outcome_))) break;
  }

  // Gives each table these S and y, unless its cells deny them; true: some are new.
  bool take(const std::vector<Lookups>& lookups) {
    bool changed = false;
    for (std::uint32_t t = 0; t < lookups.size(); ++t) {
      if ((*parts_)[t].empty()) continue;
      const Lookups before = (*parts_)[t].front().lookups;
      if (lookups[t] == before) continue;
      remake(t, lookups[t], std::nullopt);
      const bool fits = keep_fitting(t) || take_own_values(t, lookups[t]);
      if (!fits) remake(t, before, std::nullopt);
      changed = changed || fits;
    }
    return changed;
  }

  void by_cells(std::uint32_t t) {
    if (outcome_.tables[t].options.empty()) return;
    const Squeeze squeeze(plan_, outcome_, t);
    const Parts& first = (*parts_)[t].front();
    Lookups lookups = first.lookups;
    if (is_wide_range(lookups.lookups))
      lookups.lookups = squeeze.bounds(lookups.lookups, [&](const Parts& parts, double x) {
        return remade(t, parts, {exactly(x), lookups.pooled}, std::nullopt);
      });
    if (is_wide_range(lookups.pooled))
      lookups.pooled = squeeze.bounds(lookups.pooled, [&](const Parts& parts, double x) {
        return remade(t, parts, {lookups.lookups, exactly(x)}, std::nullopt);
      });
    std::optional<RealInterval> ratio;
    if (first.variant.free_ratio)
      ratio = squeeze.bounds(first.variant.ratio,
                             [&](const Parts& parts, double x) { return remade(t, parts, lookups, exactly(x)); });
    if (ratio || lookups != first.lookups) remake(t, lookups, ratio);
  }

 private:
  Parts remade(std::uint32_t t, const Parts& parts, const Lookups& lookups, std::optional<RealInterval> ratio) const {
    Variant variant = parts.variant;
    if (ratio) variant.ratio = *ratio;
    const std::uint64_t combos = combos_of(outcome_.tables[t].options);
    return make_parts(outcome_.setting, plan_.tables[t], variant, outcome_.rows, combos, &lookups);
  }

  void remake(std::uint32_t t, const Lookups& lookups, std::optional<RealInterval> ratio) {
    for (Parts& parts : (*parts_)[t]) parts = remade(t, parts, lookups, ratio);
  }

  // Removes the options that contradict other cells than before, but not where columns may be wrong; false: all do, and
  // stay.
  bool keep_fitting(std::uint32_t t) {
    TableState& state = outcome_.tables[t];
    const auto fits = [&](Option option) {
      const Parts& parts = (*parts_)[t][option.variant];
      return contradicted_cells(outcome_.setting, plan_.tables[t], parts, combo_of(option.combo)) == state.contradicted;
    };
    if (std::ranges::none_of(state.options, fits)) return false;
    if (outcome_.contradictions == 0) state.options.erase_if([&](Option option) { return !fits(option); });
    return true;
  }

  // The columns count a table's element size, its own cells may count another output type.
  bool take_own_values(std::uint32_t t, const Lookups& lookups) {
    if (count(outcome_.tables[t].contradicted) > 0) return false;
    const TableInputs& table = plan_.tables[t];
    const std::uint64_t possible = possible_combos(outcome_.setting, table, true);
    const std::uint32_t elements = elements_of(outcome_.tables[t].options);
    Options own;
    std::uint8_t v = 0;
    for (Parts& parts : (*parts_)[t]) {
      parts = make_parts(outcome_.setting, table, parts.variant, outcome_.rows, possible, &lookups);
      each_bit(fitting_combos(outcome_.setting, table, parts, possible), [&](int combo) {
        if ((elements >> combo_of(combo).element & 1) != 0) own.push_back({v, static_cast<std::uint8_t>(combo)});
      });
      ++v;
    }
    if (own.empty()) return false;
    outcome_.tables[t].options = std::move(own);
    return true;
  }

  const PlanInputs& plan_;
  Outcome& outcome_;
  std::shared_ptr<std::vector<TableParts>> parts_;
};

}  // namespace

bool take_lookups(const PlanInputs& plan, const std::vector<Lookups>& lookups, Outcome& outcome) {
  return Narrowing(plan, outcome).take(lookups);
}

void narrow_hidden(const PlanInputs& plan, Outcome& outcome) {
  Narrowing narrowing(plan, outcome);
  narrowing.by_columns();
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) narrowing.by_cells(t);
}

}  // namespace shardstats::infer_detail
