#include "infer/perf_search.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "infer/best_perf.h"
#include "infer/fit_search.h"
#include "infer/perf_codecs.h"
#include "infer/perf_evaluation.h"
#include "infer/perf_fit.h"
#include "infer/perf_hypotheses.h"
#include "infer/widen_perf.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kFarBehind = 8;   // contradicted cells by which hypotheses have to be worse to be given up
constexpr std::size_t kFits = 500;       // tables over all hypotheses that are fitted, at least two of these
constexpr std::int64_t kSeveral = 2;     // contradicted cells: one alone may be wrong itself
constexpr std::size_t kFewTables = 100;  // up to which other element sizes are tried
constexpr std::size_t kProbe = 32;       // tables that order the hypotheses

class PerfSearch {
 public:
  PerfSearch(const PlanInputs& plan, const SearchResult& found, const PerfInputs& perf, const InferOptions& options)
      : plan_(plan),
        found_(found),
        perf_(perf),
        alternatives_(options.alternatives),
        effort_(is_hopeless(plan, found) ? Effort::uniform : options.effort),
        evaluation_(plan, perf, options.alternatives),
        best_(options.alternatives),
        fits_(plan, perf, alternatives_, evaluation_, best_) {}

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
    fits_.set_left_by_defaults(best_.front().contradictions);
    const bool unexplained = best_.front().cost() > 0 && !only_single_cells(best_.front());
    gave_up_ = unexplained && effort_ == Effort::uniform;
    if (unexplained && !gave_up_)
      try_other_values(std::move(tried));
    else if (alternatives_)
      widen_by_fits();
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

  void widen_by_fits() {
    std::vector<PerfOutcome> others;
    for (PerfOutcome& outcome : best_.all())
      if (auto other = widen_by_fit(plan_, perf_, evaluation_, outcome)) others.push_back(*std::move(other));
    std::ranges::move(others, std::back_inserter(best_.all()));
  }

  // Bandwidths and multipliers that are fitted, then element sizes.
  void try_other_values(std::vector<Tried> tried) {
    std::stable_sort(tried.begin(), tried.end(),
                     [](const Tried& a, const Tried& b) { return a.contradictions < b.contradictions; });
    const std::size_t most = std::max<std::size_t>(kFits / std::max<std::size_t>(plan_.tables.size(), 1), 2);
    if (tried.size() > most) tried.resize(most);
    for (const Tried& one : tried) fits_.try_all(one.hypothesis, one.codecs);
    fits_.try_usual_values();
    if (effort_ == Effort::exhaustive && try_left_behind(most)) fits_.try_usual_values();
    if (effort_ != Effort::exhaustive || plan_.tables.size() > kFewTables) return;
    try_other_codecs();
    try_other_sizes(tried);
  }

  // Codecs are chosen by rough fits, which see nothing of a mix of two memories.
  void try_other_codecs() {
    const PerfOutcome best = best_.front();
    if (best.contradictions > 0 && std::ranges::any_of(plan_.tables, mixes_memories))
      fits_.try_other_codecs(best.hypothesis, best.codecs);
  }

  // First those that the best fit leaves the tables, then any, then once more those that the best fit leaves.
  void try_other_sizes(const std::vector<Tried>& tried) {
    const std::optional<BestPerf> settled = settle_with_best_sizes(tried);
    if (may_rest_on_other_hosts(tried.front())) {
      try_element_sizes(tried.front());
      fits_.try_usual_values();
    } else if (may_rest_on_sizes(best_.front(), kManyContradictions)) {
      const BestPerf before = best_;
      try_any_sizes(tried);
      const bool explains_all = best_.front().contradictions == 0 && best_.front().hypothesis.any_element;
      const BestPerf& without = settled ? *settled : before;
      if (explains_all && without.front().contradictions < kManyContradictions && !explains_with_best_sizes())
        best_ = without;
    }
    refit_with_best_sizes(tried);
  }

  // Values of their own that explain the log on hosts of another size than the default bandwidths show may stand for
  // another element size of the tables that do not show theirs. (`likeliest`: with the defaults.)
  bool may_rest_on_other_hosts(const Tried& likeliest) const {
    const PerfOutcome& best = best_.front();
    return alternatives_ && best.contradictions == 0 && best.freedoms >= kSeveral &&
           best.hypothesis.setting.local_size != likeliest.hypothesis.setting.local_size;
  }

