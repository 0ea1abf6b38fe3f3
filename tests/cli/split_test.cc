#include "cli/split.h"

#include <gmock/gmock.h>

namespace shardstats::cli {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyPiecesButTheLast) {
  EXPECT_THAT(split("a\n\nb", "\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("a\n", "\n"), ElementsAre("a"));
  EXPECT_THAT(split("none, sgd", ", "), ElementsAre("none", "sgd"));
  EXPECT_TRUE(split("", "\n").empty());
}

}  // namespace
}  // namespace shardstats::cli
