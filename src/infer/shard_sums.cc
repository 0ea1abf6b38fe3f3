#include "infer/shard_sums.h"

#include <array>

#include "infer/rebuild.h"

namespace shardstats::infer_detail {
namespace {

__extension__ typedef __int128 Wide;   // runs are taken off again, which needs sums that are not capped
using WideEnds = std::array<Wide, 8>;  // of the bounds of a ShardSums::Rank

ByteInterval bytes(Wide low, Wide high) {
  constexpr Wide kMost = INT64_MAX;
  return {static_cast<std::int64_t>(std::min(low, kMost)), static_cast<std::int64_t>(std::min(high, kMost))};
}

// What every rank has beside its shards.
struct ConstantBytes {
  ByteInterval hbm, ddr;
};
ConstantBytes constant_bytes(const SearchResult& found) {
  const Constants constants = constants_of(found);
  return {whole_bytes(constants.hbm), whole_bytes(constants.ddr)};
}

}  // namespace

std::vector<ShardSums::Rank> ShardSums::sums() const {
  std::vector<WideEnds> steps(ranks_.size() + 1);  // how much more a rank holds of the runs than the one before
  for (const auto& [ranks, sum] : runs_) {
    const std::int64_t ends[] = {sum.hbm.low,   sum.hbm.high,   sum.ddr.low,    sum.ddr.high,
                                 sum.input.low, sum.input.high, sum.output.low, sum.output.high};
    for (std::size_t k = 0; k < std::size(ends); ++k) {
      steps[ranks.first][k] += ends[k];
      steps[ranks.second][k] -= ends[k];
    }
  }
  std::vector<Rank> all = ranks_;
  WideEnds held{};
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t k = 0; k < held.size(); ++k) held[k] += steps[r][k];
    all[r].add(
        Rank{bytes(held[0], held[1]), bytes(held[2], held[3]), bytes(held[4], held[5]), bytes(held[6], held[7])});
  }
  return all;
}

void rebuild_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                   std::span<const ShardSums::Rank> totals, Plan& result) {
  const auto [hbm, ddr] = constant_bytes(found);
  for (std::size_t r = 0; r < totals.size(); ++r) {
    const ShardSums::Rank& rank = totals[r];
    const PrintedSums& printed = plan.ranks[r];
    PlanRank& out = result.ranks[r];
    const int number = out.rank;
    if (!sums.is_known(r)) {
      out.sparse_hbm = {0, out.hbm.high};
      out.sparse_ddr = {0, out.ddr.high};
      continue;
    }
    out = {};
    out.rank = number;
    out.sparse_hbm = rank.hbm;
    out.sparse_ddr = rank.ddr;
    out.hbm = rank.hbm + hbm;
    out.ddr = rank.ddr + ddr;
    out.input = rank.input;
    out.output = rank.output;
    const auto narrow = [&](Quantity q, ByteInterval& sum) {
      if (printed[at(q)]) sum = narrowed(sum, *printed[at(q)]);
    };
    const auto narrow_sparse = [&](Quantity q, ByteInterval left, ByteInterval& sparse) {
      const ByteInterval positive{std::max<std::int64_t>(left.low, 0), std::max<std::int64_t>(left.high, 0)};
      if (printed[at(q)]) sparse = narrowed(sparse, positive);
    };
    narrow(Quantity::hbm, out.hbm);
    narrow(Quantity::ddr, out.ddr);
    narrow_sparse(Quantity::hbm, out.hbm - hbm, out.sparse_hbm);
    narrow_sparse(Quantity::ddr, out.ddr - ddr, out.sparse_ddr);
    narrow(Quantity::input, out.input);
    narrow(Quantity::output, out.output);
  }
}

void bound_by_shards(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums,
                     std::span<const ShardSums::Rank> totals, Plan& result) {
  const auto [hbm, ddr] = constant_bytes(found);
  for (std::size_t r = 0; r < totals.size(); ++r) {
    if (!sums.is_known(r)) continue;
    const ShardSums::Rank& shards = totals[r];
    const auto bound = [&](Quantity q, ByteInterval sum, Expectation& expected) {
      if (!expected.known || expected.contradicted) return;
      expected.bytes = narrowed(expected.bytes, sum);
      expected.contradicted = plan.ranks[r][at(q)] && !plan.ranks[r][at(q)]->overlaps(expected.bytes);
    };
    PlanRank& rank = result.ranks[r];
    bound(Quantity::hbm, shards.hbm + hbm, rank.expected_hbm);
    bound(Quantity::ddr, shards.ddr + ddr, rank.expected_ddr);
    bound(Quantity::input, shards.input, rank.expected_input);
    bound(Quantity::output, shards.output, rank.expected_output);
  }
}

}  // namespace shardstats::infer_detail
