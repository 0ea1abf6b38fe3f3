#include "infer/fit_search.h"

#include <algorithm>

#include "infer/perf_codecs.h"
#include "infer/widen_perf.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kHidden = 1;  // what a value of its own costs that does not show
constexpr std::uint64_t kAllCodecs = (std::uint64_t{1} << kCodecs) - 1;

// `own`: how many of the values are not the defaults.
void add_cost(std::int64_t own, const FittedValues& values, PerfOutcome& outcome) {
  outcome.odd = odd_bandwidths(values);
  outcome.freedoms += own + unlikely_values(values) + outcome.odd;
}

}  // namespace

std::vector<std::uint64_t> all_codecs(const PerfHypothesis& h, const PerfInputs& perf) {
  return std::vector<std::uint64_t>(perf.sharders, h.setting.rules->wire_sizes ? kAllCodecs : 1);
}

void FitSearch::try_all(const PerfHypothesis& h, const std::vector<std::uint64_t>& default_codecs) {
  Refits refits(h, plan_, perf_);
  refit_often(refits, first_of(default_codecs));
  for (auto& codecs : fitting_codecs(h, perf_, refits.fits, most_contradictions()))
    refit_often(refits, std::move(codecs));
  if (refits.best) fitted_.push_back(*std::move(refits.best));
}

void FitSearch::try_codecs(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
  Refits refits(h, plan_, perf_);
  refit(refits, refits.classes.first_of(first_of(codecs)));
}

void FitSearch::try_other_codecs(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
  if (!h.setting.rules->wire_sizes) return;
  Refits refits(h, plan_, perf_);
  const std::vector<std::size_t> found = first_of(codecs);
  for (std::size_t s = 0; s < found.size(); ++s)
    for (std::size_t codec = 0; codec < kCodecs; ++codec) {
      auto one = found;
      one[s] = codec;
      refit(refits, refits.classes.first_of(one));
    }
}

void FitSearch::try_usual_values() {
  for (Fitted& fitted : fitted_) {
    if (best_.front().contradictions == 0 && !alternatives_) break;
    for (std::size_t i = 0; i < kFittedValues; ++i) try_default(fitted, i);
  }
  fitted_.clear();
}

// Once something explains the log, what costs more is of no use.
std::int64_t FitSearch::most_contradictions() const {
  return best_.front().contradictions == 0 ? best_.front().cost() : PerfEvaluation::kNoLimit;
}

// A value that few tables show may have been fitted to unlikely options of these.
void FitSearch::try_default(Fitted& fitted, std::size_t index) {
  const FittedValues usual;
  FittedValues values = values_of(fitted.hypothesis.setting);
  RealInterval& value = fitted_value(values, index);
  const RealInterval of_default = fitted_value(usual, index);
  if (value.contains(of_default.low)) return;
  value = of_default;
  const std::int64_t own = take_defaults(values, false);
  // The defaults were tried first; and with so many values of its own nothing is better.
  if (own == 0 || own > best_.front().cost()) return;
  PerfOutcome outcome = evaluation_.run(with_values(fitted.hypothesis, values), all_codecs(fitted.hypothesis, perf_));
  add_cost(own, values, outcome);
  outcome = questioned(std::move(outcome));
  if (standing(outcome) < fitted.standing) fitted = {outcome.hypothesis, standing(outcome)};
  best_.keep(std::move(outcome));
}

// Until the codecs that a fit leads to are those that it was made with.
void FitSearch::refit_often(Refits& refits, std::vector<std::size_t> codecs) {
  for (int round = 0; round < kRefits; ++round) {
    const auto next = refit(refits, refits.classes.first_of(codecs));
    if (std::exchange(codecs, next) == next) break;
  }
}

