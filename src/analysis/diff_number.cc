// A number before and after, and how it changed.
#include <algorithm>
#include <cmath>

#include "analysis/diff_parts.h"
#include "analysis/statistics.h"

namespace shardstats {
namespace analysis {

NumberDiff difference(std::string_view name, DiffUnit unit, Known before, Known after, const RealInterval* growth) {
  NumberDiff diff{name, unit, before, after, {}, false};
  if (!before || !after) return diff;
  diff.follows_inputs = growth != nullptr;
  if (growth == nullptr)
    diff.change = *before == *after ? RealInterval{} : *after - *before;
  else
    diff.change = *growth == RealInterval{} ? RealInterval{} : narrowed(*after - *before, *growth);
  diff.changed = growth == nullptr ? !before->overlaps(*after) : !diff.change.contains(0);
  return diff;
}

double magnitude(RealInterval change) { return std::fabs(middle(change)); }

}  // namespace analysis

bool NumberDiff::is_open() const {
  if (changed || change == RealInterval{}) return false;
  constexpr double kRounding = 1e-3;  // of the value before
  const double steps = 2 * (unit == DiffUnit::bytes ? static_cast<double>(kGiB) / 1000 : 1e-3);
  const double least = follows_inputs ? kFewBytes : std::max(steps, kRounding * middle(*before));
  return std::max(-change.low, change.high) > least;
}

std::optional<RealInterval> NumberDiff::percent() const {
  if (!before || !after || before->low <= 0) return std::nullopt;
  // The quotient that is lowest or highest for a base within its bounds.
  const auto ratio = [&](RealInterval x) {
    return RealInterval{x.low / (x.low < 0 ? before->low : before->high),
                        x.high / (x.high < 0 ? before->high : before->low)};
  };
  // By the change, which may be known better than both sides, and by the sides, which keep what is gone within -100%.
  const RealInterval of_sides = ratio(*after) - exactly(1.0);
  return narrowed(ratio(change), of_sides) * exactly(100.0);
}

}  // namespace shardstats
