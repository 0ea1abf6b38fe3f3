#include "shardstats/planner/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace shardstats {
namespace {

constexpr double kRounding = 1e-12;  // relative, of the sums below

RealInterval widened(RealInterval x) {
  return {x.low - kRounding * std::abs(x.low), x.high + kRounding * std::abs(x.high)};
}

// Bounds of x / sum of all: the value itself is part of the sum.
RealInterval share_of(RealInterval x, RealInterval sum) {
  const double others_low = std::max(sum.low - x.low, 0.0), others_high = std::max(sum.high - x.high, 0.0);
  const double low = x.low <= 0 ? 0 : x.low / (x.low + others_high);
  const double high = x.high <= 0 ? 0 : x.high / (x.high + others_low);
  return {low, std::min(high, 1.0)};
}

// Bounds of a function that falls until `bottom` and grows from there.
template <class F>
RealInterval over_valley(RealInterval x, double bottom, F f) {
  const double at_low = f(x.low), at_high = f(x.high);
  const double least = x.contains(bottom) ? f(bottom) : std::min(at_low, at_high);
  return {least, std::max(at_low, at_high)};
}

// How shares p of N ranks deviate from the even one: d = p - 1/N, which add up to 0.
struct Deviations {
  RealInterval most, distance, squares, divergence;  // max |d|, sum |d|, sum d^2, sum p ln(N p)
};

// Sum p ln(N p) where one share deviates that much and the others are alike, which is the least that it can be.
double least_divergence(double most, double n) {
  const double even = 1 / n;
  const auto term = [](double share, double even_share) {
    return share > 0 ? share * std::log(share / even_share) : 0.0;
  };
  const auto of = [&](double share) { return term(share, even) + term(1 - share, 1 - even); };
  const double too_much = of(std::min(even + most, 1.0));
  return most > even ? too_much : std::min(too_much, of(even - most));
}

// Bounds of each by the others. What some shares have too much the others have too little, half of the distance each,
// and no share has less than nothing.
Deviations by_each_other(Deviations x, std::size_t ranks) {
  const auto n = static_cast<double>(ranks);
  const double even = 1 / n;
  const double sides = 2 * static_cast<double>(ranks / 2);  // twice the shares that one side can have
  for (RealInterval* bounds : {&x.most, &x.distance, &x.squares, &x.divergence})  // of a printed 0 they are below it
    *bounds = {std::max(bounds->low, 0.0), std::max(bounds->high, 0.0)};
  const double both_most = x.most.high + std::min(x.most.high, even);  // of one with too much, one with too little
  const double least_both = 2 * x.squares.low / x.distance.high;       // of these two
  Deviations by{};
  by.most = {std::max({x.distance.low / sides, least_both / 2, least_both - even}),
             std::min(x.distance.high / 2, std::sqrt(x.squares.high * (n - 1) / n))};
  by.distance = {std::max(2 * x.most.low, 2 * x.squares.low / both_most),
                 std::min({sides * x.most.high, 2 - 2 * even, std::sqrt(n * x.squares.high),
                           std::sqrt(2 * x.divergence.high)})};  // Pinsker
  by.squares = {std::max({x.distance.low * x.distance.low / n, x.most.low * x.most.low * n / (n - 1),
                          std::expm1(x.divergence.low) / n}),
                x.distance.high / 2 * both_most};
  by.divergence = {std::max(x.distance.low * x.distance.low / 2, least_divergence(x.most.low, n)),
                   std::log1p(n * x.squares.high)};  // Jensen
  return by;
}

}  // namespace

RealInterval sum_of(RankBounds values) {
  RealInterval sum{};
  for (const RealInterval x : values) sum = sum + x;
  return sum;
}

RealInterval mean_of(RankBounds values) {
  const RealInterval sum = sum_of(values);
  const auto n = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  return widened({sum.low / n, sum.high / n});
}

Imbalance imbalance(RankBounds values, bool raw) {
  const auto n = static_cast<double>(values.size());
  const double even = 1 / n;
  const RealInterval sum = sum_of(values);
  RealInterval variation{}, distance{}, squares{}, divergence{};
  for (const RealInterval x : values) {
    const RealInterval p = share_of(x, sum);
    const RealInterval off = over_valley(p, even, [&](double v) { return std::abs(v - even); });
    variation = {std::max(variation.low, off.low), std::max(variation.high, off.high)};
    distance = distance + off;
    squares = squares + off * off;
    // All p add up to 1, so taking p - 1/n off each term leaves the sum as it is and its bounds narrow.
    divergence =
        divergence + over_valley(p, even, [&](double v) { return v > 0 ? v * std::log(n * v) - (v - even) : even; });
  }
  Imbalance found{widened(variation), widened(distance), {}, {}};
  found.chi_divergence = raw ? distance : values.size() < 2 ? RealInterval{} : squares * exactly(n / (n - 1));
  found.kl_divergence = raw ? divergence : values.size() < 2 ? RealInterval{} : divergence * exactly(1 / std::log(n));
  // Terms of both signs meet in the planner's own sums: an absolute slack, far below the printed digits.
  constexpr double kSlack = 1e-9;
  for (RealInterval* x : {&found.total_variation, &found.total_distance, &found.chi_divergence, &found.kl_divergence})
    *x = {std::max(x->low - kSlack, 0.0), x->high + kSlack};
  return found;
}

