#include "infer/perf_codecs.h"

#include <algorithm>
#include <array>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kBeam = 4;             // choices that are followed at a time
constexpr std::uint32_t kMostSharders = 16;  // a model has a few kinds of modules; each costs fits of all tables
constexpr std::int64_t kFitSlack = 2;  // fits are not exact: contradictions that tables may have more by themselves

struct CodecChoice {
  std::vector<std::size_t> codecs;
  std::int64_t cost = 0;
};

class CodecSearch {
 public:
  CodecSearch(const PerfHypothesis& h, const PerfInputs& perf, PerfFits& fits, std::int64_t most)
      : sharders_(perf.sharders),
        most_(most),
        codecs_(h.setting.rules->wire_sizes ? kCodecs : 1),
        nothing_(sharders_, kNotFitted),
        alone_(sharders_),
        fits_(fits) {}

  std::vector<CodecChoice> run() {
    std::vector<CodecChoice> beam{{nothing_, 0}};
    for (std::uint32_t s = 0; s < sharders_; ++s) beam = best(extended(beam, s));
    // A sharder that came early was judged without the tables of the others.
    if (sharders_ > 1)
      for (CodecChoice& choice : beam) improve(choice);
    return best(std::move(beam));
  }

 private:
  // A choice with one more sharder.
  struct Step {
    const CodecChoice* from = nullptr;
    std::size_t codec = 0;
    std::int64_t least = 0;  // what it costs at least
    CodecChoice to;
  };

  std::vector<CodecChoice> extended(const std::vector<CodecChoice>& beam, std::uint32_t sharder) {
    std::vector<Step> steps;
    for (const CodecChoice& choice : beam)
      for (std::size_t c = 0; c < codecs_; ++c)
        if (const std::int64_t least = choice.cost + alone(sharder, c) - kFitSlack; least <= most_)
          steps.push_back({&choice, c, least, {}});
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
    std::vector<CodecChoice> next;
    for (Step& step : steps)
      if (!step.to.codecs.empty()) next.push_back(std::move(step.to));
    return next;
  }

  void improve(CodecChoice& choice) {
    for (std::uint32_t s = 0; s < sharders_; ++s)
      for (std::size_t c = 0; c < codecs_; ++c) {
        std::int64_t least = alone(s, c) - kFitSlack;
        for (std::uint32_t other = 0; other < sharders_; ++other)
          if (other != s) least += alone(other, choice.codecs[other]);
        if (least >= choice.cost) continue;
        CodecChoice one = with(choice, s, c);
        if (one.cost < choice.cost) choice = std::move(one);
      }
  }

  static std::vector<CodecChoice> best(std::vector<CodecChoice> all) {
    std::ranges::stable_sort(all, {}, &CodecChoice::cost);
    if (all.size() > kBeam) all.resize(kBeam);
    return all;
  }

  CodecChoice with(CodecChoice one, std::uint32_t sharder, std::size_t codec) {
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
  std::int64_t most_;
  std::size_t codecs_;
  std::vector<std::size_t> nothing_;                                     // no sharder is fitted
  std::vector<std::array<std::optional<std::int64_t>, kCodecs>> alone_;  // once asked for
  PerfFits& fits_;
};

}  // namespace

std::vector<std::vector<std::size_t>> fitting_codecs(const PerfHypothesis& h, const PerfInputs& perf, PerfFits& fits,
                                                     std::int64_t most) {
  if (perf.sharders > kMostSharders) return {};
  const auto choices = CodecSearch(h, perf, fits, most).run();
  std::vector<std::vector<std::size_t>> best;
  for (const CodecChoice& choice : choices)
    if (choice.cost == choices.front().cost) best.push_back(choice.codecs);
  return best;
}

}  // namespace shardstats::infer_detail
