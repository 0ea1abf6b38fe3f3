// Bounds of a number that others bound from both sides, found by bisection. Private to src/infer.
#pragma once

#include "shardstats/numbers/interval.h"

namespace shardstats::infer_detail {

// The outermost value on that side of `x` that is not beyond what is allowed there, kept on the safe side;
// `beyond(value)` holds from that value outwards.
template <class Beyond>
double outermost(RealInterval x, bool lower, int steps, Beyond beyond) {
  double out = lower ? x.low : x.high, in = lower ? x.high : x.low;
  if (!beyond(out) || beyond(in)) return out;
  for (int i = 0; i < steps; ++i) {
    const double middle = out + (in - out) / 2;
    (beyond(middle) ? out : in) = middle;
  }
  return out;
}

}  // namespace shardstats::infer_detail
