// The vectors of perf-model.md section 3.10.
#include "shardstats/planner/perf.h"

#include <gtest/gtest.h>

#include "shardstats/planner/trace.h"

namespace shardstats {
namespace {

using enum Release;

struct Vector {
  const char* name;
  Release release;
  Sharding sharding;
  const char* kernel;
  double cols;
  bool weighted, sequence, inference;
  std::int64_t world_size, local_size, pods;
  double fetches;
  std::array<double, kPerfParts> parts;  // in printed order
  double total;
};

constexpr Sharding TW = Sharding::tw, CW = Sharding::cw, RW = Sharding::rw, TWRW = Sharding::twrw, DP = Sharding::dp;

// clang-format off
const Vector kVectors[] = {
    {"A", v0_5_0, TW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0950229607, 0.3125, 0.190045921, 0.3125, 0}, 0.910068882},
    {"A", v1_7_0, TW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0939342622, 0.234375, 0.187868524, 0.234375, 0}, 0.750552787},
    {"B", v1_6_0, CW, "fused", 64, false, false, false, 16, 8, 1, 0, {0.0554402669, 0.15625, 0.110880534, 0.15625, 0}, 0.478820801},
    {"C", v1_6_0, TW, "fused", 16, false, false, false, 16, 8, 1, 0, {0.0424507337, 0.0390625, 0.0849014673, 0.0390625, 0}, 0.205477201},
    {"D", v1_6_0, TW, "fused", 128, true, false, false, 16, 8, 1, 0, {0.0964178555, 0.3125, 0.298895352, 0.3125, 0}, 1.02031321},
    {"E", v1_6_0, TW, "fused", 128, false, true, false, 16, 8, 1, 0, {0.135304803, 3.203125, 0.270609606, 3.203125, 0}, 6.81216441},
    {"F", v1_6_0, TW, "fused", 128, false, false, false, 8, 8, 1, 0, {0.0475114803, 0.00325520833, 0.0950229607, 0.00325520833, 0}, 0.149044858},
    {"G", v0_5_0, RW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0100215542, 0.3125, 0.0200431084, 0.323191019, 0}, 0.665755681},
    {"H", v1_6_0, RW, "fused", 128, false, true, false, 16, 8, 1, 0, {0.00845655018, 0.200195312, 0.0169131004, 0.207044246, 0}, 0.432609209},
    {"I", v1_1_0, TWRW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0156883146, 0.162760417, 0.0313766292, 0.0172014353, 0}, 0.227026796},
    {"I", v1_2_0, TWRW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0156883146, 0.0455729167, 0.0313766292, 0.0562639353, 0}, 0.148901796},
    {"I", v1_7_0, TWRW, "fused", 128, false, false, false, 16, 8, 1, 0, {0.0145996162, 0.0341796875, 0.0291992324, 0.0421979515, 0}, 0.120176488},
    {"J", v1_7_0, TWRW, "fused", 128, false, false, false, 16, 8, 2, 0, {0.00893285575, 0.234375, 0.0178657115, 0.242393264, 0}, 0.503566831},
    {"K", v1_5_0, TWRW, "fused", 128, false, true, false, 16, 8, 1, 0, {0.0169131004, 0.0583902995, 0.0338262007, 0.0720881672, 0}, 0.181217768},
    {"K", v1_6_0, TWRW, "fused", 128, false, true, false, 16, 8, 1, 0, {0.0169131004, 0.408732096, 0.0338262007, 0.422429964, 0}, 0.881901361},
    {"L", v0_5_0, DP, "dense", 128, false, false, false, 16, 8, 1, 0, {0.0124222193, 0, 0.0248444386, 0.169550961, 0}, 0.206817618},
    {"M", v1_6_0, DP, "dense", 128, false, false, false, 32, 8, 1, 0, {0.0124222193, 0, 0.0248444386, 0.241076534, 0}, 0.278343192},
    {"N", v0_7_0, TW, "fused_uvm_caching", 128, false, false, false, 16, 8, 1, 1e5, {3.87082633, 0.3125, 7.74165265, 0.3125, 0.93497482}, 13.1724538},
    {"O", v1_6_0, RW, "fused_uvm_caching", 128, false, false, false, 16, 8, 1, 1e5, {0.438504103, 0.3125, 0.877008206, 0.780297256, 0.0931322575}, 2.50144182},
    {"P", v1_4_0, TW, "fused", 128, false, false, true, 16, 8, 1, 0, {0.0950229607, 0.3125, 0, 0, 0}, 0.407522961},
    {"Q", v0_7_0, RW, "fused", 128, false, false, true, 16, 8, 1, 0, {0.0100215542, 0.3125, 0.0200431084, 0.323191019, 0}, 0.665755681},
    {"R", v1_6_0, TWRW, "fused", 128, false, false, true, 16, 8, 1, 0, {0.0156883146, 0.0455729167, 0, 0, 0}, 0.0612612313},
};
// clang-format on

