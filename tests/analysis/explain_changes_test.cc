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

TEST(ExplainChanges, DenseModulesTakeWhatTheyTook) {
  const auto dense = [](double value, std::string label = "dense modules") {
    Step one = step(std::move(label), value);
    one.value.bounds = {value - 2, value + 2};
    return one;
  };
  auto changed = explained(step("HBM", 10, {dense(11), dense(50, "dense modules, all ranks")}));
  mark_changes(explained(step("HBM", 10, {dense(10), dense(20, "dense modules, all ranks")})), changed);
  const auto& children = changed.front().steps.front().children;
  EXPECT_FALSE(children[0].was);  // within the bounds of what is known
  EXPECT_TRUE(children[1].was);   // on more ranks
}

// "rank 0: 100 x 16" is "rank 0: 500 x 16" after a change of the rows.
TEST(ExplainChanges, AnotherLabelIsTheSameStep) {
  Step before = step("rank 0: 100 x 16", 10, {step("weights", 4)});
  Step after = step("rank 0: 500 x 16", 50, {step("weights", 40)});
  before.children[0].operands.push_back({"R", "rows", {100, {100, 100}, ""}, Origin::log, {"100", {22, 7}}, {}});
  after.children[0].operands.push_back({"R", "rows", {500, {500, 500}, ""}, Origin::log, {"500", {22, 0}}, {}});
  auto changed = explained(after);
  mark_changes(explained(before), changed);
  const Step& root = changed.front().steps.front();
  EXPECT_EQ(root.was->nominal, 10);
  EXPECT_EQ(root.children[0].was->nominal, 4);
  EXPECT_EQ(root.children[0].operands[0].was->nominal, 100);
}

TEST(ExplainChanges, CellsAreThoseOfTheLog) {
  Step before = step("HBM", 10), after = step("HBM", 10), moved = step("HBM of all", 11);
  const Operand batch{"B", "batch size", {512, {512, 512}, ""}, Origin::log, {"512", {24, 15}}, {}};
  before.printed = {"0.1", {7, 12}};
  before.operands.push_back(batch);
  after.printed = moved.printed = {"0.1", {3, 0}};
  moved.printed->text = "0.2";
  for (Step* one : {&after, &moved}) {
    one->operands.push_back(batch);
    one->operands.back().printed.place = {3, 0};
  }
  auto changed = explained(step("sum", 1, {after, moved}));
  mark_changes(explained(step("sum", 1, {before})), changed);
  const auto& children = changed.front().steps.front().children;
  EXPECT_EQ(children[0].printed->place.line, 7);
  EXPECT_EQ(children[1].printed->place.line, 0) << "no log has it";
  for (const Step& child : children) EXPECT_EQ(child.operands[0].printed.place.line, 24);
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
