// The perf hypotheses that the storage half leaves. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

// Those that can differ in perf on this log, most likely first, with default bandwidths.
std::vector<PerfHypothesis> hypotheses_of(const PlanInputs& plan, const SearchResult& found);

}  // namespace shardstats::infer_detail
