#include "shardstats/analysis/sweep.h"

#include <gtest/gtest.h>

#include <map>

#include "logs.h"

namespace shardstats {
namespace {

// A plan whose fullest rank takes between 10 and 11 bytes a sample.
SweepPoint peak_at(std::int64_t value) {
  SweepPoint point{{std::to_string(value)}, PlanPeak{}, {}};
  point.peak->hbm = {10.0 * static_cast<double>(value), 11.0 * static_cast<double>(value)};
  return point;
}

std::optional<RealInterval> hbm_at(std::int64_t value) { return peak_at(value).peak->hbm; }

TEST(Sweep, TheLargestThatFitsWhateverIsHidden) {
  const LargestFit largest = largest_fit("batch_size", 1100, hbm_at, peak_at);
  EXPECT_EQ(largest.fits, 100);
  EXPECT_EQ(largest.may_fit, 110);
  EXPECT_EQ(largest.at->values.front(), "100");
  EXPECT_EQ(largest.beyond->values.front(), "101");
}

TEST(Sweep, NothingFits) {
  const LargestFit largest = largest_fit("batch_size", 10.5, hbm_at, peak_at);
  EXPECT_FALSE(largest.fits);
  EXPECT_EQ(largest.may_fit, 1);
  EXPECT_FALSE(largest.at);
  EXPECT_EQ(largest.beyond->values.front(), "1");
}

TEST(Sweep, AllThatIsTriedFits) {
  const LargestFit largest = largest_fit("batch_size", 1e15, hbm_at, peak_at);
  EXPECT_EQ(largest.fits, std::int64_t{1} << 40);
  EXPECT_EQ(largest.may_fit, largest.fits);
  EXPECT_TRUE(largest.at);
  EXPECT_FALSE(largest.beyond);
}

TEST(Sweep, EachValueIsLookedAtOnce) {
  std::map<std::int64_t, int> asked;
  const auto once = [&](std::int64_t value) {
    EXPECT_EQ(++asked[value], 1) << value;
    return hbm_at(value);
  };
  EXPECT_EQ(largest_fit("batch_size", 1100, once, peak_at).fits, 100);
}

TEST(Sweep, PeakOfALog) {
  const Checked log(log_bytes("v1.8.0.log"));
  const auto planning = planning_memory(log.printed, log.plan, {});
  ASSERT_TRUE(planning);
  const PlanPeak peak = peak_of(log.plan, planning);
  EXPECT_TRUE(real(bytes_printed_as("7.856", Format::r3, kGiB).value()).overlaps(peak.hbm));
  EXPECT_NEAR(middle(*peak.headroom), (84.6 - 7.856) * kGiB, 0.06 * kGiB);
  EXPECT_TRUE(peak.perf);
  // Reserved and planning memory share a capacity: half of that is half of what may be filled.
  const auto reserved = bytes_printed_as(log.printed.slot(LineId::reserved_hbm).text, Format::r3, kGiB);
  const double capacity = middle(*planning) + middle(real(*reserved));
  const auto half = planning_memory(log.printed, log.plan, static_cast<std::int64_t>(capacity / 2));
  ASSERT_TRUE(half);
  EXPECT_NEAR(middle(*half), middle(*planning) / 2, 0.01 * kGiB);
}

}  // namespace
}  // namespace shardstats
