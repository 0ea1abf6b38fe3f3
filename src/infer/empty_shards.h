// What a rank can hold where shards of unknown rows may be empty. Private to src/infer.
#pragma once

#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// A shard without rows has no input and no output, any other one all of its own, however many rows it has
// (storage-model.md section 3.3): between the two lie no sums, though bounds of the shard cover all of it. Contradicts
// the Input and Output cells that no choice of empty shards gives under any of the survivors.
void check_empty_shards(const PlanInputs& plan, const SearchResult& found, Plan& result);

// The same of one hypothesis, by itself. Many such cells beside other contradictions are not counted: they rest on a
// number that is wrong itself, as a rule.
void contradict_by_empty_shards(const PlanInputs& plan, Outcome& outcome);

}  // namespace shardstats::infer_detail
