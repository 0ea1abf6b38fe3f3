// Bandwidths and backward multipliers that the printed perf numbers leave (perf-model.md section 4). Every perf number
// is linear in the reciprocals of the bandwidths, so bounds follow by interval arithmetic. Private to src/infer.
#pragma once

#include <vector>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

inline constexpr std::array<RealInterval Bandwidths<RealInterval>::*, 6> kBandwidths = {
    &Bandwidths<RealInterval>::hbm, &Bandwidths<RealInterval>::ddr,        &Bandwidths<RealInterval>::hbm_to_ddr,
    &Bandwidths<RealInterval>::ssd, &Bandwidths<RealInterval>::intra_host, &Bandwidths<RealInterval>::inter_host};
inline constexpr std::array<bool Bandwidths<bool>::*, kBandwidths.size()> kBandwidthFlags = {
    &Bandwidths<bool>::hbm, &Bandwidths<bool>::ddr,        &Bandwidths<bool>::hbm_to_ddr,
    &Bandwidths<bool>::ssd, &Bandwidths<bool>::intra_host, &Bandwidths<bool>::inter_host};
Bandwidths<RealInterval> default_bandwidths();

struct PerfFit {
  Bandwidths<RealInterval> bandwidths = default_bandwidths();
  Bandwidths<bool> bounded{};  // by a printed number that is linear in its reciprocal
  RealInterval backward{2, 2}, weighted_backward{1, 1};
  std::int64_t contradictions = 0;  // printed numbers that no bandwidths of the bounds explain
  std::int64_t freedoms = 0;        // values that are not the defaults
};

// `codecs`: by sharder, index into codec_table(); kNotFitted: its tables say nothing. `most_tables`: of each sharder;
// where that leaves some out, ranks are not looked at.
inline constexpr std::size_t kNotFitted = kCodecs;
inline constexpr std::size_t kEveryTable = 1 << 30;
PerfFit fit(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
            const std::vector<std::size_t>& codecs, std::size_t most_tables = kEveryTable);

// The same with defaults in the place of bandwidths that are close to them: a few wrong numbers can push those off.
PerfFit snapped(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                const std::vector<std::size_t>& codecs, const PerfFit& fit);

}  // namespace shardstats::infer_detail
