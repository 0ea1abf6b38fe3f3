#include "infer/element_sizes.h"

#include <algorithm>
#include <functional>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

std::uint32_t elements_of(const PerfHypothesis& h, std::uint32_t t) {
  return elements_of(h.outcome->tables[t].options);
}

std::uint32_t elements_by_cells(const PerfHypothesis& h, const PlanInputs& plan, std::uint32_t t) {
  const Outcome& outcome = *h.outcome;
  const TableInputs& table = plan.tables[t];
  const Parts& own = (*outcome.parts)[t].front();
  const std::uint64_t possible = possible_combos(outcome.setting, table, true);
  const Parts parts = make_parts(outcome.setting, table, own.variant, outcome.rows, possible, &own.lookups);
  std::uint32_t elements = 0;
  const auto add = [&](int combo) { elements |= 1u << combo_of(combo).element; };
  const WrongCells& wrong = outcome.tables[t].contradicted;
  if (count(wrong) == 0) {
    each_bit(fitting_combos(outcome.setting, table, parts, possible), add);
  } else {
    const CellTest contradicted(outcome.setting, table, parts);
    each_bit(possible, [&](int combo) {
      if (std::ranges::equal(contradicted(combo_of(combo)), wrong, std::less_equal{})) add(combo);
    });
  }
  return elements;
}

std::uint32_t CellElements::of(const PerfHypothesis& h, std::uint32_t t) {
  const auto [found, is_new] = found_.try_emplace({h.outcome, t}, 0);
  if (is_new) found->second = elements_by_cells(h, plan_, t);
  return found->second;
}

}  // namespace shardstats::infer_detail
