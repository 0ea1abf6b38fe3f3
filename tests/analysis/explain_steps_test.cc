#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/explain_parts.h"

namespace shardstats::explain_detail {
namespace {

Step part(double nominal, RealInterval bounds) { return value_step("part", nominal, bounds); }

Step whole(std::vector<Step> parts) { return sum_of("whole", FormulaId::total, std::move(parts)); }

double nominal_of_parts(const Step& sum) {
  double nominal = 0;
  for (const Step& one : sum.children) nominal += one.value.nominal;
  return nominal;
}

TEST(NarrowStep, GivesOneOpenPartWhatTheExactOnesLeave) {
  Step sum = whole({part(100, exactly(100.0)), part(500, {0, 1000})});
  narrow_step({290, 310}, sum);
  EXPECT_EQ(sum.children[0].value.nominal, 100);
  EXPECT_EQ(sum.children[1].value.nominal, 200);
  EXPECT_EQ(sum.children[1].value.bounds, (RealInterval{190, 210}));
  EXPECT_EQ(sum.value.nominal, 300);
  EXPECT_EQ(sum.value.bounds, (RealInterval{290, 310}));
  EXPECT_FALSE(sum.narrowed);  // the parts say as much
}

TEST(NarrowStep, MovesOpenPartsByTheirRoom) {
  Step sum = whole({part(40, {0, 100}), part(170, {50, 350}), part(7, exactly(7.0))});
  narrow_step({257, 257}, sum);
  EXPECT_EQ(sum.children[0].value.nominal, 57);  // 60 below its bound, the other one 80 below that which the sum leaves
  EXPECT_EQ(sum.children[1].value.nominal, 193);
  EXPECT_EQ(sum.children[1].value.bounds, (RealInterval{150, 250}));
  EXPECT_EQ(sum.children[2].value.nominal, 7);
  EXPECT_EQ(sum.value.nominal, 257);
  EXPECT_EQ(sum.value.bounds, (RealInterval{157, 357}));
  ASSERT_TRUE(sum.narrowed);
  EXPECT_EQ(sum.narrowed->nominal, 257);
  EXPECT_EQ(sum.narrowed->bounds, exactly(257.0));
}

TEST(NarrowStep, LeavesWhatRanksHaveInCommon) {
  Step sum = whole({part(10, {0, 40}), part(30, {20, 60})});
  sum.children[1].is_common = true;
  narrow_step({45, 55}, sum);
  EXPECT_EQ(sum.children[0].value.nominal, 20);
  EXPECT_EQ(sum.children[1].value.nominal, 30);
  EXPECT_EQ(sum.children[1].value.bounds, (RealInterval{20, 60}));
  EXPECT_EQ(sum.value.nominal, 50);
  EXPECT_EQ(sum.narrowed.value().bounds, (RealInterval{45, 55}));
}

TEST(NarrowStep, GivesWhatOthersCannotReachAStepOfItsOwn) {
  Step sum = whole({part(10, {10, 15}), part(30, {20, 60})});
  sum.children[1].is_common = true;
  narrow_step({50, 60}, sum);
  EXPECT_EQ(sum.children[0].value.nominal, 15);
  EXPECT_EQ(sum.children[1].value.nominal, 30);
  EXPECT_EQ(sum.children[2].label, "other explanations");
  EXPECT_EQ(nominal_of_parts(sum), sum.value.nominal);
}

TEST(NarrowStep, MovesWholeBytesAlsoDownwards) {
  Step sum = whole({part(10, {0, 10}), part(10, {0, 10}), part(10, {0, 10})});
  narrow_step({14, 14}, sum);
  for (const Step& one : sum.children) EXPECT_EQ(one.value.nominal, std::round(one.value.nominal));
  EXPECT_EQ(nominal_of_parts(sum), 14);
}

TEST(NarrowStep, LeavesAsItIsWhatIsKnownAsWell) {
  Step sum = whole({part(10, {5, 15}), part(20, {15, 25})});
  narrow_step({0, 1000}, sum);
  EXPECT_EQ(sum.value.bounds, (RealInterval{20, 40}));
  narrow_step({500, 1000}, sum);  // a contradiction, which is told elsewhere
  EXPECT_EQ(sum.value.bounds, (RealInterval{20, 40}));
  EXPECT_EQ(sum.value.nominal, 30);
  EXPECT_FALSE(sum.narrowed);
}

TEST(NarrowStep, BoundsPartsThatHadNone) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  Step sum = whole({part(10, {5, kAny}), part(20, {15, kAny})});
  narrow_step({40, 60}, sum);
  EXPECT_EQ(sum.children[0].value.bounds, (RealInterval{5, 45}));
  EXPECT_EQ(sum.children[1].value.bounds, (RealInterval{15, 55}));
  EXPECT_EQ(sum.value.nominal, 50);
  EXPECT_EQ(nominal_of_parts(sum), 50);
}

TEST(NarrowStep, KeepsFormulasAndAddsWhatTheyDoNotGive) {
  Step formula = part(100, {0, 1000});
  formula.substituted = "2 * 50";
  Step sum = whole({formula});
  narrow_step({300, 320}, sum);
  ASSERT_EQ(sum.children.size(), 2u);
  EXPECT_EQ(sum.children[0].value.nominal, 100);
  EXPECT_EQ(sum.children[1].label, "other explanations");
  EXPECT_EQ(sum.children[1].value.nominal, 210);
  EXPECT_EQ(sum.value.nominal, 310);
  set_shares(sum);
  EXPECT_NEAR(sum.children[0].share_of_total, 100.0 / 310, 1e-12);
  EXPECT_NEAR(sum.children[1].share_of_total, 210.0 / 310, 1e-12);
}

TEST(NarrowStep, AFormulaThatGivesTooMuchIsMoreThanTheWhole) {
  Step formula = part(900, {0, 1000});
  formula.substituted = "2 * 450";
  narrow_step({290, 310}, formula);  // a shard is no sum yet
  ASSERT_TRUE(formula.sum);
  ASSERT_EQ(formula.children.size(), 2u);
  set_shares(formula);
  EXPECT_EQ(formula.children[0].share_of_total, 3);
  EXPECT_EQ(formula.children[1].share_of_total, -2);
}

TEST(Components, SayWhatOtherInputsTakeAway) {
  Components components;
  components.add("embedding weights", "HBM", 900, 900);
  Step sum = whole({part(300, exactly(300.0))});
  components.add_rest(sum, "HBM");
  const std::vector<ComponentRow> rows = components.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].label, "other explanations");
  EXPECT_EQ(rows[1].total, -600);
}

}  // namespace
}  // namespace shardstats::explain_detail
