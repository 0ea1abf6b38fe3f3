#include "infer/shard_totals.h"

#include <bit>
#include <limits>
#include <utility>

namespace shardstats::infer_detail {
namespace {

// Both ends of an interval, for one instruction to take: the compiler does not find that by itself where sums go on
// from shard to shard.
using Ends = double __attribute__((vector_size(2 * sizeof(double))));
using AllEnds = std::array<Ends, kQuantities>;
Ends ends_of(RealInterval x) { return std::bit_cast<Ends>(x); }

}  // namespace

template <Quantity... Q>
void ShardTotals::add(Part shards, Totals& totals) const {
  auto sums = std::bit_cast<AllEnds>(totals.sums);
  const RealInterval* const all = values_.data();
  for (const SumLines::Entry& entry : lines_.entries(shards)) {
    const RealInterval* const values = all + entry.values;
    if (entry.count == 1)
      ((sums[at(Q)] += ends_of(values[at(Q)])), ...);
    else
      ((sums[at(Q)] += ends_of(entry.times(values[at(Q)]))), ...);
  }
  totals.sums = std::bit_cast<decltype(totals.sums)>(sums);
  totals.last = shards;
  if (swing_ != nullptr) take_widest_swing<Q...>(shards, totals);
}

// The shards of a table swing together: they follow each other.
template <Quantity... Q>
void ShardTotals::take_widest_swing(Part shards, Totals& totals) const {
  auto widest = std::bit_cast<AllEnds>(totals.widest);
  AllEnds own{};
  std::uint32_t table = std::numeric_limits<std::uint32_t>::max();
  const auto most = [](Ends a, Ends b) { return b > a ? b : a; };
  const RealInterval* const all = swing_->data();
  for (const SumLines::Entry& entry : lines_.entries(shards)) {
    const RealInterval* const swing = all + entry.values;
    const bool is_next = std::exchange(table, entry.table) != entry.table;
    if (is_next && entry.count == 1)
      ((own[at(Q)] = ends_of(swing[at(Q)])), ...);
    else
      ((own[at(Q)] = ends_of(entry.times(swing[at(Q)])) + (is_next ? Ends{} : own[at(Q)])), ...);
    ((widest[at(Q)] = most(widest[at(Q)], own[at(Q)])), ...);
  }
  totals.widest = std::bit_cast<decltype(totals.widest)>(widest);
}

template <Quantity... Q>
void ShardTotals::add_up_all(const SumLine& line) {
  const Part common = lines_.common(line);
  if (common_.last != common) add<Q...>(common, common_ = {});
  all_ = common_;
  add<Q...>(SumLines::own(line), all_);
}

void ShardTotals::add_up(const SumLine& line) {
  using enum Quantity;
  line.of == SumOf::kernel ? add_up_all<hbm, ddr, ssd, weights, optimizer_state>(line)
                           : add_up_all<hbm, ddr, input, output>(line);
}

}  // namespace shardstats::infer_detail
