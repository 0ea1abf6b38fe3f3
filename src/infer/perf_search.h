// The perf half of inference: bandwidths, multipliers, wire sizes and the perf of every shard. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

// Fills in the perf of plan.tables and plan.ranks and plan.perf; returns the outcomes behind it, equally good ones.
// With options.alternatives bounds cover all that fits, not only what is most likely.
std::vector<PerfOutcome> infer_perf(const PlanInputs& inputs, const SearchResult& found, const PerfInputs& perf,
                                    const InferOptions& options, Plan& plan);

}  // namespace shardstats::infer_detail
