#include "shardstats/numbers/most_shared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardstats {
namespace {

struct Case {
  const char* name;
  std::vector<RealInterval> intervals;
  double preferred;
  std::size_t wrong;
  RealInterval shared;
};

TEST(MostShared, Cases) {
  constexpr RealInterval kAll{0, 10};
  const std::vector<Case> cases = {
      {"nothing is known", {}, 5, 0, kAll},
      {"what all share", {{1, 3}, {2, 4}}, 5, 0, {2, 3}},
      {"a common end is shared", {{1, 2}, {2, 3}}, 5, 0, {2, 2}},
      {"nothing is shared inside the limits", {{20, 30}}, 5, 0, kAll},
      {"limits cut", {{8, 30}, {7, 20}}, 5, 0, {8, 10}},
      {"what most share", {{1, 2}, {1.5, 3}, {5, 6}}, 5.5, 0, {1.5, 2}},
      {"of equals the preferred one", {{1, 2}, {5, 6}}, 5.5, 0, {5, 6}},
      {"of equals the first one", {{1, 2}, {5, 6}}, 9, 0, {1, 2}},
      {"one may be wrong", {{1, 4}, {2, 5}, {3, 9}}, 3.5, 1, {2, 5}},
      {"one may be wrong, two parts", {{1, 4}, {2, 5}, {7, 9}, {8, 9.5}, {2, 3}}, 8.5, 1, {8, 9}},
  };
  for (const Case& c : cases) {
    const RealInterval shared = most_shared(c.intervals, kAll, c.preferred, c.wrong);
    EXPECT_EQ(shared.low, c.shared.low) << c.name;
    EXPECT_EQ(shared.high, c.shared.high) << c.name;
  }
}

// The same by looking at every place.
RealInterval shared_anywhere(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                             std::size_t wrong) {
  std::vector<double> places;
  for (const RealInterval x : intervals) places.insert(places.end(), {x.low, x.high});
  std::ranges::sort(places);
  const auto open = [&](RealInterval place) {  // across all of it
    return static_cast<std::size_t>(
        std::ranges::count_if(intervals, [&](RealInterval x) { return x.low <= place.low && place.high <= x.high; }));
  };
  std::size_t most = 0;
  double best = 0;
  for (const double x : places) {
    const std::size_t count = open(exactly(x));
    if (count > most) best = x;
    most = std::max(most, count);
  }
  const std::size_t enough = most - wrong;
  if (open(exactly(preferred)) >= enough) best = preferred;
  RealInterval around = exactly(best);
  for (const double x : places)
    if (x > around.high && open({around.high, x}) >= enough) around.high = x;
  std::ranges::reverse(places);
  for (const double x : places)
    if (x < around.low && open({x, around.low}) >= enough) around.low = x;
  return narrowed(all, around);
}

TEST(MostShared, IsTheSameAsLookingAtEveryPlace) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto number = [&below](std::size_t n) { return static_cast<double>(below(n)); };
  constexpr double kTrue = 500;
  for (int round = 0; round < 400; ++round) {
    const std::size_t reach = 3 + below(400), wrong_in = 3 + below(60);
    std::vector<RealInterval> intervals(20 + below(200));
    for (RealInterval& x : intervals) {
      const double at = below(wrong_in) == 0 ? number(1000) : kTrue;
      x = {at - number(reach), at + number(reach)};
    }
    const double preferred = round % 2 == 0 ? kTrue : number(1000);
    const std::size_t wrong = round % 3 == 0 ? 0 : intervals.size() / (10 + below(10));
    const RealInterval shared = most_shared(intervals, {0, 1000}, preferred, wrong);
    const RealInterval expected = shared_anywhere(intervals, {0, 1000}, preferred, wrong);
    EXPECT_EQ(shared.low, expected.low) << "round " << round;
    EXPECT_EQ(shared.high, expected.high) << "round " << round;
  }
}

}  // namespace
}  // namespace shardstats
