#include "infer/perf_point.h"

#include <algorithm>

namespace shardstats::infer_detail {
namespace {

constexpr double kNarrowPart = 0.002;            // as width() measures: it hides nothing that would show
constexpr std::int64_t kMostParts = 400;         // that are looked at, of few tables
constexpr std::int64_t kTablesOfParts = 20'000;  // over all parts

// By how much the reciprocal varies, in which perf is linear for bandwidths. Without an end nothing printed bounds it.
double width(RealInterval bounds) {
  return bounds.low > 0 && bounds.high < kEndless ? 1 - bounds.low / bounds.high : 0;
}

RealInterval& widest(PerfSetting<RealInterval>& setting) {
  RealInterval* found = &setting.backward;
  const auto compare = [&](RealInterval& value) {
    if (width(value) > width(*found)) found = &value;
  };
  for (const auto b : kBandwidths) compare(setting.bandwidths.*b);
  compare(setting.weighted_backward);
  return *found;
}

}  // namespace

PerfPoint::PerfPoint(const PlanInputs& plan, const PerfInputs& perf)
    : evaluation_(plan, perf, true),
      most_parts_(std::min(kMostParts, kTablesOfParts / std::max<std::int64_t>(std::ssize(plan.tables), 1))) {}

bool PerfPoint::may_explain(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
  codecs_ = codecs;
  parts_left_ = most_parts_;
  return part_may_explain(h);
}

bool PerfPoint::part_may_explain(const PerfHypothesis& h) {
  if (parts_left_-- <= 0) return true;
  if (evaluation_.run(h, codecs_, 1).contradictions > 0) return false;
  PerfHypothesis lower = h, upper = h;
  RealInterval &below = widest(lower.setting), &above = widest(upper.setting);
  if (width(below) <= kNarrowPart) return true;
  below.high = above.low = 2 / (1 / below.low + 1 / below.high);
  return part_may_explain(lower) || part_may_explain(upper);
}

}  // namespace shardstats::infer_detail
