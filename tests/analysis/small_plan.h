// A plan that fits on a sheet of paper, exact to the byte. Shared by the tests of timeline and stash.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "shardstats/infer/plan.h"

namespace shardstats {

// Two ranks, v1.4.0, no pipeline, four bytes an element; dense modules 600 bytes and KJT 20 on each rank.
//   table  type      kernel  weights a shard  state  input  output (O)  on ranks
//   0      TW        fused             3,000    100     30         400  0
//   1      RW        fused               200      0     10         100  0, 1
//   2      DP        dense                64      0     10          30  0, 1
class SmallPlan {
 public:
  SmallPlan() {
    plan.releases = {Release::v1_4_0};
    plan.setting.rules = &rules_of(Release::v1_4_0);
    plan.setting.world_size = 2;
    plan.sized = true;
    plan.policy = Policy::heuristical;
    plan.dense_hbm = exactly<std::int64_t>(600);
    plan.kjt_hbm = exactly<std::int64_t>(20);
    for (const int rank : {0, 1}) plan.ranks.emplace_back().rank = rank;
    add_table(Sharding::tw, "fused", {0}, 3000, 100, 30, 400);
    add_table(Sharding::rw, "fused", {0, 1}, 200, 0, 10, 100);
    add_table(Sharding::dp, "dense", {0, 1}, 64, 0, 10, 30);
  }

  // Each shard alike, of four columns.
  void add_table(Sharding sharding, const char* kernel, const std::vector<int>& ranks, std::int64_t weights,
                 std::int64_t state, std::int64_t input, std::int64_t output) {
    PlanTable& table = plan.tables.emplace_back();
    table.row = static_cast<std::uint32_t>(plan.tables.size() - 1);
    table.sharding = sharding;
    table.kernel = find_kernel(kernel);
    table.cols = 4;
    table.sized = true;
    table.facts.emplace_back();
    table.first_shard = static_cast<std::uint32_t>(plan.shards.size());
    table.shard_count = static_cast<std::uint32_t>(ranks.size());
    ShardSizes& shard = sizes->emplace_back();
    shard.cols = exactly<std::int64_t>(4);
    shard.tensor = exactly(weights);
    shard.optimizer = exactly(state);
    shard.input = exactly(input);
    shard.output = exactly(output);
    shard.pipeline_io = shard.input + shard.output;
    shard.hbm = shard.tensor + shard.optimizer + shard.pipeline_io;
    for (const int rank : ranks) plan.shards.push_back({0, rank, &shard});
  }

  // With the HBM of the ranks as the planner adds it up.
  Plan take() {
    for (PlanRank& rank : plan.ranks) {
      rank.hbm = plan.dense_hbm + plan.kjt_hbm;
      for (const PlanShard& shard : plan.shards)
        if (shard.rank == rank.rank) rank.hbm = rank.hbm + shard.sizes->hbm;
    }
    plan.sizes = sizes;
    return plan;
  }

  Plan plan;
  std::shared_ptr<std::deque<ShardSizes>> sizes = std::make_shared<std::deque<ShardSizes>>();
};

inline Plan small_plan() { return SmallPlan().take(); }

}  // namespace shardstats
