#include "infer/perf_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "infer/best_perf.h"
#include "infer/fill_perf.h"
#include "infer/perf_codecs.h"
#include "infer/perf_evaluation.h"
#include "infer/perf_fit.h"
#include "infer/perf_hypotheses.h"
#include "infer/perf_point.h"
#include "infer/widen_perf.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kFarBehind = 8;   // contradicted cells by which hypotheses have to be worse to be given up
constexpr std::int64_t kHidden = 1;      // what a value of its own costs that does not show
constexpr std::size_t kFits = 500;       // tables over all hypotheses that are fitted, at least two of these
constexpr std::int64_t kSeveral = 2;     // contradicted cells: one alone may be wrong itself
constexpr std::size_t kFewTables = 100;  // up to which other element sizes are tried
constexpr std::size_t kProbe = 32;       // tables that order the hypotheses
constexpr std::uint64_t kAllCodecs = (std::uint64_t{1} << kCodecs) - 1;

bool same_values(const FittedValues& a, const FittedValues& b) {
  return same_bandwidths(a.bandwidths, b.bandwidths) && a.backward == b.backward &&
         a.weighted_backward == b.weighted_backward;
}

class PerfSearch {
 public:
  PerfSearch(const PlanInputs& plan, const SearchResult& found, const PerfInputs& perf, const InferOptions& options)
      : plan_(plan),
        found_(found),
        perf_(perf),
        alternatives_(options.alternatives),
        effort_(is_hopeless(plan, found) ? Effort::uniform : options.effort),
        evaluation_(plan, perf, options.alternatives),
        best_(options.alternatives) {}

  bool gave_up() const { return gave_up_; }

  std::vector<PerfOutcome> run() {
    std::vector<Tried> tried;
    for (const PerfHypothesis& h : plausible()) {
      PerfOutcome outcome = try_defaults(h);
      tried.push_back({h, outcome.codecs, outcome.contradictions});
      best_.keep(std::move(outcome));
      if (!alternatives_ && best_.front().cost() == 0) break;  // nothing fits better, and equals are not asked for
    }
    if (best_.empty()) return {};
    by_defaults_ = best_.front().contradictions;
    const bool unexplained = best_.front().cost() > 0 && !only_single_cells(best_.front());
    gave_up_ = unexplained && effort_ == Effort::uniform;
    if (unexplained && !gave_up_)
      try_other_values(std::move(tried));
    else if (alternatives_)
      for (PerfOutcome& outcome : best_.all()) widen_by_fit(plan_, perf_, evaluation_, outcome);
    if (alternatives_ && best_.front().contradictions == 0)
      for (PerfOutcome& outcome : best_.all()) widen_by_sizes(plan_, perf_, evaluation_, outcome);
    return std::move(best_.all());
  }

 private:
  // What the default bandwidths left of a hypothesis.
  struct Tried {
    PerfHypothesis hypothesis;
    std::vector<std::uint64_t> codecs;
    std::int64_t contradictions = 0;
  };

  // The best that fits of a hypothesis led to.
  struct Fitted {
    PerfHypothesis hypothesis;
    Standing standing;
  };

