// The perf half of inference: bandwidths, multipliers, wire sizes and the perf of every shard. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

struct PerfResult {
  std::vector<PerfOutcome> outcomes;  // equally good ones
  bool gave_up = false;               // values of its own were not looked for
};
// With options.alternatives bounds cover all that fits, not only what is most likely.
PerfResult infer_perf(const PlanInputs& inputs, const SearchResult& found, const PerfInputs& perf,
                      const InferOptions& options);

}  // namespace shardstats::infer_detail
