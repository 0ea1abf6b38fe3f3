#include "shardstats/numbers/most_shared.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace shardstats
