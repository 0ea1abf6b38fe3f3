// Turns the surviving outcomes into shards, tables, ranks and kernels: the hull over all of them. Private to src/infer.
#pragma once

#include <bit>
#include <cstdint>

#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

inline constexpr double kMostBytes = 9.2e18;  // below 2^63
ByteInterval clamped_bytes(RealInterval x);
inline ByteInterval whole_bytes(RealInterval x) {
  // The bits of numbers from 0 on are in the order of the numbers, those of all others above.
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  if (bits(x.low) > bits(x.high) || bits(x.high) > bits(kMostBytes)) return clamped_bytes(x);  // hardly ever
  const auto below = static_cast<std::int64_t>(x.high);
  return {static_cast<std::int64_t>(x.low), below + (static_cast<double>(below) < x.high)};
}

// Every survivor's bounds tightened by the printed cells: numbers of ids, caching ratios.
void narrow_hidden(const PlanInputs& plan, Outcome& outcome);
// Gives each table these S and y, unless its cells deny them; true: some are new.
bool take_lookups(const PlanInputs& plan, const std::vector<Lookups>& lookups, Outcome& outcome);

// The tables and shards anew; without a survivor the tables as printed. `options`: shard_parts and alternatives.
void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result);

}  // namespace shardstats::infer_detail
