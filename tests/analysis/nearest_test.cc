#include "shardstats/analysis/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardstats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nearest, EditDistance) {
  struct {
    std::string_view a, b;
    std::size_t distance;
  } const cases[] = {{"", "", 0},      {"", "abc", 3},     {"abc", "", 3},  {"abc", "abc", 0},       {"abc", "abd", 1},
                     {"abc", "ab", 1}, {"abc", "xabc", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3}};
  for (const auto& c : cases) EXPECT_EQ(edit_distance(c.a, c.b), c.distance) << c.a << " " << c.b;
}

TEST(Nearest, NamesNearestFirst) {
  EXPECT_THAT(nearest_of("tabel_1", {"rank:1", "table_10", "table_1"}), ElementsAre("table_1"));
  EXPECT_THAT(nearest_of("tabl", {"user", "my_table_1", "table"}), ElementsAre("table", "my_table_1"));
  EXPECT_THAT(nearest_of("table_1", {"table_1", "table_1"}), ElementsAre("table_1"));
  EXPECT_THAT(nearest_of("ab", {"xxabxx"}), IsEmpty());  // too short to be looked for inside
  EXPECT_THAT(nearest_of("nosuch", {"table", "user"}), IsEmpty());
  EXPECT_EQ(nearest_of("t1", {"t2", "t3", "t4", "t5", "t6", "t7"}).size(), 5U);
}

}  // namespace
}  // namespace shardstats
