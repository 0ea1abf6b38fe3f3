#include "infer/feasible_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <vector>

namespace shardstats::infer_detail {
namespace {

constexpr double kInside = 0.1;  // widths: the last steps are short ones

// Adds that all of them together lie in the bounds.
void add_together(RealInterval bounds, std::initializer_list<std::uint32_t> unknowns, FeasiblePoint& point) {
  point.add_sum(bounds);
  for (const std::uint32_t unknown : unknowns) point.add(1, unknown);
}

TEST(FeasiblePoint, StaysWhereNothingSpeaksAgainstIt) {
  FeasiblePoint point;
  const auto x = point.add_unknown({0, 10}, 3), y = point.add_unknown({0, 10}, 4);
  add_together({6, 8}, {x, y}, point);
  point.solve();
  EXPECT_EQ(point[x], 3);
  EXPECT_EQ(point[y], 4);
  EXPECT_EQ(point.worst(), 0);
}

TEST(FeasiblePoint, MovesEachUnknownByWhatItsBoundsLeave) {
  FeasiblePoint point;
  const auto wide = point.add_unknown({0, 100}, 50), narrow = point.add_unknown({0, 1}, 0.5);
  add_together({59, 61}, {wide, narrow}, point);
  point.solve();
  EXPECT_NEAR(point[wide] + point[narrow], 60, 1);
  EXPECT_NEAR(point[narrow], 0.5, 0.1);
}

TEST(FeasiblePoint, KeepsToTheBoundsOfUnknowns) {
  FeasiblePoint point;
  const auto x = point.add_unknown({0, 2}, 1), y = point.add_unknown({0, 2}, 1);
  point.add_sum({9, 10});
  point.add(5, x);
  point.add(-5);  // 5 x + 3 y - 5
  point.add(3, y);
  point.solve();
  EXPECT_LE(point[x], 2);
  EXPECT_LE(point[y], 2);
  EXPECT_GE(5 * point[x] + 3 * point[y] - 5, 9);
}

TEST(FeasiblePoint, SaysHowFarSumsAreFromAgreeing) {
  FeasiblePoint point;
  const auto x = point.add_unknown({0, 10}, 5);
  add_together({1, 2}, {x}, point);
  add_together({4, 5}, {x}, point);
  point.solve();
  EXPECT_GT(point.worst(), 0.9);
}

// A sum without unknowns is as it is.
TEST(FeasiblePoint, DoesNotJudgeConstants) {
  FeasiblePoint point;
  point.add_sum({1, 2});
  point.add(7);
  point.solve();
  EXPECT_EQ(point.worst(), 0);
}

// Sums as those of tables and ranks, of which some values are true: a point inside all of them is found.
TEST(FeasiblePoint, FindsAPointIfThereIsOne) {
  std::mt19937 random(20);
  const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  for (int system = 0; system < 200; ++system) {
    FeasiblePoint point;
    std::vector<double> truth, scale;
    for (int u = 0; u < 12; ++u) {
      scale.push_back(std::pow(10, between(-3, 6)));
      truth.push_back(between(0.2, 0.8) * scale.back());
      point.add_unknown({0, scale.back()}, scale.back() / 2);
    }
    const auto add_sum = [&](int first, int last) {
      std::vector<double> coefficients;
      double value = 0;
      for (int u = first; u < last; ++u) {
        coefficients.push_back(between(0.1, 1) / scale[u]);
        value += coefficients.back() * truth[u];
      }
      point.add_sum({value - 0.01, value + 0.01});
      for (int u = first; u < last; ++u) point.add(coefficients[u - first], static_cast<std::uint32_t>(u));
    };
    for (int u = 0; u < 12; u += 2) add_sum(u, u + 2);
    for (int rank = 0; rank < 3; ++rank) add_sum(rank, rank + 8);
    point.solve();
    EXPECT_LE(point.worst(), kInside) << system;
  }
}

}  // namespace
}  // namespace shardstats::infer_detail
