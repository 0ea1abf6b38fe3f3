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

}  // namespace
}  // namespace shardstats
