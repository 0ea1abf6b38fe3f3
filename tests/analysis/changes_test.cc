#include "shardstats/analysis/changes.h"

#include <gtest/gtest.h>

#include "logs.h"

namespace shardstats {
namespace {

Measured table(std::string name, ByteInterval hbm) { return {std::move(name), hbm, std::nullopt}; }

std::string words(const std::vector<Change>& all) {
  std::string text;
  for (const Change& change : all) {
    text += change.name + (change.added ? " added" : change.removed ? " removed" : "");
    if (change.hbm.change)
      text += " " + std::to_string(change.hbm.change->low) + ".." + std::to_string(change.hbm.change->high);
    text += "; ";
  }
  return text;
}

TEST(Changes, MatchesByName) {
  EXPECT_EQ(words(changes({table("a", {10, 12}), table("b", {5, 5})},
                          {table("b", {5, 5}), table("c", {1, 1}), table("a", {20, 21})})),
            "a 8..11; b 0..0; c added; ");
  EXPECT_EQ(words(changes({table("a", {1, 1})}, {})), "a removed; ");
  EXPECT_EQ(words(changes({}, {table("a", {1, 1})})), "a added; ");
}

TEST(Changes, RepeatedNamesAreMatchedInTheirOrder) {
  EXPECT_EQ(words(changes({table("a", {1, 1}), table("a", {2, 2})}, {table("a", {4, 4})})), "a 3..3; a removed; ");
  EXPECT_EQ(words(changes({table("a", {1, 1})}, {table("a", {4, 4}), table("a", {9, 9})})), "a 3..3; a added; ");
}

TEST(Changes, NothingIsSaidOfWhatIsNotKnown) {
  const auto all = changes({{"a", std::nullopt, RealInterval{1, 2}}}, {{"a", ByteInterval{3, 3}, RealInterval{2, 2}}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].hbm.change);
  EXPECT_FALSE(all[0].added || all[0].removed);
  EXPECT_EQ(all[0].perf.change, (RealInterval{0, 1}));
}

TEST(Changes, APlanAndItself) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Measures all = measure(reconstruct(checked.printed, checked.plan, Filter(), {}));
  ASSERT_EQ(all.tables.size(), 4U);
  ASSERT_EQ(all.ranks.size(), 4U);
  EXPECT_EQ(all.ranks[2].name, "rank 2");
  EXPECT_TRUE(all.tables[0].hbm && all.tables[0].perf && all.ranks[0].perf);
  for (const Change& change : changes(all.tables, all.tables)) {
    EXPECT_TRUE(change.hbm.change->contains(0));
    EXPECT_TRUE(change.perf.change->contains(0));
  }
}

}  // namespace
}  // namespace shardstats
