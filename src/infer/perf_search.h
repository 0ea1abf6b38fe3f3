// The perf half of inference: bandwidths, multipliers, wire sizes and the perf of every shard. Private to src/infer.
#pragma once

#include "infer/search.h"

namespace shardstats::infer_detail {

// Fills in the perf of plan.tables and plan.ranks and plan.perf. `alternatives`: bounds cover all that fits, not only
// what is most likely.
void infer_perf(const PlanInputs& inputs, const SearchResult& found, bool alternatives, Plan& plan);

}  // namespace shardstats::infer_detail
