#include "infer/shards_by_ranks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace shardstats::infer_detail {
namespace {

// Where a shard, the sum over those of a rank, and the rank have a quantity.
struct RankQuantity {
  ByteInterval ShardSizes::*shard;
  ByteInterval ShardSums::Rank::*sum;
  ByteInterval PlanRank::*bounds;
  Expectation PlanRank::*expected;
};
constexpr std::array kRankBytes = {
    RankQuantity{&ShardSizes::hbm, &ShardSums::Rank::hbm, &PlanRank::sparse_hbm, &PlanRank::expected_hbm},
    RankQuantity{&ShardSizes::ddr, &ShardSums::Rank::ddr, &PlanRank::sparse_ddr, &PlanRank::expected_ddr},
    RankQuantity{&ShardSizes::input, &ShardSums::Rank::input, &PlanRank::input, &PlanRank::expected_input},
    RankQuantity{&ShardSizes::output, &ShardSums::Rank::output, &PlanRank::output, &PlanRank::expected_output}};

// Of n equal shards, which are in the sum with `own`; anything where that is too much for a number.
ByteInterval left_on_rank(std::int64_t n, ByteInterval rank, ByteInterval sum, ByteInterval own) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (sum.high == kMost || own.high > kMost / n) return {0, kMost};
  const std::int64_t low = rank.low - (sum.high - n * own.high), high = rank.high - (sum.low - n * own.low);
  return {std::max<std::int64_t>(low, 0) / n + (std::max<std::int64_t>(low, 0) % n != 0),
          std::max<std::int64_t>(high, 0) / n};
}

class ByRanks {
 public:
  ByRanks(const ShardSums& sums, std::span<const ShardSums::Rank> totals, const std::vector<PlanRank>& ranks)
      : sums_(sums), totals_(totals), ranks_(ranks) {}

  // What is left of shards that have the same sizes.
  ShardSizes left_of(std::span<const PlanShard> equals) const {
    ShardSizes left = *equals.front().sizes;
    for (std::size_t first = 0, end = 0; first < equals.size(); first = end) {
      const auto rank = equals[first].rank;
      while (end < equals.size() && equals[end].rank == rank) ++end;
      if (rank && static_cast<std::size_t>(*rank) < ranks_.size())
        narrow(*equals.front().sizes, static_cast<std::size_t>(*rank), static_cast<std::int64_t>(end - first), left);
    }
    return left;
  }

 private:
  // `n`: shards in a row on the rank.
  void narrow(const ShardSizes& own, std::size_t r, std::int64_t n, ShardSizes& left) const {
    if (!sums_.is_known(r)) return;
    for (const RankQuantity& of : kRankBytes) {
      const ByteInterval bytes = own.*of.shard;
      if (bytes.exact() || (ranks_[r].*of.expected).contradicted) continue;
      left.*of.shard = narrowed(left.*of.shard, left_on_rank(n, ranks_[r].*of.bounds, totals_[r].*of.sum, bytes));
    }
  }

  const ShardSums& sums_;
  const std::span<const ShardSums::Rank> totals_;
  const std::vector<PlanRank>& ranks_;
};

bool are_open(const ShardSizes& sizes) {
  return std::ranges::any_of(kRankBytes, [&](const RankQuantity& of) { return !(sizes.*of.shard).exact(); });
}

}  // namespace

void narrow_by_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                     std::span<const ShardSums::Rank> totals,
                     const std::function<const ShardSizes*(const ShardSizes&)>& keep, Plan& result) {
  const ByRanks by_ranks(sums, totals, result.ranks);
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    const PlanTable& table = result.tables[t];
    const auto shares_sizes = [&](const Survivor& s) { return equal_shards(s.outcome, plan.tables[t]); };
    const bool equal =
        table.row_split != RowSplitKind::in_buckets && std::ranges::all_of(found.survivors, shares_sizes);
    const auto shards = std::span(result.shards).subspan(table.first_shard, table.shard_count);
    for (auto first = shards.begin(), end = first; first != shards.end(); first = end) {
      const ShardSizes& own = *first->sizes;
      const auto is_other = [&](const PlanShard& shard) { return shard.sizes != &own; };
      end = equal ? std::find_if(first, shards.end(), is_other) : std::next(first);
      if (!are_open(own)) continue;
      const ShardSizes left = by_ranks.left_of(std::span(first, end));
      if (std::ranges::all_of(kRankBytes, [&](const RankQuantity& of) { return left.*of.shard == own.*of.shard; }))
        continue;
      const ShardSizes* const kept = keep(left);
      for (PlanShard& shard : std::span(first, end)) shard.sizes = kept;
    }
  }
}

}  // namespace shardstats::infer_detail
