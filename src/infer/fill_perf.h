// Fills the plan with the perf that was found. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

// What the printed cells of ranks alone say.
void fill_printed_ranks(const PerfInputs& perf, Plan& plan);

// `outcomes`: equally good ones, at least one.
void fill_perf(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
               bool alternatives, Plan& plan);

}  // namespace shardstats::infer_detail
