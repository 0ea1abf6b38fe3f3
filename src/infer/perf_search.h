// The perf half of inference: bandwidths, multipliers, wire sizes and the perf of every shard. Private to src/infer.
#pragma once

#include "infer/search.h"

namespace shardstats::infer_detail {

// Fills in the perf of plan.tables and plan.ranks and plan.perf. With options.alternatives bounds cover all that fits,
// not only what is most likely.
void infer_perf(const PlanInputs& inputs, const SearchResult& found, const InferOptions& options, Plan& plan);

}  // namespace shardstats::infer_detail
