#include "infer/fitted_values.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardstats::infer_detail {
namespace {

bool is_close(RealInterval found, double usual) {
  constexpr double kClose = 0.01;
  return !found.contains(usual) && found.low < usual * (1 + kClose) && found.high > usual * (1 - kClose);
}

// Few numbers tell a multiplier: wide bounds that end at the usual one, or hold it, do not say that it is close. Nobody
// sets one that is a little off.
bool is_close_multiplier(RealInterval found, double usual) {
  constexpr double kWide = 0.25, kLittle = 0.03, kTiny = 0.001;
  if (found.contains(usual)) return !found.exact() && found.width() <= kTiny * usual;
  const bool is_all_close = found.low > usual * (1 - kLittle) && found.high < usual * (1 + kLittle);
  return is_all_close || (is_close(found, usual) && found.width() <= kWide * found.low);
}

// Slow links and SSDs may have any.
bool may_be_round(RealInterval bandwidth) {
  constexpr double kSlow = 10 * kBytesPerMs, kHalfGiB = kBytesPerMs / 2, kTenthOfGB = 1e5;  // bytes/ms
  const auto has_multiple = [&](double step) {
    return std::floor(bandwidth.high / step * (1 + 1e-9)) * step >= bandwidth.low * (1 - 1e-9);
  };
  return bandwidth.low < kSlow || has_multiple(kHalfGiB) || has_multiple(kTenthOfGB);
}

}  // namespace

bool is_close_to_default(const FittedValues& values, std::size_t index) {
  const RealInterval value = fitted_value(values, index);
  const FittedValues defaults;
  const double usual = fitted_value(defaults, index).low;
  return index < kBandwidths.size() ? is_close(value, usual) : is_close_multiplier(value, usual);
}

PerfHypothesis with_values(const PerfHypothesis& h, const FittedValues& values) {
  PerfHypothesis with = h;
  set_values(values, with.setting);
  return with;
}

PerfHypothesis fitted(const PerfHypothesis& h, const PerfFit& fit) {
  PerfHypothesis with = with_values(h, fit);
  with.kept = fit.kept;
  return with;
}

std::vector<std::size_t> first_of(const std::vector<std::uint64_t>& sets) {
  std::vector<std::size_t> codecs;
  for (const std::uint64_t set : sets) codecs.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  return codecs;
}

bool hides_values(const FittedValues& values) {
  const Bandwidths<RealInterval> usual = default_bandwidths();
  const auto may_be_usual = [&](const auto b) { return (values.bandwidths.*b).contains((usual.*b).low); };
  return !same_bandwidths(values.bandwidths, usual) && std::ranges::all_of(kBandwidths, may_be_usual) &&
         values.backward.contains(kDefaultBackward.low) &&
         values.weighted_backward.contains(kDefaultWeightedBackward.low);
}

std::int64_t unlikely_values(const FittedValues& values) {
  if (hides_values(values)) return 2;
  std::int64_t unlikely = 0;
  for (std::size_t i = 0; i < kFittedValues; ++i) unlikely += is_close_to_default(values, i);
  return unlikely;
}

std::int64_t odd_bandwidths(const FittedValues& values) {
  std::int64_t odd = 0;
  for (std::size_t k = 0; k < kBandwidths.size(); ++k)
    odd += !is_close_to_default(values, k) && !may_be_round(values.bandwidths.*kBandwidths[k]);
  return odd;
}

std::int64_t take_defaults(FittedValues& values, bool close_too) {
  const FittedValues usual;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < kFittedValues; ++i) {
    RealInterval& value = fitted_value(values, i);
    const RealInterval of_default = fitted_value(usual, i);
    if (value.contains(of_default.low) || (close_too && is_close_to_default(values, i)))
      value = of_default;
    else
      ++others;
  }
  return others;
}

}  // namespace shardstats::infer_detail
