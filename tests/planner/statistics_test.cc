#include "shardstats/planner/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shardstats {
namespace {

std::vector<RealInterval> exact(const std::vector<double>& values) {
  std::vector<RealInterval> all;
  for (const double x : values) all.push_back(exactly(x));
  return all;
}

void expect_near(RealInterval found, double value) {
  EXPECT_NEAR(found.low, value, 2e-9);
  EXPECT_NEAR(found.high, value, 2e-9);
}

// Shares 0.5, 0.25, 0.25, 0 of four ranks, by hand.
TEST(Imbalance, OfBothGenerations) {
  const auto values = exact({2, 1, 1, 0});
  const Imbalance now = imbalance(values, false);
  expect_near(now.total_variation, 0.25);
  expect_near(now.total_distance, 0.5);
  expect_near(now.chi_divergence, 4 * (0.0625 + 0.0625) / 3);
  expect_near(now.kl_divergence, 0.5 * std::log(2.0) / std::log(4.0));
  const Imbalance raw = imbalance(values, true);
  expect_near(raw.chi_divergence, 0.5);
  expect_near(raw.kl_divergence, 0.5 * std::log(2.0));
}

TEST(Imbalance, OfOneRankIsZero) {
  const Imbalance found = imbalance(exact({7}), false);
  expect_near(found.total_variation, 0);
  expect_near(found.chi_divergence, 0);
  expect_near(found.kl_divergence, 0);
}

// The measures of any distribution lie within what the others leave of them, those of one big or one small rank at the
// ends of it.
TEST(Imbalance, IsBoundedByTheOtherMeasures) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values(2 + static_cast<std::size_t>(round % 9), 1);
    const int power = 1 + round % 5;  // the higher, the less even
    for (double& x : values) x = std::pow(uniform(random), power);
    for (const bool raw : {false, true}) {
      const Imbalance found = imbalance(exact(values), raw), by = bounds_by_each_other(found, values.size(), raw);
      for (const auto measure : {&Imbalance::total_variation, &Imbalance::total_distance, &Imbalance::chi_divergence,
                                 &Imbalance::kl_divergence}) {
        EXPECT_LE((by.*measure).low, (found.*measure).high + 1e-9);
        EXPECT_GE((by.*measure).high, (found.*measure).low - 1e-9);
      }
    }
  }
}

// One rank has all: no share is less than nothing, so the others can only be 0.
TEST(Imbalance, OfOneRankOfFourIsOneNumber) {
  const Imbalance by = bounds_by_each_other(imbalance(exact({7, 0, 0, 0}), false), 4, false);
  EXPECT_NEAR(by.total_variation.low, 0.75, 1e-8);
  EXPECT_NEAR(by.total_distance.high, 1.5, 1e-8);
  EXPECT_NEAR(by.chi_divergence.low, 1, 1e-8);
  EXPECT_NEAR(by.chi_divergence.high, 1, 1e-8);
  EXPECT_NEAR(by.kl_divergence.low, 1, 1e-7);
}

TEST(Imbalance, OfTwoRanksIsOneNumber) {
  const Imbalance by = bounds_by_each_other(imbalance(exact({3, 1}), false), 2, false);
  EXPECT_NEAR(by.total_variation.low, 0.25, 1e-8);
  EXPECT_NEAR(by.total_variation.high, 0.25, 1e-8);
  EXPECT_NEAR(by.total_distance.high, 0.5, 1e-8);
  EXPECT_NEAR(by.chi_divergence.low, 0.25, 1e-8);
}

TEST(Statistics, RangesOfTheOldLegend) {
  EXPECT_DOUBLE_EQ(chi_range(4), 1.5);
  EXPECT_DOUBLE_EQ(kl_range(4), std::log(4.0));
}

TEST(Statistics, OfSortedValues) {
  const auto values = exact({5, 1, 3, 9});
  EXPECT_EQ(largest(values), exactly(9.0));
  EXPECT_EQ(smallest(values), exactly(1.0));
  expect_near(mean_of(values), 4.5);
  EXPECT_EQ(ranked(values, 1), exactly(3.0));
  EXPECT_EQ(ranked(values, 2), exactly(5.0));
  expect_near(percent_above_mean(values), 100);
  expect_near(percent_above_mean(exact({0, 0})), 0);
}

TEST(RankLists, OfTheLargest) {
  const RankList ties = at_largest(exact({1, 4, 4}));
  EXPECT_TRUE(ties.could_be(std::vector{1, 2}));
  EXPECT_FALSE(ties.could_be(std::vector{1}));
  EXPECT_FALSE(ties.could_be(std::vector{0, 1, 2}));
  // Overlapping bounds leave open which of the two it is.
  const std::vector<RealInterval> open = {{1, 3}, {2, 4}, {0, 1}};
  EXPECT_TRUE(at_largest(open).could_be(std::vector{0}));
  EXPECT_TRUE(at_largest(open).could_be(std::vector{1}));
  EXPECT_FALSE(at_largest(open).could_be(std::vector{2}));
}

TEST(RankLists, NearAValueInclusive) {
  const RankList list = near(exact({10, 12, 13}), exactly(11.0), 1);
  EXPECT_TRUE(list.could_be(std::vector{0, 1}));
  EXPECT_FALSE(list.could_be(std::vector{0, 1, 2}));
  EXPECT_FALSE(list.could_be(std::vector{0}));
}

// Bounds contain the statistic of any values inside the bounds of the ranks.
TEST(Statistics, BoundsContainEveryChoice) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(0, 100), width(0, 3), part(0, 1);
  for (int run = 0; run < 2000; ++run) {
    std::vector<RealInterval> bounds;
    std::vector<double> inside;
    const int ranks = 1 + run % 9;
    for (int r = 0; r < ranks; ++r) {
      const double low = value(random), wide = width(random);
      bounds.push_back({low, low + wide});
      inside.push_back(low + part(random) * wide);
    }
    const auto chosen = exact(inside);
    const auto holds = [&](RealInterval outer, RealInterval inner) {
      EXPECT_LE(outer.low, inner.high) << run;
      EXPECT_GE(outer.high, inner.low) << run;
    };
    for (const bool raw : {false, true}) {
      const Imbalance outer = imbalance(bounds, raw), inner = imbalance(chosen, raw);
      holds(outer.total_variation, inner.total_variation);
      holds(outer.total_distance, inner.total_distance);
      holds(outer.chi_divergence, inner.chi_divergence);
      holds(outer.kl_divergence, inner.kl_divergence);
    }
    holds(largest(bounds), largest(chosen));
    holds(smallest(bounds), smallest(chosen));
    holds(mean_of(bounds), mean_of(chosen));
    holds(percent_above_mean(bounds), percent_above_mean(chosen));
    holds(ranked(bounds, inside.size() / 2), ranked(chosen, inside.size() / 2));
  }
}

}  // namespace
}  // namespace shardstats