Imbalance bounds_by_each_other(const Imbalance& measures, std::size_t ranks, bool raw) {
  const RealInterval anything{0, std::numeric_limits<double>::infinity()};
  const auto n = static_cast<double>(ranks);
  const auto &chi = measures.chi_divergence, &distance = measures.total_distance;
  const double of_chi = n / (n - 1), of_kl = std::log(n);  // what makes them end at 1
  const Deviations by = by_each_other(
      {measures.total_variation, raw ? narrowed(distance, chi) : distance, raw ? anything : chi * exactly(1 / of_chi),
       raw ? measures.kl_divergence : measures.kl_divergence * exactly(of_kl)},
      ranks);
  if (raw) return {by.most, narrowed(chi, by.distance), narrowed(distance, by.distance), by.divergence};
  return {by.most, by.distance, by.squares * exactly(of_chi), by.divergence * exactly(1 / of_kl)};
}

double chi_range(std::size_t ranks) {
  return ranks == 0 ? 0 : 2 * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}
double kl_range(std::size_t ranks) { return ranks == 0 ? 0 : std::log(static_cast<double>(ranks)); }

RealInterval largest(RankBounds values) {
  RealInterval found = values.empty() ? RealInterval{} : values.front();
  for (const RealInterval x : values) found = {std::max(found.low, x.low), std::max(found.high, x.high)};
  return found;
}

RealInterval smallest(RankBounds values) {
  RealInterval found = values.empty() ? RealInterval{} : values.front();
  for (const RealInterval x : values) found = {std::min(found.low, x.low), std::min(found.high, x.high)};
  return found;
}

RealInterval ranked(RankBounds values, std::size_t i) {
  if (i >= values.size()) return {};
  const auto at = [&](double RealInterval::*end) {
    std::vector<double> ends(values.size());
    std::ranges::transform(values, ends.begin(), end);
    std::nth_element(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(i), ends.end());
    return ends[i];
  };
  return {at(&RealInterval::low), at(&RealInterval::high)};
}

RealInterval percent_above_mean(RankBounds values) {
  const RealInterval sum = sum_of(values);
  if (sum.high <= 0) return {};
  const auto n = static_cast<double>(values.size());
  RealInterval most{};
  for (const RealInterval x : values) {
    const RealInterval share = share_of(x, sum);
    most = {std::max(most.low, share.low), std::max(most.high, share.high)};
  }
  const RealInterval percent{(n * most.low - 1) * 100, (n * most.high - 1) * 100};
  constexpr double kSlack = 1e-9;
  return {sum.low <= 0 ? 0 : std::max(percent.low - kSlack, 0.0), std::max(percent.high, 0.0) + kSlack};
}

bool RankList::could_be(std::span<const int> ranks) const {
  std::vector<bool> missing = must;
  for (const int rank : ranks) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= may.size() || !may[static_cast<std::size_t>(rank)]) return false;
    missing[static_cast<std::size_t>(rank)] = false;
  }
  return std::ranges::find(missing, true) == missing.end();
}

RankList at_largest(RankBounds values) {
  RankList list{std::vector<bool>(values.size()), std::vector<bool>(values.size())};
  const RealInterval most = largest(values);
  std::ptrdiff_t possible = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (!(values[r].high >= most.low)) continue;
    list.may[r] = true;
    ++possible;
  }
  if (possible == 1) list.must = list.may;
  if (most.exact())  // all that may be largest are known to be: equal values
    for (std::size_t r = 0; r < values.size(); ++r) list.must[r] = values[r].low == most.low;
  return list;
}

RankList near(RankBounds values, RealInterval value, double distance) {
  RankList list{std::vector<bool>(values.size()), std::vector<bool>(values.size())};
  for (std::size_t r = 0; r < values.size(); ++r) {
    const RealInterval x = values[r];
    const double most = std::max(x.high - value.low, value.high - x.low);
    const double least = std::max({x.low - value.high, value.low - x.high, 0.0});
    if (most <= distance) list.must[r] = true;
    if (least <= distance) list.may[r] = true;
  }
  return list;
}

}  // namespace shardstats
