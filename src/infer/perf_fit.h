// Bandwidths and backward multipliers that the printed perf numbers leave (perf-model.md section 4). Every perf number
// is linear in the reciprocals of the bandwidths, so bounds follow by interval arithmetic. Private to src/infer.
#pragma once

#include <vector>

#include "infer/unit_costs.h"

namespace shardstats::infer_detail {

struct PerfFit {
  Bandwidths<RealInterval> bandwidths = default_bandwidths();
  Bandwidths<bool> bounded{};  // by a printed number that is linear in its reciprocal
  RealInterval backward{2, 2}, weighted_backward{1, 1};
  std::int64_t contradictions = 0;  // printed numbers that no bandwidths of the bounds explain
  std::int64_t freedoms = 0;        // values that are not the defaults
  std::optional<Values> solution;   // reciprocals around which those are looked for that no number gives alone
  std::optional<std::size_t> kept;  // index of the bandwidth that stays at its default whatever the numbers say
};

PerfHypothesis fitted(const PerfHypothesis& h, const PerfFit& fit);
// By sharder: the likeliest of a set of codecs.
std::vector<std::size_t> first_of(const std::vector<std::uint64_t>& sets);

inline constexpr std::size_t kNotFitted = kCodecs;  // of a sharder whose tables say nothing

struct FitTables;

// The fits of one hypothesis.
class PerfFits {
 public:
  // `start`: the solution of a fit of similar numbers.
  PerfFits(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
           const std::optional<Values>& start = std::nullopt);
  // `codecs`: by sharder, index into codec_table(), or kNotFitted.
  // `kept`: index of a bandwidth that stays at its default.
  PerfFit fit(const std::vector<std::size_t>& codecs, std::optional<std::size_t> kept = std::nullopt);
  // The same with a backward multiplier of its own, where the usual one explains the components.
  PerfFit fit_multipliers_too(const std::vector<std::size_t>& codecs);
  // The same with defaults in the place of bandwidths that are close to them: a few wrong numbers can push those off.
  PerfFit snapped(const std::vector<std::size_t>& codecs, const PerfFit& fit) const;
  struct Cost {
    std::int64_t contradictions = 0, freedoms = 0;
  };
  // Of a rough fit of some tables of each sharder; where that leaves some out, ranks are not looked at.
  Cost rough_cost(const std::vector<std::size_t>& codecs);

 private:
  PerfFit fit(const FitTables& tables, std::optional<std::size_t> kept);

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  std::optional<Values> start_;
  UnitCosts costs_;
};

}  // namespace shardstats::infer_detail
