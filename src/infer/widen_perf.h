// Bounds of perf that cover all which explains a log, not only what is likeliest. Private to src/infer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

inline constexpr int kRefits = 3;  // rounds in which fits lead to other fits

// The element sizes that explain each table best; by table, a bit each.
std::shared_ptr<const std::vector<std::uint32_t>> best_sizes(const PlanInputs& plan, const PerfInputs& perf,
                                                             const PerfOutcome& outcome);

// A default that fits everything is believed; where the log leaves a bandwidth open, its bounds say so. Where values of
// their own that were fitted explain the log as well, returns what they do.
std::optional<PerfOutcome> widen_by_fit(const PlanInputs& plan, const PerfInputs& perf, PerfEvaluation& evaluation,
                                        PerfOutcome& outcome);

// Values of its own were fitted with the likeliest size of each table. Where others explain the table as well, bounds
// cover what these lead to.
void widen_by_sizes(const PlanInputs& plan, const PerfInputs& perf, PerfEvaluation& evaluation, PerfOutcome& outcome);

}  // namespace shardstats::infer_detail
