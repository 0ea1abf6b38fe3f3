#include "shardstats/analysis/explain_changes.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

Step step(std::string label, double value, std::vector<Step> children = {}) {
  Step one;
  one.label = std::move(label);
  one.value = {value, {value, value}, "bytes"};
  one.children = std::move(children);
  return one;
}
std::vector<Explained> explained(Step root) {
  Explained one;
  one.target = "rank:0";
  one.steps.push_back(std::move(root));
  return {one};
}

TEST(ExplainChanges, MarksWhatIsAnother) {
  Step before = step("HBM", 10, {step("shard", 4), step("shard", 6)});
  Step after = step("HBM", 11, {step("shard", 4), step("shard", 7), step("new", 1)});
  before.operands.push_back({"B", "batch size", {1, {1, 1}, ""}, Origin::log, {}, {}});
  after.operands.push_back({"B", "batch size", {2, {2, 2}, ""}, Origin::log, {}, {}});
  after.operands.push_back({"W", "world size", {2, {2, 2}, ""}, Origin::log, {}, {}});
  auto changed = explained(after);
  mark_changes(explained(before), changed);
  const Step& root = changed.front().steps.front();
  ASSERT_TRUE(root.was);
  EXPECT_EQ(root.was->nominal, 10);
  EXPECT_EQ(root.operands[0].was->nominal, 1);
  EXPECT_FALSE(root.operands[1].was);
  EXPECT_FALSE(root.children[0].was);
  EXPECT_EQ(root.children[1].was->nominal, 6);
  EXPECT_FALSE(root.children[2].was);
}

TEST(ExplainChanges, AnotherTargetIsNotCompared) {
  auto changed = explained(step("HBM", 11));
  auto log = explained(step("HBM", 10));
  log.front().target = "rank:1";
  mark_changes(log, changed);
  EXPECT_FALSE(changed.front().steps.front().was);
}

}  // namespace
}  // namespace shardstats