  // Bandwidths and multipliers that are fitted, then element sizes.
  void try_other_values(std::vector<Tried> tried) {
    std::stable_sort(tried.begin(), tried.end(),
                     [](const Tried& a, const Tried& b) { return a.contradictions < b.contradictions; });
    const std::size_t most = std::max<std::size_t>(kFits / std::max<std::size_t>(plan_.tables.size(), 1), 2);
    if (tried.size() > most) tried.resize(most);
    for (const Tried& one : tried) try_fits(one.hypothesis, one.codecs);
    try_usual_values();
    if (effort_ == Effort::exhaustive && try_left_behind(most)) try_usual_values();
    const bool try_sizes = effort_ == Effort::exhaustive && plan_.tables.size() <= kFewTables;
    std::optional<BestPerf> settled;
    if (try_sizes) settled = settle_with_best_sizes(tried);
    if (try_sizes && may_rest_on_sizes(best_.front(), kManyContradictions)) {
      const BestPerf before = best_;
      // Another element size explains a single wrong cell too easily.
      if (best_.front().contradictions < kManyContradictions) best_.ask_below(best_.front().cost() - 1);
      const auto like_best = std::ranges::find_if(tried, [&](const Tried& one) { return is_like_best(one); });
      if (like_best != tried.begin() && like_best != tried.end()) try_element_sizes(*like_best);
      try_element_sizes(tried.front());
      try_other_hosts(tried);
      if (best_.front().hypothesis.element || best_.front().hypothesis.any_element) try_usual_values();
      best_.ask_any();
      const bool explains_all = best_.front().contradictions == 0 && best_.front().hypothesis.any_element;
      const BestPerf& without = settled ? *settled : before;
      if (explains_all && without.front().contradictions < kManyContradictions && !explains_with_best_sizes())
        best_ = without;
    }
    if (try_sizes) refit_with_best_sizes(tried);
  }

  // Bounds that were fitted with any size of each table are wide enough to hide a wrong cell: do those that are fitted
  // with the sizes which they leave explain the log as well?
  bool explains_with_best_sizes() {
    PerfHypothesis h = best_.front().hypothesis;
    h.any_element = false;
    h.sizes = best_sizes(plan_, perf_, best_.front());
    const WireClasses classes(h, plan_, perf_);
    PerfFits fits(h, plan_, perf_);
    const auto codecs = classes.first_of(first_of(best_.front().codecs));
    const auto explains = [&](const PerfFit& fit) {
      return evaluation_.run(fitted(h, fit), all_codecs(h)).contradictions == 0;
    };
    if (explains(fits.fit(codecs))) return true;
    return h.setting.backward != kDefaultBackward && explains(fits.fit_multipliers_too(codecs));
  }

  // Where the sizes that the best one leaves explain all numbers, no others are needed. Else they are put aside:
  // returned if they leave single numbers.
  std::optional<BestPerf> settle_with_best_sizes(const std::vector<Tried>& tried) {
    BestPerf settled = best_;
    refit_with_best_sizes(tried);
    if (best_.front().contradictions == 0) return std::nullopt;
    std::swap(best_, settled);
    return settled.front().contradictions < kManyContradictions ? std::optional(std::move(settled)) : std::nullopt;
  }

  // Values fitted with the likeliest element size of each table show which sizes explain it, and these lead to others.
  void refit_with_best_sizes(const std::vector<Tried>& tried) {
    for (int round = 0; round < kRefits; ++round) {
      const PerfOutcome before = best_.front();
      if (!may_rest_on_sizes(before, kSeveral) || (round > 0 && has_defaults(before.hypothesis))) return;
      PerfHypothesis h = before.hypothesis;
      h.sizes = best_sizes(plan_, perf_, before);
      refit_once(h, before.codecs);
      if (best_.front().cost() >= before.cost()) return;
      if (alternatives_ && best_.front().contradictions == 0) refit_on_other_hosts(tried);
    }
  }

  // Hosts of another size may explain the log with the sizes of the best one as well.
  void refit_on_other_hosts(const std::vector<Tried>& tried) {
    const PerfOutcome best = best_.front();
    for (const Tried& one : tried) {
      PerfHypothesis h = one.hypothesis;
      if (!is_like(one, best.hypothesis) || h.setting.local_size == best.hypothesis.setting.local_size) continue;
      h.sizes = best.hypothesis.sizes;
      refit_once(h, best.codecs);
    }
  }

  void refit_once(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
    const WireClasses classes(h, plan_, perf_);
    PerfFits fits(h, plan_, perf_);
    Refits refits{h, fits, classes, {}, {}, std::nullopt};
    refit(refits, classes.first_of(first_of(codecs)));
  }

