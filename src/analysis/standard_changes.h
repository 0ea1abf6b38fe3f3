// Changes of the run that are often tried. Private to src/analysis.
// Tested by tests/analysis/summary_test.cc.
#pragma once

#include <vector>

#include "shardstats/infer/what_if.h"

namespace shardstats::analysis {

// Half the batch, smaller weights, a leaner optimizer or pipeline, the largest table of rank `peak` in host memory or
// split by rows; `text` is the assignment as a user would write it. Those that would change nothing are left out; all
// are, if a table is not rebuilt.
std::vector<Change> standard_changes(const PrintedPlan& printed, const Plan& plan, int peak);

}  // namespace shardstats::analysis
