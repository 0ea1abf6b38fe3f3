#include "infer/widen_perf.h"

#include <utility>

#include "infer/perf_codecs.h"
#include "infer/perf_fit.h"

namespace shardstats::infer_detail {
namespace {

// Bandwidths and multipliers that are not the defaults or that the fit leaves open; false: it says nothing new of them.
bool widen_own_values(PerfSetting<RealInterval>& setting, const PerfFit& found) {
  bool changed = false;
  const FittedValues usual;
  for (std::size_t i = 0; i < kFittedValues; ++i) {
    RealInterval& value = fitted_value(setting, i);
    const RealInterval of_default = fitted_value(usual, i), of_fit = fitted_value(found, i);
    const RealInterval wider = hull(value, of_fit);
    const bool is_believed = value == of_default && !of_fit.contains(of_default.low);
    if (is_believed || wider == value) continue;
    value = wider;
    changed = true;
  }
  return changed;
}

}  // namespace

std::shared_ptr<const std::vector<std::uint32_t>> best_sizes(const PlanInputs& plan, const PerfInputs& perf,
                                                             const PerfOutcome& outcome) {
  auto sizes = std::make_shared<std::vector<std::uint32_t>>(perf.tables.size());
  CellElements by_cells(plan);
  const auto codecs = first_of(outcome.codecs);
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
    if (!perf.tables[t].known) continue;
    const Codecs own = codec_table()[codecs[perf.tables[t].sharder]];
    for (const PerfOption& option : best_options(outcome.hypothesis, plan, perf, t, own, by_cells))
      (*sizes)[t] |= 1u << element_index(option.element_size);
  }
  return sizes;
}

std::optional<PerfOutcome> widen_by_fit(const PlanInputs& plan, const PerfInputs& perf, PerfEvaluation& evaluation,
                                        PerfOutcome& outcome) {
  const PerfFit found = PerfFits(outcome.hypothesis, plan, perf).fit(first_of(outcome.codecs));
  PerfOutcome with_fit = evaluation.run(fitted(outcome.hypothesis, found), outcome.codecs);
  with_fit.bounded = outcome.bounded = found.bounded;
  if (found.freedoms == 0) {
    outcome = std::move(with_fit);
    return std::nullopt;
  }
  const bool both_explain = outcome.contradictions == 0 && with_fit.contradictions == 0;
  return both_explain ? std::optional(std::move(with_fit)) : std::nullopt;
}

void widen_by_sizes(const PlanInputs& plan, const PerfInputs& perf, PerfEvaluation& evaluation, PerfOutcome& outcome) {
  for (int round = 0; round < kRefits && !has_defaults(outcome.hypothesis); ++round) {
    PerfHypothesis h = outcome.hypothesis;
    h.sizes = best_sizes(plan, perf, outcome);
    const PerfFit found = PerfFits(h, plan, perf).fit(first_of(outcome.codecs), h.kept);
    h.sizes.reset();
    if (!widen_own_values(h.setting, found)) return;
    PerfOutcome wider = evaluation.run(h, outcome.codecs);
    if (wider.contradictions > 0) return;
    wider.freedoms = outcome.freedoms;
    wider.bounded = outcome.bounded;
    wider.fits = outcome.fits;
    outcome = std::move(wider);
  }
}

}  // namespace shardstats::infer_detail
