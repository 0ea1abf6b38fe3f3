// Bounds of S and y of every table (storage-model.md section 3.2) that its printed perf leaves. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

// Of those that the storage half leaves, over all of `outcomes`, which are taken to be right. Empty bounds stand for a
// table that cannot be rebuilt. Tested by tests/infer/narrow_by_perf_test.cc.
std::vector<Lookups> lookups_by_perf(const PlanInputs& plan, const PerfInputs& perf, const Outcome& storage,
                                     const std::vector<const PerfOutcome*>& outcomes);

}  // namespace shardstats::infer_detail
