#include "infer/perf_point.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "infer/fitted_values.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kNarrowPart = 0.0002;           // as width() measures: it hides nothing that would show
constexpr std::int64_t kMostParts = 400;         // that are looked at, of few tables
constexpr std::int64_t kTablesOfParts = 20'000;  // over all parts

// By how much the reciprocal varies, in which perf is linear for bandwidths. Without an end nothing printed bounds it.
double width(RealInterval bounds) {
  return bounds.low > 0 && bounds.high < kEndless ? 1 - bounds.low / bounds.high : 0;
}

// Of the reciprocals.
double halfway(RealInterval bounds) { return 2 / (1 / bounds.low + 1 / bounds.high); }

// The widest first.
std::vector<std::size_t> wide_values(const PerfHypothesis& h) {
  std::vector<std::size_t> wide;
  for (std::size_t i = 0; i < kFittedValues; ++i)
    if (width(fitted_value(h.setting, i)) > kNarrowPart) wide.push_back(i);
  std::ranges::stable_sort(wide, std::greater{}, [&](std::size_t i) { return width(fitted_value(h.setting, i)); });
  return wide;
}

PerfHypothesis middle_of(PerfHypothesis part) {
  for (std::size_t i = 0; i < kFittedValues; ++i)
    if (RealInterval& value = fitted_value(part.setting, i); width(value) > 0) value = exactly(halfway(value));
  return part;
}

struct Halves {
  Halves(const PerfHypothesis& h, std::size_t value) : lower(h), upper(h) {
    RealInterval& below = fitted_value(lower.setting, value);
    below.high = fitted_value(upper.setting, value).low = halfway(below);
  }
  PerfHypothesis lower, upper;
};

}  // namespace

PerfPoint::PerfPoint(const PlanInputs& plan, const PerfInputs& perf)
    : evaluation_(plan, perf, true),
      most_parts_(std::min(kMostParts, kTablesOfParts / std::max<std::int64_t>(std::ssize(plan.tables), 1))) {}

bool PerfPoint::may_explain(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs) {
  codecs_ = codecs;
  parts_left_ = most_parts_;
  return explains(h) && part_may_explain(h);
}

// Contradicts it no number by itself? Also true where the search is given up.
bool PerfPoint::explains(const PerfHypothesis& h) {
  return parts_left_-- <= 0 || evaluation_.run(h, codecs_, 1).contradictions == 0;
}

// A value of which one half is contradicted keeps the other one. Of several the widest comes first.
PerfPoint::Left PerfPoint::lose_half(PerfHypothesis& part, const std::vector<std::size_t>& wide) {
  for (const std::size_t value : wide) {
    Halves halves(part, value);
    const bool lower = explains(halves.lower), upper = explains(halves.upper);
    if (lower && upper) continue;
    if (!lower && !upper) return Left::nothing;
    part = std::move(lower ? halves.lower : halves.upper);
    return Left::half;
  }
  return Left::all;
}

// `part`: contradicts no number by itself.
bool PerfPoint::part_may_explain(PerfHypothesis part) {
  const auto wide = wide_values(part);
  if (wide.empty() || explains(middle_of(part))) return true;
  switch (lose_half(part, wide)) {
    case Left::nothing:
      return false;
    case Left::half:
      return part_may_explain(std::move(part));
    case Left::all:
      break;
  }
  const Halves halves(part, wide.front());
  return part_may_explain(halves.lower) || part_may_explain(halves.upper);
}

}  // namespace shardstats::infer_detail
