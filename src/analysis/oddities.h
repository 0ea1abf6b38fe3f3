// What a summary points out although it is no error. Private to src/analysis.
#pragma once

#include <vector>

#include "shardstats/analysis/summary.h"

namespace shardstats::analysis {

// `memory`: of the same plan; sequence tables are looked for on its peak rank.
std::vector<Oddity> find_oddities(const PrintedPlan& printed, const Plan& plan, const MemorySummary& memory);

}  // namespace shardstats::analysis
