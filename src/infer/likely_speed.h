// Bandwidths and multipliers of the likeliest explanation (likely_base.h): one value of each, where the log's perf
// leaves bounds (perf-model.md section 4). Private to src/infer.
#pragma once

#include <vector>

#include "infer/likely_table.h"

namespace shardstats::infer_detail {

// Sets those of `h`, a hypothesis of that outcome, such that together they contradict no more of the log than their
// bounds do: the default if it can be, else what the fit of the log's numbers was made around.
void settle_speed(const Inference& base, const PerfOutcome& outcome, PerfHypothesis& h);

// Moves those bandwidths so that the perf of tables and ranks is what the log prints. `tables` rest on `h`.
void settle_bandwidths(const Inference& base, const PerfOutcome& outcome, const std::vector<LikelyTable>& tables,
                       PerfHypothesis& h);

}  // namespace shardstats::infer_detail
