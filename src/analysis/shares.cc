#include "analysis/shares.h"

#include <algorithm>
#include <cmath>

namespace shardstats::analysis {
namespace {

bool has_hbm_share(const Checks& checks) {
  const Setting& setting = checks.plan.setting;
  return setting.device == Device::cuda || (setting.device == Device::mtia && setting.rules->mtia_percent);
}

bool hbm_is_counted(const Checks& checks) { return !checks.plan.sized || has_hbm_share(checks); }

MemoryShares shares_of(const Checks& checks, const MemoryKind& kind, bool counted) {
  const auto& rows = checks.printed.ranks.rows;
  MemoryShares shares{counted, checks.printed.bytes_in(LineId::planning_memory, kind.slot), {}};
  const ByteInterval capacity = shares.planning.value_or(ByteInterval{});
  const RealInterval by = uncut(capacity);
  shares.ranks.reserve(rows.size());
  const Format memory = checks.printed.format_of(RoundedNumbers::rank_memory);
  std::string_view used_above, percent_above;  // many rows have the same, as no DDR at all
  std::optional<ByteInterval> used;
  std::optional<RealInterval> percent;
  for (const PrintedRank& row : rows) {
    const std::string_view used_here = (row.*kind.column.cell).text;
    if (used_here != used_above) used = bytes_printed_as(used_above = used_here, memory, kGiB);
    if ((row.*kind.percent).text != percent_above)
      percent = values_printed_as(percent_above = (row.*kind.percent).text, Format::p0);
    if (!used || !percent) continue;
    Share share{&row, rank_number(row), real(*used), *percent, {}};
    const PlanRank* plan = checks.plan_rank(share.rank);
    if (plan != nullptr && (plan->*kind.column.expected).known) {
      const Expectation& expected = plan->*kind.column.expected;
      // A disputed memory is reported by itself; its share need only fit one of the two.
      share.used = expected.contradicted ? hull(share.used, real(expected.bytes)) : real(plan->*kind.column.bytes);
    }
    if (counted && static_cast<double>(capacity.high) > kLeastCapacity)  // else there is none, and its share is 0
      share.expected = {share.used.low / by.high, share.used.high / std::max(by.low, 1.0)};
    shares.ranks.push_back(share);
  }
  return shares;
}

std::vector<double> shared_memory(const Checks& checks, const MemoryShares& shares) {
  RealInterval common = shares.planning ? uncut(*shares.planning) : RealInterval{};
  const bool counted = shares.counted && common.high > kLeastCapacity;
  for (const Share& share : shares.ranks)
    if (share.agrees()) common = narrowed(common, share.capacity());
  std::vector<double> memory(checks.plan.ranks.size(), counted ? middle(common) : 0);
  for (const Share& share : shares.ranks) {
    const bool own = counted && !share.agrees() && share.printed.low > 0;
    if (own && static_cast<std::size_t>(share.rank) < memory.size())
      memory[static_cast<std::size_t>(share.rank)] = middle(share.capacity());
  }
  return memory;
}

// The number with the fewest decimals in the interval.
double shortest_decimal(RealInterval x) {
  constexpr int kMostDecimals = 12;
  double unit = 1;
  for (int decimals = 0; decimals < kMostDecimals; ++decimals, unit *= 10)
    if (const double rounded = std::round(middle(x) * unit) / unit; x.contains(rounded)) return rounded;
  return middle(x);
}

}  // namespace

bool hbm_may_be_counted(const Checks& checks) {
  const auto zero = [](const PrintedRank& row) { return row.hbm_percent.text == "0"; };
  const auto has_mtia = [](Release release) { return rules_of(release).mtia; };
  const auto capacity = checks.printed.bytes_in(LineId::planning_memory, kHbm.slot);
  return checks.plan.sized || !std::ranges::all_of(checks.printed.ranks.rows, zero) ||
         (capacity && static_cast<double>(capacity->high) > kLeastCapacity &&
          std::ranges::none_of(checks.plan.releases, has_mtia));
}

SharedMemory shared_memory(const PrintedPlan& printed, const Plan& plan) {
  std::vector<Finding> none;
  const Checks checks{printed, plan, none};
  return {shared_memory(checks, shares_of(checks, kHbm, hbm_is_counted(checks))),
          shared_memory(checks, ddr_shares(checks))};
}

bool MemoryShares::one_capacity() const { return planning && std::ranges::all_of(ranks, &Share::agrees); }

std::vector<const Share*> MemoryShares::wrong() const {
  std::vector<const Share*> wrong;
  for (const Share& share : ranks)
    if (planning && !share.agrees()) wrong.push_back(&share);
  return wrong;
}

MemoryShares hbm_shares(const Checks& checks) {
  return shares_of(checks, kHbm, hbm_is_counted(checks) && hbm_may_be_counted(checks));
}

MemoryShares ddr_shares(const Checks& checks) { return shares_of(checks, kDdr, true); }

MemoryShares hbm_shares(const PrintedPlan& printed, const Plan& plan) {
  std::vector<Finding> none;
  return hbm_shares(Checks{printed, plan, none});
}

std::optional<RealInterval> common_capacity(const std::vector<Share>& shares) {
  RealInterval common{0, std::numeric_limits<double>::max()};
  for (const Share& share : shares) {
    const auto both = intersection(common, share.capacity());
    if (!both) return std::nullopt;
    common = *both;
  }
  return common;
}

std::optional<ByteInterval> planning_of_all(const PrintedPlan& printed, const Plan& plan) {
  const MemoryShares shares = hbm_shares(printed, plan);
  return shares.counted && shares.one_capacity() ? shares.planning : std::nullopt;
}

Cell kjt_cell(const PrintedPlan& printed, const Plan& plan) {
  return printed.slot(LineId::kjt_storage, io_in_hbm(plan.setting) ? 0 : 1);
}

RealInterval share_of(ByteInterval part, ByteInterval rest) {
  const double low = static_cast<double>(part.low), high = static_cast<double>(part.high) + 1;
  return {low / (low + static_cast<double>(rest.high) + 1),
          high / (high + std::max(static_cast<double>(rest.low), 1.0))};
}

std::optional<double> reserved_fraction(const PrintedPlan& printed) {
  const auto reserved = printed.bytes_in(LineId::reserved_hbm);
  const auto planning = printed.bytes_in(LineId::planning_memory);
  const auto percent = values_printed_as(printed.slot(LineId::planning_percent).text, Format::p0);
  if (reserved && planning && planning->high > kMiB) return shortest_decimal(share_of(*reserved, *planning));
  return percent ? std::optional(1 - shortest_decimal(*percent)) : std::nullopt;
}

}  // namespace shardstats::analysis
