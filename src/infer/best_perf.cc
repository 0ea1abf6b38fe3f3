#include "infer/best_perf.h"

#include <algorithm>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kMostFits = 16;  // equally good ones that are kept

// A multiplier of its own leaves other bounds for the same bandwidths; the default ones stay what they are.
bool adds_multiplier(const PerfOutcome& other, const PerfOutcome& best) {
  const PerfSetting<RealInterval>&x = best.hypothesis.setting, &y = other.hypothesis.setting;
  const Bandwidths<RealInterval> usual = default_bandwidths();
  const auto are_alike = [&](const auto b) {
    if (x.bandwidths.*b == usual.*b) return y.bandwidths.*b == usual.*b;
    return (x.bandwidths.*b).overlaps(usual.*b) == (y.bandwidths.*b).overlaps(usual.*b);
  };
  const bool is_added =
      (x.backward == kDefaultBackward && y.backward != kDefaultBackward) ||
      (x.weighted_backward == kDefaultWeightedBackward && y.weighted_backward != kDefaultWeightedBackward);
  return is_added && best.codecs == other.codecs && x.local_size == y.local_size &&
         std::ranges::all_of(kBandwidths, are_alike);
}

// Does it have other values in the place of some that are not the usual ones?
bool speaks_against(const PerfHypothesis& other, const PerfHypothesis& h) {
  const FittedValues usual;
  for (std::size_t i = 0; i < kFittedValues; ++i) {
    const RealInterval found = fitted_value(h.setting, i);
    if (!found.overlaps(fitted_value(usual, i)) && !found.overlaps(fitted_value(other.setting, i))) return true;
  }
  return false;
}

bool same_hypothesis(const PerfOutcome& a, const PerfOutcome& b) {
  return a.codecs == b.codecs && differ_in_values_alone(a.hypothesis, b.hypothesis) &&
         same_values(values_of(a.hypothesis.setting), values_of(b.hypothesis.setting));
}

}  // namespace

Standing standing(const PerfOutcome& outcome) {
  return {outcome.cost() + outcome.contradictions / 2, outcome.contradictions};
}

// One value of its own that settles everything is more likely than the one wrong cell it costs.
void BestPerf::keep(PerfOutcome outcome) {
  // Bounds cover what explains the log; those of all sizes at once are so wide that they explain a wrong cell, too.
  const bool explains = outcome.contradictions == 0 && !outcome.hypothesis.any_element;
  if (outcome.cost() >= below_ && !(alternatives_ && explains)) return;
  const bool is_best = best_.empty() || standing(outcome) < standing(best_.front());
  if (!is_best && !is_near(outcome, best_.front())) return;
  const auto same = [&](const PerfOutcome& o) { return same_hypothesis(o, outcome); };
  // Of fitted values no one is more likely than another.
  const bool several = alternatives_ || (outcome.freedoms > 0 && best_.size() < kMostFits);
  if (!is_best && (!several || std::ranges::any_of(best_, same))) return;
  best_.insert(is_best ? best_.begin() : best_.end(), std::move(outcome));
  if (is_best) std::erase_if(best_, [&](const PerfOutcome& o) { return !is_near(o, best_.front()); });
}

// As good as the best one. Where all are asked for and that explains the log, one value of its own more does not
// exclude a fit that explains it with another value in the place of one of the best, or hosts of another size: which
// is right remains open. Fits may be off where dtypes are open, so odd bandwidths exclude none.
bool BestPerf::is_near(const PerfOutcome& outcome, const PerfOutcome& best) const {
  if (standing(outcome) == standing(best)) return true;
  constexpr std::int64_t kSlack = 1;
  return alternatives_ && best.contradictions == 0 && outcome.contradictions == 0 &&
         outcome.cost() - outcome.odd <= best.cost() + kSlack &&
         (outcome.hypothesis.setting.local_size != best.hypothesis.setting.local_size ||
          speaks_against(outcome.hypothesis, best.hypothesis) || adds_multiplier(outcome, best));
}

}  // namespace shardstats::infer_detail