template <class N>
PerfSetting<N> setting_of(const Vector& v) {
  PerfSetting<N> setting;
  setting.rules = &perf_rules_of(v.release);
  setting.inference = v.inference;
  setting.world_size = v.world_size;
  setting.local_size = v.local_size;
  setting.group_size = v.local_size * v.pods;
  const Bandwidths<double>& b = kDefaultBandwidths;
  setting.bandwidths = {constant<N>(b.hbm), constant<N>(b.ddr),        constant<N>(b.hbm_to_ddr),
                        constant<N>(b.ssd), constant<N>(b.intra_host), constant<N>(b.inter_host)};
  setting.backward = constant<N>(2);
  setting.weighted_backward = constant<N>(1);
  return setting;
}

template <class N>
PerfFacts<N> facts_of(const Vector& v) {
  PerfFacts<N> facts;
  facts.sharding = v.sharding;
  facts.kernel = find_kernel(v.kernel);
  facts.weighted = v.weighted;
  facts.sequence = v.sequence;
  facts.rows = constant<N>(10000);
  facts.cols = constant<N>(v.cols);
  facts.element_size = constant<N>(4);
  facts.lookups = constant<N>(10496);
  facts.pooled = constant<N>(v.release >= v1_7_0 ? 768 : 1024);
  facts.caching_ratio = constant<N>(kDefaultCachingRatio);
  facts.fetches = constant<N>(v.fetches);
  facts.wire = {2, 2, 2, 2};
  return facts;
}

TEST(ShardPerf, VectorsOfTheRealCode) {
  for (const Vector& v : kVectors) {
    const auto perf = shard_perf(setting_of<double>(v), facts_of<double>(v));
    ASSERT_TRUE(perf) << v.name;
    for (std::size_t p = 0; p < kPerfParts; ++p)
      EXPECT_NEAR(perf->parts[p], v.parts[p], 1e-8 * (1 + v.parts[p])) << v.name << " " << name(v.release) << " " << p;
    EXPECT_NEAR(perf->total, v.total, 1e-8 * (1 + v.total)) << v.name << " " << name(v.release);
  }
}

TEST(ShardPerf, AllReadingsAgree) {
  for (const Vector& v : kVectors) {
    const auto exact = shard_perf(setting_of<double>(v), facts_of<double>(v));
    const auto bounds = shard_perf(setting_of<RealInterval>(v), facts_of<RealInterval>(v));
    const auto traced = shard_perf(setting_of<Traced>(v), facts_of<Traced>(v));
    EXPECT_TRUE(bounds->total.contains(exact->total)) << v.name;
    EXPECT_NEAR(traced->total.nominal, exact->total, 1e-12 * exact->total) << v.name;
  }
}

TEST(WireSizes, OfCodecs) {
  using enum WirePrecision;
  const PerfRules& rules = perf_rules_of(v1_4_0);
  EXPECT_EQ(wire_sizes(rules, {}, false, 2), (WireSizes{2, 2, 2, 2}));
  EXPECT_EQ(wire_sizes(rules, {true, fp8, half}, false, 4), (WireSizes{1, 2, 2, 2}));
  EXPECT_EQ(wire_sizes(rules, {true, int8, int8}, false, 4), (WireSizes{1, 1, 1, 1}));
  EXPECT_EQ(wire_sizes(rules, {true, half, fp32}, true, 1), (WireSizes{2, 4, 1, 1}));
  EXPECT_EQ(wire_sizes(perf_rules_of(v0_4_0), {true, half, half}, false, 4), (WireSizes{4, 4, 4, 4}));
}

TEST(KernelBandwidth, OnlyWhereThePlannerHasOne) {
  Vector v = kVectors[0];
  v.kernel = "fused_uvm";
  auto setting = setting_of<double>(v);
  EXPECT_TRUE(kernel_bandwidth(setting, facts_of<double>(v)));
  setting.device = Device::cpu;
  EXPECT_FALSE(kernel_bandwidth(setting, facts_of<double>(v)));
}

}  // namespace
}  // namespace shardstats
