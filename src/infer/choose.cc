#include "infer/choose.h"

#include <algorithm>

namespace shardstats::infer_detail {
namespace {

Choice choice_of(const Setting& setting, const TableInputs& table, const Variant& variant, Combo combo) {
  return {.element_size = element_bytes(combo.element),
          .output_element_size = kOutputSizes[output_of(setting, combo)],
          .optimizer = kOptimizers[static_cast<std::size_t>(combo.optimizer)],
          .virtual_table = variant.virtual_table,
          .passes = variant.passes,
          .caching_ratio = ratio_of(setting, table, variant)};
}

// What the perf half takes, then the plan-wide values where the log allows them; else what departs least.
int departure(const Option option, const TableState& state, const Combo wide, const Parts& parts) {
  const Combo combo = combo_of(option.combo);
  return 16 * (combo.element != state.perf_element.value_or(combo.element)) + 8 * (combo.element != wide.element) +
         4 * (combo.output != combo.element) + 2 * (combo.optimizer != wide.optimizer) + (parts.variant.passes != 1);
}

}  // namespace

std::size_t least_departing_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  const Options& options = outcome.tables[t].options;
  const Combo wide = plan_wide(plan.tables[t], outcome.pair);
  const TableParts& parts = (*outcome.parts)[t];
  std::size_t preferred = 0;
  std::optional<int> least;
  for (std::size_t i = 0; i < options.size() && least != 0; ++i) {
    const int own = departure(options[i], outcome.tables[t], wide, parts[options[i].variant]);
    if (least && own >= *least) continue;
    least = own;
    preferred = i;
  }
  return preferred;
}

void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
            PlanTable& table) {
  const Outcome& best = found.survivors.front().outcome;
  const auto& parts = (*best.parts)[t];
  const Options& left = best.tables[t].options;
  const Option* const preferred = left.begin() + preferred_option(plan, best, t);
  const Parts& own = parts[preferred->variant];
  const Combo combo = combo_of(preferred->combo);
  table.alternatives.clear();
  table.facts.clear();
  table.choice = choice_of(best.setting, plan.tables[t], own.variant, combo);
  if (options.shard_parts)
    table.facts.push_back(facts_of(best.setting, plan.tables[t], own.variant, own.lookups, combo));
  if (!options.alternatives) return;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    for (const Option& option : outcome.tables[t].options) {
      if (&option == preferred) continue;
      const Parts& p = (*outcome.parts)[t][option.variant];
      const Choice choice = choice_of(outcome.setting, plan.tables[t], p.variant, combo_of(option.combo));
      const auto same = [&](const Choice& c) { return c == choice; };
      if (choice == table.choice || std::any_of(table.alternatives.begin(), table.alternatives.end(), same)) continue;
      table.alternatives.push_back(choice);
    }
  }
}

}  // namespace shardstats::infer_detail
