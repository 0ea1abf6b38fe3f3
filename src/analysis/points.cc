#include "analysis/points.h"

#include <algorithm>
#include <cmath>

namespace shardstats::analysis {
namespace {

bool prints_as_zero(RealInterval bytes) { return bytes.low <= 0 && bytes.high <= kGiB / 2000.0; }

// With as many digits as sums in another order agree in.
double rounded(double x) {
  constexpr int kDigits = 12;
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - kDigits + 1);
  return std::round(x / unit) * unit;
}

// Bounds of what the rank has of the quantity: bytes or ms.
RealInterval bounds_of(const PlanRank& rank, Quantity quantity) {
  switch (quantity) {
    case Quantity::hbm:
      return real(rank.hbm);
    case Quantity::ddr:
      return real(rank.ddr);
    case Quantity::sparse_hbm:
      return real(rank.sparse_hbm);
    case Quantity::perf:
      return rank.perf.total;
    default:
      return rank.perf.parts[static_cast<std::size_t>(quantity) - static_cast<std::size_t>(Quantity::forward_compute)];
  }
}

template <class F>
void each_quantity(F f) {
  for (std::size_t q = 0; q < kQuantities; ++q) f(static_cast<Quantity>(q), q);
}

double middle_of(const PlanRank& rank, Quantity quantity) {
  if (quantity < Quantity::perf && prints_as_zero(bounds_of(rank, quantity))) return 0;
  return middle(bounds_of(rank, quantity));
}

// Dense and KJT storage is the same on each rank: what all ranks leave for it.
RealInterval common_hbm(const Plan& plan) {
  std::optional<RealInterval> common;
  for (const PlanRank& rank : plan.ranks) {
    const RealInterval left = real(rank.hbm - rank.sparse_hbm);
    common = common ? narrowed(*common, left) : left;
  }
  return common.value_or(RealInterval{});
}

double into(RealInterval bounds, double x) { return std::clamp(x, bounds.low, bounds.high); }

// The ranks on the line have its value, all others less.
void move_to_maximum(const PrintedPlan& printed, LineId id, std::string_view unit, Quantity quantity,
                     RankValues& values) {
  auto& all = values.of[static_cast<std::size_t>(quantity)];
  const auto value = printed_bounds(printed.slot(id, 0), printed.format_of(RoundedNumbers::lines), unit);
  std::vector<int> ranks;
  if (!value || !parse_ranks(printed.slot(id, 1).text, ranks)) return;
  std::erase_if(ranks, [&](int rank) { return static_cast<std::size_t>(rank) >= all.size(); });
  if (ranks.empty()) return;
  const double most = into(*value, all[static_cast<std::size_t>(ranks.front())].low);
  for (RealInterval& x : all) x = exactly(std::min(x.low, std::nextafter(most, 0.0)));
  for (const int rank : ranks) all[static_cast<std::size_t>(rank)] = exactly(most);
}

// A section of the log says that some rank has DDR, though each prints none.
void find_ddr(const PrintedPlan& printed, const Plan& plan, RankValues& values) {
  if (!printed.find(LineId::ddr_imbalance_heading) || largest(values[Quantity::ddr]).high > 0) return;
  auto& ddr = values.of[static_cast<std::size_t>(Quantity::ddr)];
  for (std::size_t r = 0; r < ddr.size(); ++r) ddr[r] = exactly(middle(real(plan.ranks[r].ddr)));
}

}  // namespace

double point(ByteInterval bytes) { return prints_as_zero(real(bytes)) ? 0 : middle(real(bytes)); }

double bytes_of(const Plan& plan, const PlanTable& table, ByteInterval ShardSizes::*field,
                const Expectation& expected) {
  return point(plan.total_of(table, field, expected));
}

RankValues middle_values(const Plan& plan) {
  RankValues values;
  each_quantity([&](Quantity quantity, std::size_t q) {
    for (const PlanRank& rank : plan.ranks) values.of[q].push_back(exactly(rounded(middle_of(rank, quantity))));
  });
  const double common = middle(common_hbm(plan));
  auto& hbm = values.of[static_cast<std::size_t>(Quantity::hbm)];
  for (std::size_t r = 0; r < plan.ranks.size(); ++r)
    hbm[r] = exactly(into(real(plan.ranks[r].hbm), values[Quantity::sparse_hbm][r].low + common));
  values.known = values.sparse_known = true;
  return values;
}

RankValues printed_values(const PrintedPlan& printed, const Plan& plan) {
  RankValues values = middle_values(plan);
  find_ddr(printed, plan, values);
  for (const MaximumLine& line : maximum_lines()) move_to_maximum(printed, line.id, "ms", line.quantity, values);
  move_to_maximum(printed, LineId::peak_memory_pressure, "bytes", Quantity::hbm, values);
  return values;
}

RankValues changed_values(const Plan& changed, const Plan& base, const RankValues& of_base) {
  RankValues values = middle_values(changed);
  each_quantity([&](Quantity quantity, std::size_t q) {
    for (std::size_t r = 0; r < std::min(changed.ranks.size(), base.ranks.size()); ++r)
      if (bounds_of(changed.ranks[r], quantity) == bounds_of(base.ranks[r], quantity))
        values.of[q][r] = of_base.of[q][r];
  });
  return values;
}

}  // namespace shardstats::analysis
