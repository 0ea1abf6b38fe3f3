// Closed intervals [low, high]: what is known of a value when only rounded text of it was printed.
// Invariant: low <= high. Invalid or empty results are std::nullopt, never a reversed interval.
// Tested by tests/numbers/interval_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace shardstats {

template <class T>
struct Interval {
  T low{};
  T high{};

  constexpr bool contains(T value) const { return low <= value && value <= high; }
  constexpr bool overlaps(Interval other) const { return low <= other.high && other.low <= high; }
  constexpr bool exact() const { return low == high; }
  constexpr T width() const { return high - low; }
  friend constexpr bool operator==(Interval, Interval) = default;
};

using ByteInterval = Interval<std::int64_t>;  // whole bytes
using RealInterval = Interval<double>;        // ms, factors, ratios

template <class T>
constexpr Interval<T> exactly(T value) {
  return {value, value};
}
template <class T>
constexpr Interval<T> hull(Interval<T> a, Interval<T> b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
template <class T>
constexpr std::optional<Interval<T>> intersection(Interval<T> a, Interval<T> b) {
  const Interval<T> both{std::max(a.low, b.low), std::min(a.high, b.high)};
  if (both.low > both.high) return std::nullopt;
  return both;
}
// The part of `a` inside `b`; `a` itself where they do not meet (a contradiction is reported elsewhere).
template <class T>
constexpr Interval<T> narrowed(Interval<T> a, Interval<T> b) {
  return intersection(a, b).value_or(a);
}

// How far two intervals are from each other; 0 if they overlap.
constexpr double apart(RealInterval a, RealInterval b) { return std::max({a.low - b.high, b.low - a.high, 0.0}); }

// Whole numbers end at those of 64 bits: a bound beyond stays there and never wraps.
constexpr std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return !__builtin_add_overflow(a, b, &sum) ? sum : a > 0 ? INT64_MAX : INT64_MIN;
}
constexpr std::int64_t capped_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) ? product : (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}
constexpr std::int64_t capped_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return !__builtin_sub_overflow(a, b, &difference) ? difference : b < 0 ? INT64_MAX : INT64_MIN;
}
// x without what is behind its point, 0 for no number.
constexpr std::int64_t capped(double x) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  return x >= kBeyond ? INT64_MAX : x <= -kBeyond ? INT64_MIN : x == x ? static_cast<std::int64_t>(x) : 0;
}

constexpr ByteInterval operator+(ByteInterval a, ByteInterval b) {
  return {capped_sum(a.low, b.low), capped_sum(a.high, b.high)};
}
constexpr ByteInterval operator-(ByteInterval a, ByteInterval b) {
  return {capped_difference(a.low, b.high), capped_difference(a.high, b.low)};
}
constexpr RealInterval operator+(RealInterval a, RealInterval b) { return {a.low + b.low, a.high + b.high}; }
constexpr RealInterval operator-(RealInterval a, RealInterval b) { return {a.low - b.high, a.high - b.low}; }
// The whole numbers that bound it.
inline ByteInterval outward(RealInterval x) { return {capped(std::floor(x.low)), capped(std::ceil(x.high))}; }
constexpr RealInterval real(ByteInterval x) { return {static_cast<double>(x.low), static_cast<double>(x.high)}; }
constexpr double middle(RealInterval x) { return x.low + (x.high - x.low) / 2; }

// Products and quotients of non-negative intervals. binary64 operations are monotone in each operand, so
// evaluating the ends exactly as the planner does bounds the planner's own rounded result: no outward rounding.
constexpr RealInterval operator*(RealInterval a, RealInterval b) { return {a.low * b.low, a.high * b.high}; }
constexpr RealInterval operator/(RealInterval a, RealInterval b) { return {a.low / b.high, a.high / b.low}; }
constexpr ByteInterval operator*(ByteInterval a, std::int64_t n) {
  return {capped_product(a.low, n), capped_product(a.high, n)};
}

}  // namespace shardstats
