// The storage of a rebuilt plan once more, as it is and with a change: the formulas of planner/storage.h over the
// operands that inference found (PlanTable::facts). Private to src/analysis.
// Tested by tests/analysis/summary_test.cc.
#pragma once

#include <string>
#include <vector>

#include "shardstats/infer/plan.h"

namespace shardstats::analysis {

ShardStorage<RealInterval> storage_of(const Setting& setting, const TableFacts<RealInterval>& facts,
                                      const PlanShard& shard);

// The operands of a table that its printed storage allows under a setting: indices into PlanTable::facts. Never empty.
std::vector<std::size_t> possible_facts(const Plan& plan, const PlanTable& table, const Setting& setting);

// A change to the run that keeps each shard on its rank, or spreads one table over all ranks.
struct StandardChange {
  std::string assignment;
  std::vector<RealInterval> fall;  // of each rank's HBM, bytes; negative: it takes more
};

// Some changes that are often tried: half the batch, smaller weights, a leaner optimizer or pipeline, the largest table
// of rank `peak` in host memory or split by rows. Those that cannot be made or change nothing are left out; all are, if
// a table is not rebuilt.
std::vector<StandardChange> standard_changes(const PrintedPlan& printed, const Plan& plan, int peak);

}  // namespace shardstats::analysis
