// The three readings of a formula. Formulas (storage.h) are templates over a number type N:
//   double        exact: binary64 and integers below 2^53, evaluated as the planner does (storage-model.md section 0)
//   RealInterval  bounds: the same operations on both ends
//   Traced        bounds that also record how they came about (trace.h)
// This header holds the primitive operations for the first two. All operands are non-negative.
// Tested by tests/planner/reading_test.cc.
#pragma once

#include <cmath>
#include <cstdint>

#include "shardstats/numbers/interval.h"
#include "shardstats/planner/formulas.h"

namespace shardstats {

// ceil(storage * part / whole) with the quotient rounded once from the exact rational (section 0, rule 3).
// storage * part may exceed 2^64. whole > 0.
double share_rounded_up(double storage, double part, double whole);

// By way of 64-bit integers, as plain x86-64 does not round doubles; larger ones are whole.
inline double truncated(double x) {
  return std::fabs(x) < 0x1p62 ? static_cast<double>(static_cast<std::int64_t>(x)) : x;
}
inline double up(double x) {
  const double below = truncated(x);
  return below < x ? below + 1 : below;
}
inline double nearest(double x) { return std::nearbyint(x); }  // ties to even: the default rounding mode
inline double least(double a, double b) { return a < b ? a : b; }
inline double most(double a, double b) { return a < b ? b : a; }
inline double share(double storage, double part, double whole) { return share_rounded_up(storage, part, whole); }
inline bool is_zero(double x) { return x == 0; }
inline double named(FormulaId, double x) { return x; }

inline RealInterval up(RealInterval x) { return {up(x.low), up(x.high)}; }
inline RealInterval truncated(RealInterval x) { return {truncated(x.low), truncated(x.high)}; }
inline RealInterval nearest(RealInterval x) { return {nearest(x.low), nearest(x.high)}; }
inline RealInterval least(RealInterval a, RealInterval b) { return {least(a.low, b.low), least(a.high, b.high)}; }
inline RealInterval most(RealInterval a, RealInterval b) { return {most(a.low, b.low), most(a.high, b.high)}; }
inline RealInterval share(RealInterval storage, RealInterval part, RealInterval whole) {
  const double low = share_rounded_up(storage.low, part.low, whole.high);
  if (storage.exact() && part.exact() && whole.exact()) return {low, low};
  return {low, share_rounded_up(storage.high, part.high, whole.low)};
}
inline bool is_zero(RealInterval x) { return x.high == 0; }
inline RealInterval named(FormulaId, RealInterval x) { return x; }

// A constant of the formula as a number of the reading.
template <class N>
N constant(double value);
template <>
inline double constant<double>(double value) {
  return value;
}
template <>
inline RealInterval constant<RealInterval>(double value) {
  return {value, value};
}

// A value of the setting ("W", "L"): a constant of the formula that the third reading shows by its symbol.
template <class N>
N parameter(const char* /*symbol*/, double value) {
  return constant<N>(value);
}

}  // namespace shardstats
