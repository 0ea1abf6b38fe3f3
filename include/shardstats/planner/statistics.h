// What the planner derives from the values of its ranks and prints below the tables (log-format.md section 6).
//
// Every function takes bounds of the rank values and gives bounds that contain the planner's number for each choice of
// values inside them; values known exactly (zero width) give the number itself but for the last bits.
// Lists of ranks come as those that must and those that may be on them. Tested by tests/planner/statistics_test.cc.
#pragma once

#include <span>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats {

using RankBounds = std::span<const RealInterval>;

// Imbalance (6.4). `raw`: v0.8.0 and v1.0.0; later chi and KL are normalised. Non-negative values, not all zero.
struct Imbalance {
  RealInterval total_variation, total_distance, chi_divergence, kl_divergence;
};
Imbalance imbalance(RankBounds values, bool raw);
// What the measures of one distribution over so many ranks, two or more, leave of each other: bounds of each by the
// other three, whatever its own are. Bounds may be infinite, also those that are given.
Imbalance bounds_by_each_other(const Imbalance& measures, std::size_t ranks, bool raw);
// Upper bounds of chi and KL in the legend of v0.8.0 and v1.0.0.
double chi_range(std::size_t ranks);
double kl_range(std::size_t ranks);

RealInterval sum_of(RankBounds values);
RealInterval mean_of(RankBounds values);
RealInterval largest(RankBounds values);
RealInterval smallest(RankBounds values);
// The i-th of the ascending values, 0-based.
RealInterval ranked(RankBounds values, std::size_t i);
// How much the largest value is above the mean, in percent; 0 where the mean is 0 (6.6).
RealInterval percent_above_mean(RankBounds values);

struct RankList {
  std::vector<bool> must, may;
  // Could the planner have printed these ranks?
  bool could_be(std::span<const int> ranks) const;
};
// Ranks whose value equals the largest one (6.5).
RankList at_largest(RankBounds values);
// Ranks within `distance` of a value (6.7).
RankList near(RankBounds values, RealInterval value, double distance);

}  // namespace shardstats