// The likeliest codecs with the bandwidths that were fitted with `codecs`.
std::vector<std::size_t> FitSearch::refit(Refits& refits, const std::vector<std::size_t>& codecs) {
  const auto [next, is_new] = refits.by_codecs.try_emplace(codecs);
  if (!is_new) return next->second;
  const PerfFit found = refits.fits.fit(codecs);
  const Pair pair{codecs, std::make_shared<const FitPair>(FitPair{found, refits.fits.snapped(codecs, found)})};
  try_fit(refits, pair.fits->snapped, &pair);
  // With many dtypes the bandwidths may be fitted to multipliers instead.
  if (const PerfFit own = refits.fits.multipliers(codecs); own.freedoms > 0) try_fit(refits, own);
  next->second = try_fit(refits, found, &pair);
  try_defaults_of_close(refits, codecs, found);
  const bool hides = hides_values(found);
  for (std::size_t k = 0; k < kBandwidths.size(); ++k)
    if (hides ? !(found.bandwidths.*kBandwidths[k]).exact() : is_close_to_default(found, k))
      try_fit(refits, refits.fits.fit(codecs, k));
  // Bandwidths may be fitted to the usual multiplier in the place of the right one, and that to them.
  const bool has_usual = found.backward == kDefaultBackward || is_close_to_default(found, kBackwardMultiplier);
  if (by_defaults_ >= kManyContradictions && (best_.front().contradictions > 0 || alternatives_) && has_usual) {
    const PerfFit with_multipliers = refits.fits.fit_multipliers_too(codecs);
    try_fit(refits, with_multipliers);
    try_defaults_of_close(refits, codecs, with_multipliers);
  }
  return next->second;
}

// Values that are fitted together, or to a wrong number, may each be a little off.
void FitSearch::try_defaults_of_close(Refits& refits, const std::vector<std::size_t>& codecs, const PerfFit& fit) {
  PerfFit without = fit, with_close = fit;
  without.freedoms = take_defaults(without, true);
  if (without.freedoms == take_defaults(with_close, false)) return;
  try_fit(refits, without);
  if (without.backward != with_close.backward || without.weighted_backward != with_close.weighted_backward)
    try_fit(refits, refits.fits.fit_with_multipliers(codecs, without));
}

// `of`: where the fit is one of a pair.
std::vector<std::size_t> FitSearch::try_fit(Refits& refits, const PerfFit& fit, const Pair* of) {
  const auto known = std::ranges::find_if(
      refits.by_fit, [&](const auto& o) { return o.first.freedoms == fit.freedoms && same_values(o.first, fit); });
  if (known != refits.by_fit.end()) return known->second;
  PerfOutcome outcome = evaluation_.run(fitted(refits.h, fit), all_codecs(refits.h, perf_));
  add_cost(fit.freedoms, fit, outcome);
  if (outcome.contradictions == 0 && hides_some(refits.h, fit)) outcome.freedoms += kHidden;
  auto codecs = first_of(outcome.codecs);
  if (of != nullptr && refits.classes.first_of(codecs) == of->codecs) outcome.fits = of->fits;
  refits.by_fit.emplace_back(fit, codecs);
  outcome = questioned(std::move(outcome));
  if (!refits.best || standing(outcome) < refits.best->standing) refits.best = {outcome.hypothesis, standing(outcome)};
  best_.keep(std::move(outcome));
  return codecs;
}

// Bounds that explain all numbers, but no values in them do, leave one of the numbers unexplained. (What any size
// explains is questioned anyway.)
PerfOutcome FitSearch::questioned(PerfOutcome outcome) {
  const bool is_believed =
      outcome.contradictions == 0 && !outcome.hypothesis.any_element && standing(outcome) <= standing(best_.front());
  if (is_believed && !point_.may_explain(outcome.hypothesis, all_codecs(outcome.hypothesis, perf_)))
    ++outcome.contradictions;
  return outcome;
}

// Do the bounds of a fit contain defaults of bandwidths that do not explain the log? (hides_values: of all values.
// Multipliers that are fitted count as values of their own already.)
bool FitSearch::hides_some(const PerfHypothesis& h, const FittedValues& values) {
  FittedValues with_defaults = values;
  const std::int64_t others = take_defaults(with_defaults, false);
  with_defaults.backward = values.backward;
  with_defaults.weighted_backward = values.weighted_backward;
  return others > 0 && !same_values(with_defaults, values) &&
         evaluation_.run(with_values(h, with_defaults), all_codecs(h, perf_), 1).contradictions > 0;
}

}  // namespace shardstats::infer_detail
