// What is taken to be hidden about a table where the log leaves several options. Private to src/infer.
#pragma once

#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// The option of a table that departs least from the plan-wide values: an index into its options.
std::size_t least_departing_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t);
inline std::size_t preferred_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  return outcome.tables[t].options.size() == 1 ? 0 : least_departing_option(plan, outcome, t);
}

// Fills in what is taken to be hidden about a table, the alternatives to that, and the facts behind both.
void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
            PlanTable& table);

}  // namespace shardstats::infer_detail
