#include "infer/perf_point.h"

#include <algorithm>

namespace shardstats::infer_detail {
namespace {

constexpr double kNarrowPart = 0.002;            // as width() measures: it hides nothing that would show
constexpr std::int64_t kMostParts = 400;         // that are looked at, of few tables
constexpr std::int64_t kTablesOfParts = 20'000;  // over all parts

// Perf is linear in reciprocals: that of the bounds, by how much it varies. Without an end nothing printed bounds it.
double width(RealInterval bounds) {
  return bounds.low > 0 && bounds.high < kEndless ? 1 - bounds.low / bounds.high : 0;
}

template <class F>
void each_value(PerfSetting<RealInterval>& setting, F f) {
  for (const auto b : kBandwidths) f(setting.bandwidths.*b);
  f(setting.backward);
  f(setting.weighted_backward);
}

RealInterval& widest(PerfSetting<RealInterval>& setting) {
  RealInterval* found = &setting.backward;
  each_value(setting, [&](RealInterval& value) {
    if (width(value) > width(*found)) found = &value;
  });
  return *found;
}

}  // namespace

PerfPoint::PerfPoint(const PlanInputs& plan, const PerfInputs& perf)
    : evaluation_(plan, perf, true),
      most_parts_(std::min(kMostParts, kTablesOfParts / std::max<std::int64_t>(std::ssize(plan.tables), 1))) {}

bool PerfPoint::may_explain(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
  codecs_ = codecs;
  parts_left_ = most_parts_;
  return may_explain(h);
}

bool PerfPoint::may_explain(const PerfHypothesis& h) {
  if (parts_left_-- <= 0) return true;
  if (evaluation_.run(h, codecs_, 1).contradictions > 0) return false;
  PerfHypothesis slow = h, fast = h;
  RealInterval &low = widest(slow.setting), &high = widest(fast.setting);
  if (width(low) <= kNarrowPart) return true;
  low.high = high.low = 2 / (1 / low.low + 1 / low.high);
  return may_explain(slow) || may_explain(fast);
}

}  // namespace shardstats::infer_detail
