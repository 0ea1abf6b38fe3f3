#include "shardstats/numbers/runs.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

TEST(Runs, OfNumbersThatFollowOneAnother) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(runs_of({}), Texts());
  EXPECT_EQ(runs_of({7}), Texts{"7"});
  EXPECT_EQ(runs_of({0, 1, 3, 8, 9, 10}), (Texts{"0-1", "3", "8-10"}));
  EXPECT_EQ(runs_of({2, 1, 1}), (Texts{"2", "1", "1"}));
}

}  // namespace
}  // namespace shardstats
