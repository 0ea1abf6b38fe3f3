#include "infer/perf_codecs.h"

#include <algorithm>
#include <map>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kBeam = 4;  // assignments that are followed at a time

struct Candidate {
  std::vector<std::size_t> codecs;
  std::int64_t cost = 0;
};

class CodecSearch {
 public:
  CodecSearch(const PerfHypothesis& h, const PerfInputs& perf, const WireClasses& classes, PerfFits& fits)
      : sharders_(perf.sharders), codecs_(h.setting.rules->wire_sizes ? kCodecs : 1), classes_(classes), fits_(fits) {}

  std::vector<Candidate> run() {
    std::vector<Candidate> beam{{std::vector<std::size_t>(sharders_, kNotFitted), 0}};
    for (std::uint32_t s = 0; s < sharders_; ++s) beam = best(extended(beam, s));
    // A sharder that came early was judged without the tables of the others.
    if (sharders_ > 1)
      for (Candidate& candidate : beam) improve(candidate);
    return best(std::move(beam));
  }

 private:
  std::vector<Candidate> extended(const std::vector<Candidate>& beam, std::uint32_t sharder) {
    std::vector<Candidate> next;
    for (const Candidate& candidate : beam)
      for (std::size_t c = 0; c < codecs_; ++c) next.push_back(with(candidate, sharder, c));
    return next;
  }

  void improve(Candidate& candidate) {
    for (std::uint32_t s = 0; s < sharders_; ++s)
      for (std::size_t c = 0; c < codecs_; ++c) {
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
    one.cost = cost_of(one.codecs);
    return one;
  }

  // Assignments of the same wire sizes are one fit.
  std::int64_t cost_of(const std::vector<std::size_t>& codecs) {
    const auto [found, is_new] = costs_.try_emplace(classes_.first_of(codecs), 0);
    if (is_new) found->second = fits_.rough_cost(found->first);
    return found->second;
  }

  std::uint32_t sharders_;
  std::size_t codecs_;
  const WireClasses& classes_;
  PerfFits& fits_;
  std::map<std::vector<std::size_t>, std::int64_t> costs_;
};

}  // namespace

std::vector<std::vector<std::size_t>> fitting_codecs(const PerfHypothesis& h, const PerfInputs& perf,
                                                     const WireClasses& classes, PerfFits& fits) {
  const auto candidates = CodecSearch(h, perf, classes, fits).run();
  std::vector<std::vector<std::size_t>> best;
  for (const Candidate& candidate : candidates)
    if (candidate.cost == candidates.front().cost) best.push_back(candidate.codecs);
  return best;
}

}  // namespace shardstats::infer_detail
