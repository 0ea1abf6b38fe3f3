// Which one printed word or row, if wrong, explains most findings: its correction is tried on the whole block.
// Tested by tests/analysis/culprits_test.cc.
#pragma once

#include <optional>

#include "shardstats/analysis/verify.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

struct FoundCulprits {
  bool explain_all = false;  // a correction leaves no error, or rank rows are missing, so that none can be tried
  std::optional<PrintedPlan> corrected;  // where one correction alone leaves no error
};

// Puts the culprit, if there is one, first among the suspects of every finding that its correction removes.
// Rows printed twice, missing rank rows, a wrong sharding type, list of ranks or batch size are looked for; without
// `structure_only` also the inputs of a table and memory that misleads.
FoundCulprits find_culprits(const PrintedPlan& printed, const Plan& plan, const InferOptions& options, Report& report,
                            bool structure_only = false);

// Can find_culprits() with `structure_only` find anything? Asks for no perf.
bool may_have_wrong_structure(const PrintedPlan& printed, const Plan& plan, const InferOptions& options);

}  // namespace shardstats