  // Hypotheses ordered by what some tables say about them, without those that the first ones leave far behind.
  std::vector<PerfHypothesis> plausible() {
    auto hypotheses = hypotheses_of(plan_, found_, effort_ == Effort::uniform && !alternatives_);
    if (hypotheses.size() < 2 || perf_.tables.size() <= kProbe) return hypotheses;
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      order.emplace_back(evaluation_.probe(hypotheses[i], all_codecs(hypotheses[i]), kProbe), i);
    std::stable_sort(order.begin(), order.end());
    std::vector<PerfHypothesis> best;
    for (const auto& [wrong, i] : order)
      (wrong <= order.front().first + kFarBehind ? best : left_behind_).push_back(hypotheses[i]);
    return best;
  }

  std::vector<std::uint64_t> all_codecs(const PerfHypothesis& h) const {
    return std::vector<std::uint64_t>(perf_.sharders, h.setting.rules->wire_sizes ? kAllCodecs : 1);
  }

  PerfOutcome try_defaults(const PerfHypothesis& h) {
    // Without fits to follow only a better one is of use.
    const bool only_better = effort_ == Effort::uniform && !alternatives_ && !best_.empty();
    PerfOutcome outcome =
        evaluation_.run(h, all_codecs(h), only_better ? best_.front().cost() : PerfEvaluation::kNoLimit);
    if (effort_ == Effort::uniform) return outcome;
    std::int64_t wrong = 0, cells = 0;  // ranks, and their cells
    for (const std::uint32_t of_rank : outcome.wrong_in_rank) {
      wrong += of_rank != 0;
      cells += std::popcount(of_rank);
    }
    // Where the tables disagree as well, the bandwidths are wrong rather than the codecs.
    if (wrong == 0 || outcome.contradictions > 2 * cells) return outcome;
    // Where most ranks disagree, the tables that chose the codecs are the wrong ones.
    const bool most = 2 * wrong > std::ssize(outcome.wrong_in_rank);
    choose_codecs_by_ranks(h, most ? all_codecs(h) : outcome.codecs, outcome);
    return outcome;
  }

  // Of codecs that the tables of a sharder leave open, as where its only table is wrong, the ranks choose.
  void choose_codecs_by_ranks(const PerfHypothesis& h, const std::vector<std::uint64_t>& open, PerfOutcome& outcome) {
    const WireClasses classes(h, plan_, perf_);
    for (std::size_t s = 0; s < open.size(); ++s) {
      std::vector<std::size_t> one = first_of(outcome.codecs);
      std::vector<std::size_t> seen{classes.first_of(one)[s]};
      each_bit(open[s], [&](int codec) {
        one[s] = static_cast<std::size_t>(codec);
        const std::size_t first = classes.first_of(one)[s];
        if (std::ranges::find(seen, first) != seen.end()) return;
        seen.push_back(first);
        auto allowed = outcome.codecs;
        allowed[s] = std::uint64_t{1} << codec;
        PerfOutcome other = evaluation_.run(h, allowed, outcome.cost());
        if (other.cost() < outcome.cost()) outcome = std::move(other);
      });
    }
  }

  // The default bandwidths left these behind, which need not be those of the log: a host of twice as many ranks looks
  // like twice the bandwidth between hosts. True if one of them is better.
  bool try_left_behind(std::size_t most) {
    const std::int64_t before = best_.front().cost();
    for (std::size_t i = 0; i < std::min(most, left_behind_.size()); ++i) {
      if (best_.front().contradictions < kManyContradictions) break;
      try_fits(left_behind_[i], try_defaults(left_behind_[i]).codecs);
    }
    return best_.front().cost() < before;
  }

  // Single wrong cells leave the default bandwidths right, and are not worth other element sizes. `most`: of these.
  static bool may_rest_on_sizes(const PerfOutcome& best, std::int64_t most) {
    return best.contradictions >= (best.freedoms > 0 ? 1 : most);
  }

