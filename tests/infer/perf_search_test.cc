// Which perf hypotheses are found.
#include <gtest/gtest.h>

#include "inferred_log.h"

namespace shardstats {
namespace {

// Hosts of one rank with 80 GiB/s between them explain this log as well as the true hosts of 8 with 300 GiB/s inside.
TEST(PerfSearch, FindsWhichOfTwoBandwidthsIsNotTheDefault) {
  const test::InferredLog log("planner/v1.7.0-one_of_two_bandwidths.log");
  constexpr double kTruth = 0.2801078466600931;  // ms of one shard
  EXPECT_TRUE(log.table("emb_ebc4").shard_perf.total.contains(kTruth));
}

// Two bandwidths are not the default ones; a third one close to its default would explain the log as well.
TEST(PerfSearch, KeepsABandwidthAtItsDefaultWhereItIsClose) {
  const test::InferredLog log("planner/v1.7.0-two_bandwidths.log");
  const Bandwidths<RealInterval>& found = log.plan.perf.bandwidths;
  EXPECT_EQ(found.hbm, exactly(kDefaultBandwidths.hbm));
  EXPECT_TRUE(found.inter_host.contains(107374182.4));
  EXPECT_TRUE(found.intra_host.contains(966367641.6));
}

// One table has blocks of 32 columns and one of 44, which no usual width gives; three others have dtypes of their own.
TEST(PerfSearch, FitsBandwidthsToBlocksOfAnyWidth) {
  const test::InferredLog log("edits/v0.4.0-widths_of_blocks.log");
  const Bandwidths<RealInterval>& found = log.plan.perf.bandwidths;
  EXPECT_TRUE(found.hbm.contains(3597035110.4));
  EXPECT_TRUE(found.intra_host.contains(483183820.8));
  EXPECT_LT(found.hbm.width() / found.hbm.low, 0.001);
  EXPECT_LT(found.intra_host.width() / found.intra_host.low, 0.01);
  constexpr double kTruth = 0.10191631158983726;  // ms of the wide block
  EXPECT_TRUE(log.table("geo_os.v3").shard_perf.total.contains(kTruth));
}

}  // namespace
}  // namespace shardstats
