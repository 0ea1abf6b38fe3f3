// What the rebuilt shards of each rank add up to. Private to src/infer.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// Unknown of a rank where a table on it could not be rebuilt.
class ShardSums {
 public:
  struct Rank {
    ByteInterval hbm, ddr, input, output;

    void add(const auto& own) { *this = {hbm + own.hbm, ddr + own.ddr, input + own.input, output + own.output}; }
  };

  explicit ShardSums(const PlanInputs& plan) : ranks_(plan.ranks.size()), known_(ranks_without_missing(plan)) {}

  void add_unknown(const TableInputs& table) { leave_out(table, known_); }

  void add(const PlanTable& table, std::span<const PlanShard> shards) {
    if (table.on_every_rank) return add_everywhere(shards);
    const std::span<Rank> ranks = ranks_;
    for (const PlanShard& shard : shards)
      if (shard.rank && static_cast<std::size_t>(*shard.rank) < ranks.size())
        ranks[static_cast<std::size_t>(*shard.rank)].add(*shard.sizes);
  }

  bool is_known(std::size_t rank) const { return known_[rank]; }
  // By rank.
  std::vector<Rank> sums() const;

 private:
  // One on each rank: most tables that are everywhere have the same few runs of equal shards.
  void add_everywhere(std::span<const PlanShard> shards) {
    for (std::size_t first = 0, end = 0; first < shards.size(); first = end) {
      const ShardSizes* const own = shards[first].sizes;
      const auto is_own = [own](const PlanShard& shard) { return shard.sizes == own; };
      end = static_cast<std::size_t>(std::ranges::partition_point(shards.subspan(first), is_own) - shards.begin());
      runs_[{first, end}].add(*own);
    }
  }

  std::vector<Rank> ranks_;
  std::map<std::pair<std::size_t, std::size_t>, Rank> runs_;  // by first rank and the end; not in ranks_
  std::vector<bool> known_;
};

// Sets the bounds of each rank, which its printed cells narrow.
// `totals`, here and below: sums.sums().
void rebuild_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                   std::span<const ShardSums::Rank> totals, Plan& result);
// Narrows what the cells of each rank should be to what its shards add up to, which single cells of tables have
// narrowed since the sums were looked at.
void bound_by_shards(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                     std::span<const ShardSums::Rank> totals, Plan& result);

}  // namespace shardstats::infer_detail