  // Element sizes were tried on the hosts that look best without them; with all of them at once others may be better.
  void try_other_hosts(const std::vector<Tried>& tried) {
    // Sizes that were asked for by many cells, and leave some, may be right on other hosts only.
    const bool asked_by_many = best_.asks_any();
    const bool may_have_equals = alternatives_ && best_.front().hypothesis.any_element;
    if (!may_have_equals && best_.front().contradictions < (asked_by_many ? 1 : kManyContradictions)) return;
    const PerfHypothesis best = best_.front().hypothesis;
    for (const Tried& one : tried) {
      if (!is_like(one, best) || one.hypothesis.setting.local_size == best.setting.local_size) continue;
      PerfHypothesis h = one.hypothesis;
      h.any_element = true;
      try_fits(h, one.codecs);
    }
  }

  // But for the values that were fitted.
  bool is_like_best(const Tried& one) const {
    const PerfHypothesis& best = best_.front().hypothesis;
    return is_like(one, best) && one.hypothesis.setting.local_size == best.setting.local_size;
  }
  // And for the size of hosts.
  static bool is_like(const Tried& one, const PerfHypothesis& other) {
    const PerfHypothesis& h = one.hypothesis;
    return h.outcome == other.outcome && h.setting.rules == other.setting.rules &&
           h.setting.inference == other.setting.inference;
  }

