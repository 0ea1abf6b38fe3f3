// Bounds of several numbers, such as cells, one by one; and the hull of those that were met so far. Private to
// src/infer.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "shardstats/numbers/interval.h"

namespace shardstats::infer_detail {

template <std::size_t N>
std::array<RealInterval, N> plus(std::array<RealInterval, N> a, const std::array<RealInterval, N>& b) {
  for (std::size_t i = 0; i < N; ++i) a[i] = a[i] + b[i];
  return a;
}
template <std::size_t N>
std::array<RealInterval, N> minus(std::array<RealInterval, N> a, const std::array<RealInterval, N>& b) {
  for (std::size_t i = 0; i < N; ++i) a[i] = a[i] - b[i];
  return a;
}
template <std::size_t N>
std::array<RealInterval, N> hull(std::array<RealInterval, N> a, const std::array<RealInterval, N>& b) {
  for (std::size_t i = 0; i < N; ++i) a[i] = hull(a[i], b[i]);
  return a;
}

template <class T>
void hull_into(std::optional<T>& all, const T& one) {
  all = all ? hull(*all, one) : one;
}

}  // namespace shardstats::infer_detail
