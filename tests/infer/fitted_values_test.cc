// What fitted bandwidths and multipliers cost.
#include "infer/fitted_values.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats::infer_detail {
namespace {

RealInterval gib(double low, double high) { return {low * kBytesPerMs, high * kBytesPerMs}; }

TEST(FittedValues, DefaultsCostNothing) {
  EXPECT_EQ(unlikely_values({}), 0);
  EXPECT_EQ(odd_bandwidths({}), 0);
  EXPECT_FALSE(hides_values({}));
}

TEST(FittedValues, BandwidthsOfTheirOwnAreRoundAndNotCloseToTheDefault) {
  const struct {
    RealInterval between_hosts;
    int unlikely, odd;
  } cases[] = {
      {gib(24.9, 25.1), 0, 0},         // 25 GiB/s
      {gib(37.49, 37.51), 0, 0},       // 37.5 GiB/s
      {gib(12.46, 12.48), 1, 0},       // close
      {gib(25.01, 25.04), 0, 1},       // above 25 GiB/s, below 26.9 GB/s
      {{25e6, 25e6}, 0, 0},            // 25 GB/s
      {{12.4999e6, 12.5001e6}, 0, 0},  // 12.5 GB/s
      {{25.5999e6, 25.6001e6}, 0, 0},  // 25.6 GB/s
      {gib(2.9103, 2.9105), 0, 0},     // slow: 25 Gb/s
      {gib(30, kEndless), 0, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::to_string(c.between_hosts.low) + ".." + std::to_string(c.between_hosts.high));
    FittedValues values;
    values.bandwidths.inter_host = c.between_hosts;
    EXPECT_EQ(unlikely_values(values), c.unlikely);
    EXPECT_EQ(odd_bandwidths(values), c.odd);
  }
}

TEST(FittedValues, NobodySetsAMultiplierALittleOff) {
  FittedValues values;
  values.backward = {2.01, 2.02};
  values.weighted_backward = {1.19, 1.21};
  EXPECT_EQ(unlikely_values(values), 1);
  values.bandwidths.hbm = gib(4799.7, 4800.4);
  values.backward = {1.9999, 2.0001};  // the usual one would have done
  EXPECT_EQ(unlikely_values(values), 1);
  values.backward = {1.98, 2.05};
  EXPECT_EQ(unlikely_values(values), 0);
}

TEST(FittedValues, BoundsThatAllContainTheDefaultsHideSeveral) {
  FittedValues values;
  values.bandwidths.hbm = gib(800, 1000);
  EXPECT_TRUE(hides_values(values));
  EXPECT_EQ(unlikely_values(values), 2);
}

TEST(FittedValues, TakeTheDefaultsThatTheyMayBe) {
  FittedValues values;
  values.bandwidths.hbm = gib(800, 1000);
  values.bandwidths.intra_host = gib(597, 599);  // close
  values.bandwidths.inter_host = gib(50, 51);
  values.backward = {1.9, 2.1};
  FittedValues close = values;
  EXPECT_EQ(take_defaults(values, false), 2);
  EXPECT_EQ(values.bandwidths.hbm, exactly(kDefaultBandwidths.hbm));
  EXPECT_EQ(values.bandwidths.intra_host, gib(597, 599));
  EXPECT_EQ(values.backward, kDefaultBackward);
  EXPECT_EQ(take_defaults(close, true), 1);
  EXPECT_EQ(close.bandwidths.intra_host, exactly(kDefaultBandwidths.intra_host));
  EXPECT_EQ(close.bandwidths.inter_host, gib(50, 51));
}

}  // namespace
}  // namespace shardstats::infer_detail
