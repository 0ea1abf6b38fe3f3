#include "analysis/points.h"

#include <algorithm>
#include <cmath>

namespace shardstats::analysis {
namespace {

constexpr double kPrintsAsZero = kGiB / 2000.0;  // bytes

// With as many digits as sums in another order agree in.
double rounded(double x) {
  constexpr int kDigits = 12;
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - kDigits + 1);
  return std::round(x / unit) * unit;
}

void set(RankValues& values, Quantity quantity, std::vector<double> of_ranks) {
  auto& all = values.of[static_cast<std::size_t>(quantity)];
  all.clear();
  for (const double x : of_ranks) all.push_back(exactly(rounded(x)));
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
  const auto value = printed_bounds(printed.slot(id, 0), Format::r3, unit);
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

double point(ByteInterval bytes) {
  return bytes.low <= 0 && static_cast<double>(bytes.high) <= kPrintsAsZero ? 0 : middle(real(bytes));
}

double bytes_of(const Plan& plan, const PlanTable& table, ByteInterval PlanShard::*field, const Expectation& expected) {
  ByteInterval sum{};
  for (const PlanShard& shard : plan.shards_of(table)) sum = sum + shard.*field;
  return point(expected.known && !expected.contradicted ? narrowed(sum, expected.bytes) : sum);
}

RankValues middle_values(const Plan& plan) {
  RankValues values;
  const auto of_ranks = [&](Quantity quantity, auto value) {
    std::vector<double> all;
    for (const PlanRank& rank : plan.ranks) all.push_back(value(rank));
    set(values, quantity, std::move(all));
  };
  of_ranks(Quantity::hbm, [](const PlanRank& rank) { return point(rank.hbm); });
  of_ranks(Quantity::ddr, [](const PlanRank& rank) { return point(rank.ddr); });
  of_ranks(Quantity::sparse_hbm, [](const PlanRank& rank) { return point(rank.sparse_hbm); });
  of_ranks(Quantity::perf, [](const PlanRank& rank) { return middle(rank.perf.total); });
  for (std::size_t p = 0; p < kPerfParts; ++p)
    of_ranks(quantity_of(static_cast<PerfPart>(p)), [p](const PlanRank& rank) { return middle(rank.perf.parts[p]); });
  values.known = values.sparse_known = true;
  return values;
}

RankValues printed_values(const PrintedPlan& printed, const Plan& plan) {
  RankValues values = middle_values(plan);
  const double common = middle(common_hbm(plan));
  auto& hbm = values.of[static_cast<std::size_t>(Quantity::hbm)];
  for (std::size_t r = 0; r < plan.ranks.size(); ++r)
    hbm[r] = exactly(into(real(plan.ranks[r].hbm), values[Quantity::sparse_hbm][r].low + common));
  find_ddr(printed, plan, values);
  for (const MaximumLine& line : maximum_lines()) move_to_maximum(printed, line.id, "ms", line.quantity, values);
  move_to_maximum(printed, LineId::peak_memory_pressure, "bytes", Quantity::hbm, values);
  return values;
}

RankValues changed_values(const Plan& changed, const Plan& base, const RankValues& of_base) {
  RankValues values = middle_values(changed);
  const RankValues middles = middle_values(base);
  for (std::size_t q = 0; q < kQuantities; ++q)
    for (std::size_t r = 0; r < std::min(values.of[q].size(), middles.of[q].size()); ++r) {
      const double off = of_base.of[q][r].low - middles.of[q][r].low;
      if (off != 0) values.of[q][r] = exactly(std::max(values.of[q][r].low + off, 0.0));
    }
  return values;
}

}  // namespace shardstats::analysis
