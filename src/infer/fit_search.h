// Bandwidths and multipliers of their own: the fits of a hypothesis, and what they lead to. Private to src/infer.
// Tested by tests/infer/perf_search_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "infer/best_perf.h"
#include "infer/fitted_values.h"
#include "infer/perf_evaluation.h"
#include "infer/perf_fit.h"
#include "infer/perf_point.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {

// By sharder all that the release knows, a bit each.
std::vector<std::uint64_t> all_codecs(const PerfHypothesis& h, const PerfInputs& perf);

class FitSearch {
 public:
  // What is found goes to `best`, which has the outcomes of the default values when the first fit is made.
  FitSearch(const PlanInputs& plan, const PerfInputs& perf, bool alternatives, PerfEvaluation& evaluation,
            BestPerf& best)
      : plan_(plan),
        perf_(perf),
        alternatives_(alternatives),
        evaluation_(evaluation),
        point_(plan, perf),
        best_(best) {}

  // The contradictions that the default values leave decide what is tried.
  void set_left_by_defaults(std::int64_t contradictions) { by_defaults_ = contradictions; }

  // With bandwidths found, each sharder's codecs are looked at again by themselves, and the other way round.
  void try_all(const PerfHypothesis& h, const std::vector<std::uint64_t>& default_codecs);
  // With these codecs alone.
  void try_codecs(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs);
  // With each other codec of one sharder.
  void try_other_codecs(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs);
  // Once more with each value at its default, and what was found of the others: not only for the best hypothesis, as
  // another may be better then. Of all that try_all() led to since the last time.
  void try_usual_values();

 private:
  // The best that fits of a hypothesis led to.
  struct Fitted {
    PerfHypothesis hypothesis;
    Standing standing;
  };

  // What fits of a hypothesis led to; the same one would lead there again.
  struct Refits {
    Refits(const PerfHypothesis& hypothesis, const PlanInputs& plan, const PerfInputs& perf)
        : h(hypothesis), fits(hypothesis, plan, perf), classes(hypothesis, plan, perf) {}
    const PerfHypothesis& h;
    PerfFits fits;
    WireClasses classes;
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> by_codecs;
    std::vector<std::pair<PerfFit, std::vector<std::size_t>>> by_fit;
    std::optional<Fitted> best;
  };

  // Two fits with the same codecs.
  struct Pair {
    const std::vector<std::size_t>& codecs;
    std::shared_ptr<const FitPair> fits;
  };

  std::int64_t most_contradictions() const;
  void try_default(Fitted& fitted, std::size_t index);
  void refit_often(Refits& refits, std::vector<std::size_t> codecs);
  std::vector<std::size_t> refit(Refits& refits, const std::vector<std::size_t>& codecs);
  void try_defaults_of_close(Refits& refits, const std::vector<std::size_t>& codecs, const PerfFit& fit);
  std::vector<std::size_t> try_fit(Refits& refits, const PerfFit& fit, const Pair* of = nullptr);
  PerfOutcome questioned(PerfOutcome outcome);
  bool hides_some(const PerfHypothesis& h, const FittedValues& values);

  const PlanInputs& plan_;
  const PerfInputs& perf_;
  bool alternatives_;
  PerfEvaluation& evaluation_;
  PerfPoint point_;
  BestPerf& best_;
  std::int64_t by_defaults_ = 0;
  std::vector<Fitted> fitted_;  // by hypothesis, since the defaults were last put back
};

}  // namespace shardstats::infer_detail
