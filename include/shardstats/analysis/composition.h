// What fills the HBM of every rank: by part, by kernel and by table. Bounds in bytes.
//
// Invariant: in each grouping the causes of a rank add up to bounds on its HBM, which may be wider than those in
// Plan::ranks. A rank that was not rebuilt has one cause, its whole HBM. Tested by tests/analysis/composition_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardstats/infer/plan.h"

namespace shardstats {

// What takes memory on the ranks, on some of them perhaps none. `bytes` and `tables` are in the order of Plan::ranks.
struct RankCause {
  std::string name;  // "weights", "fused_uvm_caching", "largest table"
  std::vector<ByteInterval> bytes;
  std::vector<std::optional<std::uint32_t>> tables;  // index into Plan::tables; empty unless it is one table a rank
};

// What the HBM of shards is made of. Weights and optimizer state that lie in DDR or SSD are no part of it.
struct HbmParts {
  ByteInterval weights, optimizer;
  ByteInterval cache;    // what a cached kernel keeps of its weights and state, with the state of the cache itself
  ByteInterval buffers;  // input and output, as the pipeline holds them
};

HbmParts hbm_parts(const ShardSizes& shard);

struct Composition {
  std::optional<ByteInterval> planning_hbm;  // that each rank may use; nothing: not printed, or not of all devices
  std::vector<RankCause> by_part, by_kernel, by_table;  // without causes that are zero on all ranks
  std::vector<HbmParts> tables;                         // sums over the shards of each of Plan::tables
};

// The plan must have been inferred with InferOptions::shard_parts.
Composition compose(const PrintedPlan& printed, const Plan& plan);

struct RankBytes {
  int rank = 0;
  ByteInterval bytes;
};
// HBM of a table on each of its ranks, in rank order: its shards there added up.
std::vector<RankBytes> hbm_by_rank(const Plan& plan, const PlanTable& table);

}  // namespace shardstats
