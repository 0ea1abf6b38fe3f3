// verify: is every printed number what the planner's formulas give?
//
//   PrintedPlan + Plan -> Report { findings, coverage }
//
// Compares, and reports, nothing else: the formulas were evaluated by infer(), so that a finding never rests on the
// number it disputes. The plan that it takes to say which numbers are wrong is looked for by verification.h. Tested by
// tests/analysis/verify_test.cc and, on genuine logs, tests/analysis/corpus_test.cc.
#pragma once

#include <string>
#include <vector>

#include "shardstats/analysis/findings.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

struct Report {
  std::vector<Finding> findings;  // in the order of the log
  Coverage coverage;
  std::vector<const Rule*> checked;  // rules that had something to compare, in the order of the table
  std::vector<std::string> remarks;  // sentences on the whole block: unknown release, storage that nothing explains
};

Report verify(const PrintedPlan& printed, const Plan& plan);

// Does the block print what no known release does?
bool has_unknown_layout(const Report& report);

}  // namespace shardstats