  // With each other size that tables may have, and with all of them at once.
  void try_element_sizes(const Tried& with_defaults) {
    PerfHypothesis h = with_defaults.hypothesis;
    std::uint32_t elements = 0;
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t)
      if (perf_.tables[t].known) elements |= elements_of(h, t);
    if (std::popcount(elements) > 1)
      each_bit(elements, [&](int element) {
        h.element = element;
        try_fits(h, with_defaults.codecs);
      });
    h.element.reset();
    h.any_element = true;
    if (best_.front().contradictions > 0) try_fits(h, with_defaults.codecs);
  }

  // With bandwidths found, each sharder's codecs are looked at again by themselves, and the other way round.
  void try_fits(const PerfHypothesis& h, const std::vector<std::uint64_t>& default_codecs) {
    const WireClasses classes(h, plan_, perf_);
    PerfFits fits(h, plan_, perf_);
    Refits refits{h, fits, classes, {}, {}, std::nullopt};
    refit_often(refits, first_of(default_codecs));
    for (auto& codecs : fitting_codecs(h, perf_, fits, most_contradictions())) refit_often(refits, std::move(codecs));
    if (refits.best) fitted_.push_back(*std::move(refits.best));
  }

  // Once something explains the log, what costs more is of no use.
  std::int64_t most_contradictions() const {
    return best_.front().contradictions == 0 ? best_.front().cost() : PerfEvaluation::kNoLimit;
  }

  // Once more with each value at its default, and what was found of the others: not only for the best hypothesis, as
  // another may be better then.
  void try_usual_values() {
    for (Fitted& fitted : fitted_) {
      if (best_.front().contradictions == 0 && !alternatives_) break;
      for (const auto bandwidth : kBandwidths)
        try_default(
            fitted, [&](auto& setting) -> auto& { return setting.bandwidths.*bandwidth; });
      try_default(
          fitted, [](auto& setting) -> auto& { return setting.backward; });
      try_default(
          fitted, [](auto& setting) -> auto& { return setting.weighted_backward; });
    }
    fitted_.clear();
  }

  // A value that few tables show may have been fitted to unlikely options of these.
  template <class Value>
  void try_default(Fitted& fitted, Value value) {
    const FittedValues usual;
    FittedValues values = values_of(fitted.hypothesis);
    if (value(values).contains(value(usual).low)) return;
    value(values) = value(usual);
    const std::int64_t own = take_defaults(values, false);
    // The defaults were tried first; and with so many values of its own nothing is better.
    if (own == 0 || own > best_.front().cost()) return;
    PerfOutcome outcome = evaluation_.run(with_values(fitted.hypothesis, values), all_codecs(fitted.hypothesis));
    add_cost(own, values, outcome);
    if (standing(outcome) < fitted.standing) fitted = {outcome.hypothesis, standing(outcome)};
    keep(std::move(outcome));
  }

  // What fits of a hypothesis led to; the same one would lead there again.
  struct Refits {
    const PerfHypothesis& h;
    PerfFits& fits;
    const WireClasses& classes;
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> by_codecs;
    std::vector<std::pair<PerfFit, std::vector<std::size_t>>> by_fit;
    std::optional<Fitted> best;
  };

  // Two fits with the same codecs.
  struct Pair {
    const std::vector<std::size_t>& codecs;
    std::shared_ptr<const FitPair> fits;
  };

  // Until the codecs that a fit leads to are those that it was made with.
  void refit_often(Refits& refits, std::vector<std::size_t> codecs) {
    for (int round = 0; round < kRefits; ++round) {
      const auto next = refit(refits, refits.classes.first_of(codecs));
      if (std::exchange(codecs, next) == next) break;
    }
  }

  // The likeliest codecs with the bandwidths that were fitted with `codecs`.
  std::vector<std::size_t> refit(Refits& refits, const std::vector<std::size_t>& codecs) {
    const auto [next, is_new] = refits.by_codecs.try_emplace(codecs);
    if (is_new) {
      const PerfFit found = refits.fits.fit(codecs);
      const Pair pair{codecs, std::make_shared<const FitPair>(FitPair{found, refits.fits.snapped(codecs, found)})};
      try_fit(refits, pair.fits->snapped, &pair);
      // With many dtypes the bandwidths may be fitted to multipliers instead.
      if (const PerfFit own = refits.fits.multipliers(codecs); own.freedoms > 0) try_fit(refits, own);
      next->second = try_fit(refits, found, &pair);
      try_defaults_of_close(refits, codecs, found);
      const bool hides = by_defaults_ >= kManyContradictions && hides_values(found);
      for (std::size_t k = 0; k < kBandwidths.size(); ++k)
        if (hides ? !(found.bandwidths.*kBandwidths[k]).exact() : is_close_to_default(found, k))
          try_fit(refits, refits.fits.fit(codecs, k));
      // Bandwidths may be fitted to the usual multiplier in the place of the right one.
      if (by_defaults_ >= kManyContradictions && (best_.front().contradictions > 0 || alternatives_) &&
          found.backward == kDefaultBackward) {
        const PerfFit with_multipliers = refits.fits.fit_multipliers_too(codecs);
        try_fit(refits, with_multipliers);
        try_defaults_of_close(refits, codecs, with_multipliers);
      }
    }
    return next->second;
  }

  // Values that are fitted together, or to a wrong number, may each be a little off.
  void try_defaults_of_close(Refits& refits, const std::vector<std::size_t>& codecs, const PerfFit& fit) {
    PerfFit without = fit, with_close = fit;
    without.freedoms = take_defaults(without, true);
    if (without.freedoms == take_defaults(with_close, false)) return;
    try_fit(refits, without);
    if (without.backward != with_close.backward || without.weighted_backward != with_close.weighted_backward)
      try_fit(refits, refits.fits.fit_with_multipliers(codecs, without));
  }

  // `of`: where the fit is one of a pair.
  std::vector<std::size_t> try_fit(Refits& refits, const PerfFit& fit, const Pair* of = nullptr) {
    const auto known = std::ranges::find_if(
        refits.by_fit, [&](const auto& o) { return o.first.freedoms == fit.freedoms && same_values(o.first, fit); });
    if (known != refits.by_fit.end()) return known->second;
    PerfOutcome outcome = evaluation_.run(fitted(refits.h, fit), all_codecs(refits.h));
    add_cost(fit.freedoms, fit, outcome);
    if (outcome.contradictions == 0 && hides_some(refits.h, fit)) outcome.freedoms += kHidden;
    auto codecs = first_of(outcome.codecs);
    if (of != nullptr && refits.classes.first_of(codecs) == of->codecs) outcome.fits = of->fits;
    refits.by_fit.emplace_back(fit, codecs);
    if (!refits.best || standing(outcome) < refits.best->standing)
      refits.best = {outcome.hypothesis, standing(outcome)};
    keep(std::move(outcome));
    return codecs;
  }

  // Bounds that explain all numbers, but no values in them do, leave one of the numbers unexplained. (What any size
  // explains is questioned anyway.)
  void keep(PerfOutcome outcome) {
    const bool is_believed = outcome.contradictions == 0 && !outcome.hypothesis.any_element &&
                             (best_.empty() || standing(outcome) <= standing(best_.front()));
    if (is_believed && !PerfPoint(plan_, perf_).may_explain(outcome.hypothesis, all_codecs(outcome.hypothesis)))
      ++outcome.contradictions;
    best_.keep(std::move(outcome));
  }

  // `own`: how many of the values are not the defaults.
  static void add_cost(std::int64_t own, const FittedValues& values, PerfOutcome& outcome) {
    outcome.odd = odd_bandwidths(values);
    outcome.freedoms += own + unlikely_values(values) + outcome.odd;
  }

  // Do the bounds of a fit contain defaults of bandwidths that do not explain the log? (hides_values: of all values.
  // Multipliers that are fitted count as values of their own already.)
  bool hides_some(const PerfHypothesis& h, const FittedValues& values) {
    FittedValues with_defaults = values;
    const std::int64_t others = take_defaults(with_defaults, false);
    with_defaults.backward = values.backward;
    with_defaults.weighted_backward = values.weighted_backward;
    return others > 0 && !same_values(with_defaults, values) &&
           evaluation_.run(with_values(h, with_defaults), all_codecs(h), 1).contradictions > 0;
  }

  // Perf rests on sizes: where nothing explains the storage of most tables, no bandwidths explain their perf.
  static bool is_hopeless(const PlanInputs& plan, const SearchResult& found) {
    const auto tables = static_cast<std::int64_t>(plan.tables.size());
    return !found.survivors.empty() &&
           found.survivors.front().outcome.contradictions > std::max(2 * kManyContradictions, tables / 2);
  }

  // A bandwidth of its own would speak against more than a few cells of a large plan.
  bool only_single_cells(const PerfOutcome& outcome) const {
    constexpr std::int64_t kLarge = 500, kFewIn = 500, kSingle = 2;
    std::int64_t cells = 0;
    for (const PerfTable& table : perf_.tables) cells += table.known ? printed_cells(table) : 0;
    return cells >= kLarge && outcome.freedoms == 0 && outcome.statistics == 0 &&
           outcome.contradictions <= std::max(kSingle, cells / kFewIn);
  }

  const PlanInputs& plan_;
  const SearchResult& found_;
  const PerfInputs& perf_;
  bool alternatives_;
  Effort effort_;
  PerfEvaluation evaluation_;
  bool gave_up_ = false;
  std::int64_t by_defaults_ = 0;             // contradictions that the default bandwidths leave
  std::vector<PerfHypothesis> left_behind_;  // most likely first
  std::vector<Fitted> fitted_;               // by hypothesis, since the defaults were last put back
  BestPerf best_;
};

}  // namespace

std::vector<PerfOutcome> infer_perf(const PlanInputs& inputs, const SearchResult& found, const PerfInputs& perf,
                                    const InferOptions& options, Plan& plan) {
  fill_printed_ranks(perf, plan);
  if (found.survivors.empty()) return {};
  PerfSearch search(inputs, found, perf, options);
  auto outcomes = search.run();
  plan.gave_up |= search.gave_up();
  if (!outcomes.empty()) fill_perf(outcomes, inputs, perf, options.alternatives, plan);
  return outcomes;
}

}  // namespace shardstats::infer_detail
