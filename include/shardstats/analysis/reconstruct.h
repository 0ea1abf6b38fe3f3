// reconstruct: the rebuilt plan as rows, filtered, sorted and cut to what was asked for.
// Tested by tests/analysis/reconstruct_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardstats/analysis/filter.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

enum class SortKey : std::uint8_t { log, name, hbm, ddr, ssd };
inline constexpr std::array<std::string_view, 5> kSortKeyNames = {"log", "name", "hbm", "ddr", "ssd"};

struct ReconstructOptions {
  SortKey sort = SortKey::log;
  std::size_t top = 0;  // rows of each kind; 0: all
};

struct TableRow {
  const PlanTable* table = nullptr;
  const PrintedTable* printed = nullptr;
  std::vector<const PlanShard*> shards;  // that the rank filter keeps
  ByteInterval hbm, ddr, ssd;            // sums over all shards of the table
  std::int64_t shard_count = 0;          // of the table
};

struct Reconstruction {
  std::vector<TableRow> tables;
  std::vector<const PlanRank*> ranks;
  std::size_t tables_hidden = 0, ranks_hidden = 0;  // cut off by `top`
  bool sized = false;                               // shards have sizes (v0.3.0+)
  std::string_view why_not_sized;                   // if they have none
  // What is known of each rank: printed, or rebuilt from its shards.
  bool rank_hbm = false, rank_ddr = false;
  bool column_bytes = false;  // the Input/Output columns, which are bytes (v0.1.1+)
  bool rank_perf = false;
};

// Why there is no shard of a plan that is not sized; of any other why some may be missing.
std::string_view why_not_rebuilt(const Plan& plan);

// Points into `printed` and `plan`.
Reconstruction reconstruct(const PrintedPlan& printed, const Plan& plan, const Filter& filter,
                           const ReconstructOptions& options);

}  // namespace shardstats
