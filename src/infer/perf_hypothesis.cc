#include "infer/perf_hypothesis.h"

#include <algorithm>

namespace shardstats::infer_detail {

Bandwidths<RealInterval> default_bandwidths() {
  const Bandwidths<double>& d = kDefaultBandwidths;
  return {exactly(d.hbm), exactly(d.ddr),        exactly(d.hbm_to_ddr),
          exactly(d.ssd), exactly(d.intra_host), exactly(d.inter_host)};
}

bool same_bandwidths(const Bandwidths<RealInterval>& a, const Bandwidths<RealInterval>& b) {
  return std::ranges::all_of(kBandwidths, [&](const auto bandwidth) { return a.*bandwidth == b.*bandwidth; });
}

FittedValues values_of(const PerfSetting<RealInterval>& setting) {
  return {setting.bandwidths, setting.backward, setting.weighted_backward};
}

void set_values(const FittedValues& values, PerfSetting<RealInterval>& setting) {
  for (std::size_t i = 0; i < kFittedValues; ++i) fitted_value(setting, i) = fitted_value(values, i);
}

bool same_values(const FittedValues& a, const FittedValues& b) {
  return same_bandwidths(a.bandwidths, b.bandwidths) && a.backward == b.backward &&
         a.weighted_backward == b.weighted_backward;
}

FittedValues hull(FittedValues a, const FittedValues& b) {
  for (std::size_t i = 0; i < kFittedValues; ++i) fitted_value(a, i) = hull(fitted_value(a, i), fitted_value(b, i));
  return a;
}

bool has_defaults(const PerfHypothesis& h) { return same_values(values_of(h.setting), {}); }

bool differ_in_values_alone(const PerfHypothesis& a, const PerfHypothesis& b) {
  const PerfSetting<RealInterval>&x = a.setting, &y = b.setting;
  return a.outcome == b.outcome && a.element == b.element && a.any_element == b.any_element && a.sizes == b.sizes &&
         a.kept == b.kept && x.rules == y.rules && x.device == y.device && x.inference == y.inference &&
         x.world_size == y.world_size && x.local_size == y.local_size && x.group_size == y.group_size;
}

const std::array<Codecs, kCodecs>& codec_table() {
  using enum WirePrecision;
  static constexpr std::array<Codecs, kCodecs> kTable = {{{false, fp32, fp32},
                                                          {true, half, half},
                                                          {true, int8, int8},
                                                          {true, fp8, fp8},
                                                          {true, fp8, half},
                                                          {true, half, fp32},
                                                          {true, fp32, half},
                                                          {true, int8, half},
                                                          {true, int8, fp32},
                                                          {true, fp8, fp32},
                                                          {true, half, int8},
                                                          {true, half, fp8},
                                                          {true, fp32, int8},
                                                          {true, fp32, fp8},
                                                          {true, int8, fp8},
                                                          {true, fp8, int8}}};
  return kTable;
}

}  // namespace shardstats::infer_detail
