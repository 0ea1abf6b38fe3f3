// What is taken for known when the perf of a plan is computed: bandwidths, multipliers, codecs (perf-model.md). Private
// to src/infer.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "infer/search.h"
#include "shardstats/planner/perf.h"

namespace shardstats::infer_detail {

template <class T>
inline constexpr std::array<T Bandwidths<T>::*, 6> kBandwidthsOf = {
    &Bandwidths<T>::hbm, &Bandwidths<T>::ddr,        &Bandwidths<T>::hbm_to_ddr,
    &Bandwidths<T>::ssd, &Bandwidths<T>::intra_host, &Bandwidths<T>::inter_host};
inline constexpr auto kBandwidths = kBandwidthsOf<RealInterval>;
inline constexpr auto kBandwidthFlags = kBandwidthsOf<bool>;
Bandwidths<RealInterval> default_bandwidths();
inline constexpr double kEndless = std::numeric_limits<double>::infinity();  // a bandwidth that takes no time
bool same_bandwidths(const Bandwidths<RealInterval>& a, const Bandwidths<RealInterval>& b);
inline constexpr RealInterval kDefaultBackward{2, 2}, kDefaultWeightedBackward{1, 1};  // multipliers

// Bandwidths and multipliers: what fits find.
struct FittedValues {
  Bandwidths<RealInterval> bandwidths = default_bandwidths();
  RealInterval backward = kDefaultBackward, weighted_backward = kDefaultWeightedBackward;
};
// Each of them, of FittedValues or what else has them: the bandwidths in the order of kBandwidths, then the
// multipliers.
inline constexpr std::size_t kFittedValues = kBandwidths.size() + 2;
inline constexpr std::size_t kBackwardMultiplier = kBandwidths.size();
template <class Values>
auto& fitted_value(Values& values, std::size_t index) {
  using T = std::remove_cvref_t<decltype(values.backward)>;
  if (index < kBandwidths.size()) return values.bandwidths.*kBandwidthsOf<T>[index];
  return index == kBackwardMultiplier ? values.backward : values.weighted_backward;
}
FittedValues values_of(const PerfSetting<RealInterval>& setting);
void set_values(const FittedValues& values, PerfSetting<RealInterval>& setting);
bool same_values(const FittedValues& a, const FittedValues& b);
FittedValues hull(FittedValues a, const FittedValues& b);

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
// Do they differ in bandwidths and multipliers at most?
bool differ_in_values_alone(const PerfHypothesis& a, const PerfHypothesis& b);

}  // namespace shardstats::infer_detail
