#include "infer/linear_system.h"

#include <gtest/gtest.h>

namespace shardstats::infer_detail {
namespace {

constexpr Values kUsual = {1, 1, 1, 1, 1, 1};

Coefficients only(double a, double b = 0) { return {exactly(a), exactly(b)}; }
RealInterval about(double value) { return {value - 0.01, value + 0.01}; }

// x = 3, y = 5 by numbers of both.
LinearSystem three_and_five() {
  LinearSystem system;
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {1.0, 3.0}, {4.0, 1.0}, {1.0, 5.0}, {3.0, 2.0}})
    system.add(only(a, b), about(3 * a + 5 * b));
  return system;
}

std::optional<Box> around_solution(const LinearSystem& system, double still) {
  return LeastResiduals(system, kUsual).around(still);
}

TEST(LinearSystem, NumbersWithoutUnknownsSayNothing) {
  LinearSystem system;
  system.add({}, exactly(5.0));
  for (std::size_t k = 0; k < kUnknowns; ++k) EXPECT_FALSE(system.uses(k));
  EXPECT_EQ(system.contradicted({}), 0);
}

// As that of a table whose lookups print as 0.0.
TEST(LinearSystem, AZeroOfTermsThatMayBeZeroSaysNothing) {
  LinearSystem system;
  system.add({RealInterval{0, 2}, RealInterval{0, 1}}, exactly(0.0));
  EXPECT_FALSE(system.uses(0));
  EXPECT_FALSE(system.uses(1));
  system.add({RealInterval{0, 2}}, {0.5, 1});
  EXPECT_TRUE(system.uses(0));
}

TEST(LinearSystem, NumbersOfOneUnknownBoundItAlone) {
  LinearSystem system;
  system.add(only(2), {4, 6});
  system.add(only(1, 1), {4, 6});
  system.add(only(0, 1), {0, 6});  // what may be 0 has no lower bound
  const auto alone = system.alone();
  ASSERT_EQ(alone[0].size(), 1u);
  EXPECT_EQ(alone[0][0], (RealInterval{2, 3}));
  EXPECT_TRUE(alone[1].empty());
  EXPECT_TRUE(system.uses(1));
  EXPECT_FALSE(system.uses(2));
}

TEST(LinearSystem, CountsWhatTheBoxDoesNotExplain) {
  LinearSystem system = three_and_five();
  system.add(only(1, 1), about(100));
  EXPECT_EQ(system.contradicted({exactly(3.0), exactly(5.0)}), 1);
  EXPECT_EQ(system.contradicted({exactly(3.5), exactly(5.0)}), 7);
}

TEST(LinearSystem, AppendedNumbersCountLikeAddedOnes) {
  LinearSystem added = three_and_five(), appended = three_and_five(), others;
  for (LinearSystem* system : {&added, &others}) {
    system->add({exactly(0.0), exactly(2.0), exactly(1.0)}, about(17));
    system->add(only(0, 3), about(15));
  }
  appended.append(others);
  EXPECT_TRUE(appended.uses(2));
  EXPECT_EQ(appended.alone()[1], added.alone()[1]);
  EXPECT_EQ(around_solution(appended, 0), around_solution(added, 0));
  EXPECT_EQ(appended.contradicted({exactly(3.0), exactly(5.0), exactly(7.0)}), 0);
}

TEST(LinearSystem, NarrowsByWhatOthersLeave) {
  LinearSystem system;
  system.add(only(1, 1), exactly(10.0));
  Box box = {RealInterval{0, 3}, RealInterval{0, 20}};
  EXPECT_TRUE(system.narrow(box));
  EXPECT_NEAR(box[1].low, 7, 1e-6);
  EXPECT_NEAR(box[1].high, 10, 1e-6);
  EXPECT_FALSE(system.narrow(box));
}

TEST(LinearSystem, NarrowsInRoundsAsOneAfterTheOther) {
  LinearSystem system = three_and_five();
  system.add(only(1), {2.9, 3.2});      // cuts
  system.add(only(1), {0, 100});        // says nothing
  system.add(only(1, 1), {0, 100});     // neither does this
  system.add(only(1, 1), {100, 101});   // contradicts all
  system.add(only(0, 1), {4.95, 5.1});  // cuts after others did
  Box one_by_one = {RealInterval{0, 9}, RealInterval{1, 9}}, in_rounds = one_by_one;
  int rounds = 1;
  while (system.narrow(one_by_one)) ++rounds;
  EXPECT_GT(rounds, 2);
  system.narrow(in_rounds, rounds + 3);
  EXPECT_EQ(in_rounds, one_by_one);
}

TEST(LinearSystem, FindsTheSolution) {
  for (const double still : {0.0, 0.01}) {
    const auto box = around_solution(three_and_five(), still);
    ASSERT_TRUE(box);
    EXPECT_TRUE((*box)[0].contains(3));
    EXPECT_TRUE((*box)[1].contains(5));
    EXPECT_LT((*box)[0].width(), 1);
    EXPECT_TRUE((*box)[2].contains(1)) << "an unknown of no number stays at the usual value";
  }
}

TEST(LinearSystem, OneWrongNumberDoesNotMoveTheSolution) {
  for (const double still : {0.0, 0.01}) {
    LinearSystem system = three_and_five();
    system.add(only(2, 2), about(160));  // 16 with a slip
    const auto box = around_solution(system, still);
    ASSERT_TRUE(box);
    EXPECT_TRUE((*box)[0].contains(3));
    EXPECT_TRUE((*box)[1].contains(5));
    EXPECT_LT((*box)[0].width(), 1);
  }
}

TEST(LeastResiduals, GoesOnWhereARougherSolutionEnded) {
  LinearSystem system = three_and_five();
  system.add(only(2, 2), about(160));
  LeastResiduals residuals(system, kUsual);
  const auto rough = residuals.around(0.5), fine = residuals.around(0);
  EXPECT_NE(rough, fine);
  EXPECT_EQ(fine, around_solution(system, 0));
  EXPECT_EQ(residuals.around(0), fine);
}

TEST(LeastResiduals, StartsFromAnotherSolution) {
  const LinearSystem system = three_and_five();
  const auto box = LeastResiduals(system, kUsual, Values{3.01, 4.99, 1, 1, 1, 1}).around(0.01);
  ASSERT_TRUE(box);
  EXPECT_TRUE((*box)[0].contains(3));
  EXPECT_TRUE((*box)[1].contains(5));
}

}  // namespace
}  // namespace shardstats::infer_detail
