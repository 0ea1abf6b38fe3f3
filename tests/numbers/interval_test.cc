#include "shardstats/numbers/interval.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>

namespace shardstats {
namespace {

TEST(Interval, ContainsBothEndsAndNothingBeyond) {
  constexpr ByteInterval interval{3, 7};
  for (const auto& [value, expected] : {std::pair{2, false}, {3, true}, {5, true}, {7, true}, {8, false}})
    EXPECT_EQ(interval.contains(value), expected) << value;
}

TEST(Interval, NotANumberIsInNoInterval) {
  constexpr RealInterval all{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  EXPECT_FALSE(all.contains(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Interval, ExactlyHasNoWidth) {
  EXPECT_TRUE(exactly(5.5).exact());
  EXPECT_EQ(exactly(5.5).width(), 0);
  EXPECT_FALSE((ByteInterval{1, 2}.exact()));
  EXPECT_EQ((ByteInterval{1, 4}.width()), 3);
}

struct PairCase {
  ByteInterval a, b;
  std::optional<ByteInterval> both;
  ByteInterval hull;
};

class IntervalPairs : public testing::TestWithParam<PairCase> {};

TEST_P(IntervalPairs, MeetAndJoinInEitherOrder) {
  const auto& [a, b, both, joined] = GetParam();
  EXPECT_EQ(intersection(a, b), both);
  EXPECT_EQ(intersection(b, a), both);
  EXPECT_EQ(hull(a, b), joined);
  EXPECT_EQ(hull(b, a), joined);
  EXPECT_EQ(a.overlaps(b), both.has_value());
  EXPECT_EQ(b.overlaps(a), both.has_value());
  EXPECT_EQ(narrowed(a, b), both.value_or(a));
  EXPECT_EQ(narrowed(b, a), both.value_or(b));
}

INSTANTIATE_TEST_SUITE_P(Cases, IntervalPairs,
                         testing::Values(PairCase{{1, 5}, {3, 9}, ByteInterval{3, 5}, {1, 9}},    // overlap
                                         PairCase{{1, 9}, {3, 5}, ByteInterval{3, 5}, {1, 9}},    // nested
                                         PairCase{{1, 3}, {3, 5}, ByteInterval{3, 3}, {1, 5}},    // touch
                                         PairCase{{1, 2}, {3, 5}, std::nullopt, {1, 5}},          // apart
                                         PairCase{{4, 4}, {4, 4}, ByteInterval{4, 4}, {4, 4}}));  // same

TEST(Interval, SumAndDifferenceHoldEverySumAndDifference) {
  constexpr ByteInterval a{1, 3};
  constexpr ByteInterval b{10, 14};
  constexpr ByteInterval sum = a + b;
  constexpr ByteInterval difference = b - a;
  EXPECT_EQ(sum, (ByteInterval{11, 17}));
  EXPECT_EQ(difference, (ByteInterval{7, 13}));
  for (std::int64_t x = a.low; x <= a.high; ++x) {
    for (std::int64_t y = b.low; y <= b.high; ++y) {
      EXPECT_TRUE(sum.contains(x + y));
      EXPECT_TRUE(difference.contains(y - x));
    }
  }
}

TEST(Interval, ProductsAndQuotientsOfNonNegativeIntervals) {
  EXPECT_EQ((RealInterval{2, 3} * RealInterval{0.5, 4}), (RealInterval{1, 12}));
  EXPECT_EQ((RealInterval{2, 3} / RealInterval{0.5, 4}), (RealInterval{0.5, 6}));
  EXPECT_EQ((ByteInterval{2, 3} * 5), (ByteInterval{10, 15}));
}

}  // namespace
}  // namespace shardstats
