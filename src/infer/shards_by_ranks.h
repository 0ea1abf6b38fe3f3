// What the printed rows of the ranks leave of single shards. Private to src/infer.
#pragma once

#include <functional>

#include "infer/search.h"
#include "infer/shard_sums.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// Narrows the memory, input and output of each shard to what the bounds of its rank leave beside the other shards
// there. `sums`, and `totals` of each rank: of the shards before; `keep`: puts sizes where the plan has them. Tested by
// tests/infer/shards_by_ranks_test.cc.
void narrow_by_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                     std::span<const ShardSums::Rank> totals,
                     const std::function<const ShardSizes*(const ShardSizes&)>& keep, Plan& result);

}  // namespace shardstats::infer_detail
