// Bandwidths and backward multipliers that the printed perf numbers leave (perf-model.md section 4). Every perf number
// is linear in the reciprocals of the bandwidths, so bounds follow by interval arithmetic. Private to src/infer.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "infer/perf_bandwidths.h"
#include "infer/perf_multipliers.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {

// The fits of one hypothesis.
class PerfFits {
 public:
  // `start`: the estimate of a fit of similar numbers.
  PerfFits(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
           const std::optional<Box>& start = std::nullopt);
  // `codecs`: by sharder, index into codec_table(), or kNotFitted.
  // `kept`: index of a bandwidth that stays at its default.
  PerfFit fit(const std::vector<std::size_t>& codecs, std::optional<std::size_t> kept = std::nullopt);
  // The same where the default bandwidths explain every number, which is for the caller to see: what some tables leave
  // of them then holds for all. None if that is more than the defaults.
  std::optional<PerfFit> fit_defaults(const std::vector<std::size_t>& codecs, std::optional<std::size_t> kept);
  // The same with a backward multiplier of its own, where the usual one explains the components.
  PerfFit fit_multipliers_too(const std::vector<std::size_t>& codecs);
  // The same with the multipliers of `values`.
  PerfFit fit_with_multipliers(const std::vector<std::size_t>& codecs, const FittedValues& values);
  // Multipliers of their own with the default bandwidths.
  PerfFit multipliers(const std::vector<std::size_t>& codecs);
  // The same with defaults in the place of bandwidths that are close to them: a few wrong numbers can push those off.
  PerfFit snapped(const std::vector<std::size_t>& codecs, const PerfFit& fit);
  struct Cost {
    std::int64_t contradictions = 0, freedoms = 0;
  };
  // Of a rough fit of some tables of each sharder; where that leaves some out, ranks are not looked at.
  Cost rough_cost(const std::vector<std::size_t>& codecs);

 private:
  // What refining the multipliers rests on, and what came of it.
  struct Refined {
    std::vector<std::size_t> codecs;
    Bandwidths<RealInterval> bandwidths;
    RealInterval backward_before{}, weighted_before{};
    RealInterval backward{}, weighted_backward{};
    std::int64_t freedoms = 0;  // more
  };

  // Of the tables that were asked for last.
  struct ByComponents {
    std::vector<std::uint32_t> tables;
    Multipliers multipliers;
  };

  // Tables that rough fits look at. Codecs of the same wire sizes for all of these are the same to them.
  struct Rough {
    Sample sample;
    WireClasses classes;
    std::map<std::vector<std::size_t>, Cost> costs;  // by the first codecs of the same sizes
  };

  Rough& rough();
  FitTables tables_with(const std::vector<std::size_t>& codecs, const Sample& sample, bool rough = false);
  // `some`: those that bound the bandwidths.
  PerfFit fit(const FitTables& tables, const FitTables& some, std::optional<std::size_t> kept);
  bool bounds_all_used(const PerfFit& fit);
  Multipliers take_multipliers(const FitTables& tables, PerfFit& fit);
  void refine(const FitTables& tables, PerfFit& fit);

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  std::optional<Box> start_;
  LikeliestOptions options_;
  TableNumbers numbers_;
  Sample all_;
  std::optional<Rough> rough_;  // once asked for
  std::optional<ByComponents> by_components_;
  Refined refined_;  // last, of all tables
};

}  // namespace shardstats::infer_detail
