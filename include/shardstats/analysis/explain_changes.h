// explain on a changed plan: which numbers are others than in the log.
// Tested by tests/analysis/explain_changes_test.cc.
#pragma once

#include <vector>

#include "shardstats/analysis/explain.h"

namespace shardstats {

// Sets `was` of every step and operand of `changed` that has another value in the explanation of the log, and the
// places of cells that the log has as well; the others lose theirs.
void mark_changes(const std::vector<Explained>& log, std::vector<Explained>& changed);

}  // namespace shardstats
