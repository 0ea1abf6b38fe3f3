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

Bandwidths<RealInterval> hull(Bandwidths<RealInterval> a, const Bandwidths<RealInterval>& b) {
  for (const auto bandwidth : kBandwidths) a.*bandwidth = hull(a.*bandwidth, b.*bandwidth);
  return a;
}

bool has_defaults(const PerfHypothesis& h) {
  return same_bandwidths(h.setting.bandwidths, default_bandwidths()) && h.setting.backward == kDefaultBackward &&
         h.setting.weighted_backward == kDefaultWeightedBackward;
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
