// What is taken for known when the perf of a plan is computed: bandwidths, multipliers, codecs (perf-model.md). Private
// to src/infer.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "infer/search.h"
#include "shardstats/planner/perf.h"

namespace shardstats::infer_detail {

inline constexpr std::array<RealInterval Bandwidths<RealInterval>::*, 6> kBandwidths = {
    &Bandwidths<RealInterval>::hbm, &Bandwidths<RealInterval>::ddr,        &Bandwidths<RealInterval>::hbm_to_ddr,
    &Bandwidths<RealInterval>::ssd, &Bandwidths<RealInterval>::intra_host, &Bandwidths<RealInterval>::inter_host};
inline constexpr std::array<bool Bandwidths<bool>::*, kBandwidths.size()> kBandwidthFlags = {
    &Bandwidths<bool>::hbm, &Bandwidths<bool>::ddr,        &Bandwidths<bool>::hbm_to_ddr,
    &Bandwidths<bool>::ssd, &Bandwidths<bool>::intra_host, &Bandwidths<bool>::inter_host};
Bandwidths<RealInterval> default_bandwidths();
inline constexpr double kEndless = std::numeric_limits<double>::infinity();  // a bandwidth that takes no time
bool same_bandwidths(const Bandwidths<RealInterval>& a, const Bandwidths<RealInterval>& b);
Bandwidths<RealInterval> hull(Bandwidths<RealInterval> a, const Bandwidths<RealInterval>& b);
inline constexpr RealInterval kDefaultBackward{2, 2}, kDefaultWeightedBackward{1, 1};  // multipliers

// Quantized comms that a sharder can have, most likely first; a set of them is a bit mask.
inline constexpr std::size_t kCodecs = 16;
const std::array<Codecs, kCodecs>& codec_table();
constexpr std::uint64_t likeliest(std::uint64_t codecs) { return codecs & (~codecs + 1); }  // of a set, alone

struct PerfHypothesis {
  const Outcome* outcome = nullptr;  // of the storage half: lookups, element sizes
  PerfSetting<RealInterval> setting;
  std::optional<int> element;  // index of the element size taken first where a table may have several; else plan-wide
  bool any_element = false;    // bandwidths are fitted with all element sizes that a table's cells allow
  std::shared_ptr<const std::vector<std::uint32_t>> sizes;  // by table, a bit each: those that values are fitted with
  std::optional<std::size_t> kept;  // index of a bandwidth that was fitted by keeping its default
};

bool has_defaults(const PerfHypothesis& h);

}  // namespace shardstats::infer_detail
