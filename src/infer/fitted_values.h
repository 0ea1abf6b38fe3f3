// What a fit of the printed perf numbers gives. Private to src/infer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "infer/linear_system.h"
#include "infer/perf_model.h"

namespace shardstats::infer_detail {

PerfHypothesis with_values(const PerfHypothesis& h, const FittedValues& values);

struct PerfFit : FittedValues {
  Bandwidths<bool> bounded{};       // by a printed number that is linear in its reciprocal
  std::int64_t contradictions = 0;  // of a rough fit: printed numbers that no bandwidths of the bounds explain
  std::int64_t freedoms = 0;        // values that are not the defaults
  std::optional<Box> estimate;      // reciprocals in which those are looked for that no number gives alone
  std::optional<std::size_t> kept;  // index of the bandwidth that stays at its default whatever the numbers say
};

// A fit, and what it is with defaults in the place of values that are close to them.
struct FitPair {
  PerfFit fit, snapped;
};

PerfHypothesis fitted(const PerfHypothesis& h, const PerfFit& fit);
// By sharder: the likeliest of a set of codecs.
std::vector<std::size_t> first_of(const std::vector<std::uint64_t>& sets);

// All bounds contain the defaults, which were tried before: so one of them at least has another value. Where numbers
// depend on two, that shows if one of the two stays at its default.
bool hides_values(const FittedValues& values);
// Is the value with that index (fitted_value) close to its default, which it can hardly be?
bool is_close_to_default(const FittedValues& values, std::size_t index);
// What values cost besides being their own. Those close to the default are unlikely, and values that do not show are
// several.
std::int64_t unlikely_values(const FittedValues& values);
// How many other bandwidths are not what people set: half or whole GiB/s, or tenths of a GB/s.
std::int64_t odd_bandwidths(const FittedValues& values);
// Puts those that may be their defaults, or are close to them if `close_too`, to these; returns how many others there
// are.
std::int64_t take_defaults(FittedValues& values, bool close_too);

inline constexpr std::size_t kNotFitted = kCodecs;  // of a sharder whose tables say nothing

}  // namespace shardstats::infer_detail
