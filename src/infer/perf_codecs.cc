#include "infer/perf_codecs.h"

#include <algorithm>
#include <array>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kBeam = 4;    // assignments that are followed at a time
constexpr std::int64_t kSlack = 2;  // fits are not exact: contradictions that tables may have more by themselves

struct Candidate {
  std::vector<std::size_t> codecs;
  std::int64_t cost = 0;
};

class CodecSearch {
 public:
  CodecSearch(const PerfHypothesis& h, const PerfInputs& perf, PerfFits& fits)
      : sharders_(perf.sharders),
        codecs_(h.setting.rules->wire_sizes ? kCodecs : 1),
        nothing_(sharders_, kNotFitted),
        alone_(sharders_),
        fits_(fits) {}

  std::vector<Candidate> run() {
    std::vector<Candidate> beam{{nothing_, 0}};
    for (std::uint32_t s = 0; s < sharders_; ++s) beam = best(extended(beam, s));
    // A sharder that came early was judged without the tables of the others.
    if (sharders_ > 1)
      for (Candidate& candidate : beam) improve(candidate);
    return best(std::move(beam));
  }

 private:
  // A candidate with one more sharder.
  struct Step {
    const Candidate* from = nullptr;
    std::size_t codec = 0;
    std::int64_t least = 0;  // what it costs at least
    Candidate to;
  };

  std::vector<Candidate> extended(const std::vector<Candidate>& beam, std::uint32_t sharder) {
    std::vector<Step> steps;
    for (const Candidate& candidate : beam)
      for (std::size_t c = 0; c < codecs_; ++c)
        steps.push_back({&candidate, c, candidate.cost + alone(sharder, c) - kSlack, {}});
    // The sooner the best are known, the fewer others need a fit.
    std::vector<Step*> order;
    for (Step& step : steps) order.push_back(&step);
    std::ranges::stable_sort(order, {}, &Step::least);
    std::vector<std::int64_t> costs;  // of the best ones
    for (Step* const step : order) {
      if (costs.size() == kBeam && step->least > costs.back()) break;
      step->to = with(*step->from, sharder, step->codec);
      costs.insert(std::ranges::upper_bound(costs, step->to.cost), step->to.cost);
      if (costs.size() > kBeam) costs.pop_back();
    }
    std::vector<Candidate> next;
    for (Step& step : steps)
      if (!step.to.codecs.empty()) next.push_back(std::move(step.to));
    return next;
  }

  void improve(Candidate& candidate) {
    for (std::uint32_t s = 0; s < sharders_; ++s)
      for (std::size_t c = 0; c < codecs_; ++c) {
        std::int64_t least = alone(s, c) - kSlack;
        for (std::uint32_t other = 0; other < sharders_; ++other)
          if (other != s) least += alone(other, candidate.codecs[other]);
        if (least >= candidate.cost) continue;
        Candidate one = with(candidate, s, c);
        if (one.cost < candidate.cost) candidate = std::move(one);
      }
  }

  static std::vector<Candidate> best(std::vector<Candidate> all) {
    std::ranges::stable_sort(all, {}, &Candidate::cost);
    if (all.size() > kBeam) all.resize(kBeam);
    return all;
  }

  Candidate with(Candidate one, std::uint32_t sharder, std::size_t codec) {
    one.codecs[sharder] = codec;
    const PerfFits::Cost cost = fits_.rough_cost(one.codecs);
    one.cost = cost.contradictions + cost.freedoms;
    return one;
  }

  // Contradictions that the sharder's tables have if no others ask anything of the bandwidths.
  std::int64_t alone(std::uint32_t sharder, std::size_t codec) {
    std::optional<std::int64_t>& known = alone_[sharder][codec];
    if (!known) {
      auto codecs = nothing_;
      codecs[sharder] = codec;
      known = fits_.rough_cost(codecs).contradictions;
    }
    return *known;
  }

  std::uint32_t sharders_;
  std::size_t codecs_;
  std::vector<std::size_t> nothing_;                                     // no sharder is fitted
  std::vector<std::array<std::optional<std::int64_t>, kCodecs>> alone_;  // once asked for
  PerfFits& fits_;
};

}  // namespace

std::vector<std::vector<std::size_t>> fitting_codecs(const PerfHypothesis& h, const PerfInputs& perf, PerfFits& fits) {
  const auto candidates = CodecSearch(h, perf, fits).run();
  std::vector<std::vector<std::size_t>> best;
  for (const Candidate& candidate : candidates)
    if (candidate.cost == candidates.front().cost) best.push_back(candidate.codecs);
  return best;
}

}  // namespace shardstats::infer_detail
