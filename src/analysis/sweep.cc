#include "shardstats/analysis/sweep.h"

#include <algorithm>
#include <map>

#include "analysis/shares.h"
#include "shardstats/planner/statistics.h"

namespace shardstats {
namespace {

constexpr std::int64_t kMostOfCount = std::int64_t{1} << 40;

int rank_of_largest(const std::vector<RealInterval>& values) {
  const auto most = std::ranges::max_element(values, {}, [](RealInterval x) { return middle(x); });
  return static_cast<int>(most - values.begin());
}

// The largest value up to which `fits` holds; it holds for all below.
template <class Fits>
std::optional<std::int64_t> last_that(Fits fits) {
  if (!fits(1)) return std::nullopt;
  std::int64_t low = 1, high = 2;
  while (high <= kMostOfCount && fits(high)) low = high, high *= 2;
  while (low < kMostOfCount && high - low > 1) {
    const std::int64_t half = low + (high - low) / 2;
    (fits(half) ? low : high) = half;
  }
  return low;
}

}  // namespace

std::optional<RealInterval> planning_memory(const PrintedPlan& printed, const Plan& plan,
                                            std::optional<std::int64_t> device_hbm) {
  const auto planning = analysis::planning_of_all(printed, plan);
  if (!planning || planning->low <= 0) return std::nullopt;
  if (!device_hbm) return real(*planning);
  const auto reserved = printed.bytes_in(LineId::reserved_hbm);
  if (!reserved) return std::nullopt;
  const RealInterval capacity = real(*planning) + real(*reserved);
  return exactly(static_cast<double>(*device_hbm)) * (real(*planning) / capacity);
}

PlanPeak peak_of(const Plan& plan, const std::optional<RealInterval>& planning) {
  PlanPeak peak;
  std::vector<RealInterval> hbm, perf;
  for (const PlanRank& rank : plan.ranks) {
    hbm.push_back(real(rank.hbm));
    perf.push_back(rank.perf.total);
  }
  if (hbm.empty()) return peak;
  peak.hbm = largest(hbm);
  peak.fullest = rank_of_largest(hbm);
  peak.planning = planning;
  if (planning) peak.headroom = *planning - peak.hbm;
  const bool known = std::ranges::all_of(plan.ranks, [](const PlanRank& r) { return r.expected_perf.known; });
  if (!known) return peak;
  peak.perf = largest(perf);
  peak.slowest = rank_of_largest(perf);
  return peak;
}

LargestFit largest_fit(std::string key, double limit, const HbmAt& hbm_at, const PeakAt& at) {
  LargestFit result{std::move(key), limit, {}, {}, {}, {}};
  std::map<std::int64_t, std::optional<RealInterval>> known;  // both questions come by most values
  const auto hbm = [&](std::int64_t value) {
    const auto [found, is_new] = known.try_emplace(value);
    if (is_new) found->second = hbm_at(value);
    return found->second;
  };
  result.fits = last_that([&](std::int64_t value) { return hbm(value) && hbm(value)->high <= limit; });
  result.may_fit = last_that([&](std::int64_t value) { return hbm(value) && hbm(value)->low <= limit; });
  if (result.fits) result.at = at(*result.fits);
  if (result.fits != kMostOfCount) result.beyond = at(result.fits.value_or(0) + 1);
  return result;
}

}  // namespace shardstats
