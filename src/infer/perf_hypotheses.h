// The perf hypotheses that the storage half leaves. Private to src/infer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

// What hosts mostly have of ranks, likely ones first.
inline constexpr std::array<std::int64_t, 5> kUsualLocalSizes = {8, 4, 2, 16, 1};

// Those that can differ in perf on this log, most likely first, with default bandwidths. `usual_only`: without sizes
// of hosts that are seldom.
std::vector<PerfHypothesis> hypotheses_of(const PlanInputs& plan, const SearchResult& found, bool usual_only);

}  // namespace shardstats::infer_detail