  void try_any_sizes(const std::vector<Tried>& tried) {
    // Another element size explains a single wrong cell too easily.
    if (best_.front().contradictions < kManyContradictions) best_.ask_below(best_.front().cost() - 1);
    const auto like_best = std::ranges::find_if(tried, [&](const Tried& one) { return is_like_best(one); });
    if (like_best != tried.begin() && like_best != tried.end()) try_element_sizes(*like_best);
    try_element_sizes(tried.front());
    try_other_hosts(tried);
    if (best_.front().hypothesis.element || best_.front().hypothesis.any_element) fits_.try_usual_values();
    best_.ask_any();
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
      return evaluation_.run(fitted(h, fit), all_codecs(h, perf_)).contradictions == 0;
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
      fits_.try_codecs(h, before.codecs);
      const bool asks_for_equals = best_.front().contradictions == 0 && alternatives_;
      if (asks_for_equals || may_rest_on_hosts()) refit_on_other_hosts(tried, h);
      if (best_.front().cost() >= before.cost()) return;
    }
  }

  // Not where a number is wrong: a single one, or one that the storage rests on, too.
  bool may_rest_on_hosts() const {
    return best_.front().contradictions >= kSeveral && best_.front().hypothesis.outcome->contradictions == 0;
  }

  // The sizes of `like` were chosen on its hosts: others may explain the log with them as well, or alone.
  void refit_on_other_hosts(const std::vector<Tried>& tried, const PerfHypothesis& like) {
    const BestPerf on_same_hosts = best_;
    const std::vector<std::uint64_t> codecs = best_.front().codecs;
    for (const Tried& one : tried) {
      PerfHypothesis h = one.hypothesis;
      if (!is_like(one, like) || h.setting.local_size == like.setting.local_size) continue;
      h.sizes = like.sizes;
      fits_.try_codecs(h, codecs);
    }
    // Single numbers that they leave as well are wrong rather than the hosts.
    if (best_.front().contradictions > 0) best_ = on_same_hosts;
  }

  // Hypotheses ordered by what some tables say about them, without those that the first ones leave far behind.
  std::vector<PerfHypothesis> plausible() {
    auto hypotheses = hypotheses_of(plan_, found_, effort_ == Effort::uniform && !alternatives_);
    if (hypotheses.size() < 2 || perf_.tables.size() <= kProbe) return hypotheses;
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      order.emplace_back(evaluation_.probe(hypotheses[i], all_codecs(hypotheses[i], perf_), kProbe), i);
    std::stable_sort(order.begin(), order.end());
    std::vector<PerfHypothesis> best;
    for (const auto& [wrong, i] : order)
      (wrong <= order.front().first + kFarBehind ? best : left_behind_).push_back(hypotheses[i]);
    return best;
  }

  PerfOutcome try_defaults(const PerfHypothesis& h) {
    // Without fits to follow only a better one is of use.
    const bool only_better = effort_ == Effort::uniform && !alternatives_ && !best_.empty();
    PerfOutcome outcome =
        evaluation_.run(h, all_codecs(h, perf_), only_better ? best_.front().cost() : PerfEvaluation::kNoLimit);
    if (effort_ == Effort::uniform) return outcome;
    std::int64_t wrong = 0, cells = 0;  // ranks, and their cells
    for (const std::uint32_t of_rank : outcome.wrong_in_rank) {
      wrong += of_rank != 0;
      cells += count_cells(of_rank);
    }
    // Where the tables disagree as well, the bandwidths are wrong rather than the codecs.
    if (wrong == 0 || outcome.contradictions > 2 * cells) return outcome;
    // Where most ranks disagree, the tables that chose the codecs are the wrong ones.
    const bool most = 2 * wrong > std::ssize(outcome.wrong_in_rank);
    choose_codecs_by_ranks(h, most ? all_codecs(h, perf_) : outcome.codecs, outcome);
    return outcome;
  }

  // Of codecs that the tables of a sharder leave open, as where its only table is wrong, the ranks choose.
  void choose_codecs_by_ranks(const PerfHypothesis& h, const std::vector<std::uint64_t>& open, PerfOutcome& outcome) {
    constexpr std::size_t kMostSharders = 64;  // no model has more; each asks for all tables again
    if (open.size() > kMostSharders) return;
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
      fits_.try_all(left_behind_[i], try_defaults(left_behind_[i]).codecs);
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
      fits_.try_all(h, one.codecs);
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
        fits_.try_all(h, with_defaults.codecs);
      });
    h.element.reset();
    h.any_element = true;
    if (best_.front().contradictions > 0) fits_.try_all(h, with_defaults.codecs);
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
  std::vector<PerfHypothesis> left_behind_;  // most likely first
  BestPerf best_;
  FitSearch fits_;
};

}  // namespace

PerfResult infer_perf(const PlanInputs& inputs, const SearchResult& found, const PerfInputs& perf,
                      const InferOptions& options) {
  if (found.survivors.empty() || !tells_perf(perf)) return {};
  PerfSearch search(inputs, found, perf, options);
  auto outcomes = search.run();
  return {std::move(outcomes), search.gave_up()};
}

}  // namespace shardstats::infer_detail
