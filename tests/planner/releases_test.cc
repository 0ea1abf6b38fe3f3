#include "shardstats/planner/releases.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shardstats {
namespace {

TEST(Releases, TableIsInTheOrderOfTheEnumeration) {
  ASSERT_EQ(release_table().size(), kReleaseNames.size());
  for (std::size_t i = 0; i < release_table().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(release_table()[i].release), i) << kReleaseNames[i];
}

// The rows of section 9.1 in words, so that a slip in one column of the table does not go unseen.
struct Expected {
  Release release;
  IoGeneration io;
  OptimizerRule optimizer;
  PipelineRule pipeline;
  KeyValueRule key_value;
  ColumnSplit columns;
  RatioSource ratio;
};
constexpr auto A = IoGeneration::a, B = IoGeneration::b, C = IoGeneration::c, D = IoGeneration::d;
constexpr Expected kExpected[] = {
    {Release::v0_1_0, A, OptimizerRule::dp_twice, PipelineRule::sum, KeyValueRule::none, ColumnSplit::remainder_32,
     RatioSource::constraint},
    {Release::v0_1_1, B, OptimizerRule::dense_twice, PipelineRule::sum, KeyValueRule::none, ColumnSplit::remainder_128,
     RatioSource::constraint},
    {Release::v0_2_0, C, OptimizerRule::dense_twice, PipelineRule::sum, KeyValueRule::none, ColumnSplit::remainder_128,
     RatioSource::constraint},
    {Release::v0_3_2, C, OptimizerRule::by_class, PipelineRule::sum, KeyValueRule::none, ColumnSplit::remainder_128,
     RatioSource::sharder},
    {Release::v0_4_0, C, OptimizerRule::always_zero, PipelineRule::sum, KeyValueRule::none, ColumnSplit::remainder_128,
     RatioSource::sharder},
    {Release::v0_5_0, C, OptimizerRule::always_zero, PipelineRule::sum, KeyValueRule::none, ColumnSplit::divisor,
     RatioSource::constraint_then_sharder},
    {Release::v0_7_0, C, OptimizerRule::always_zero, PipelineRule::sum, KeyValueRule::none, ColumnSplit::divisor,
     RatioSource::option_then_sharder},
    {Release::v0_8_0, C, OptimizerRule::always_zero, PipelineRule::maximum, KeyValueRule::zero, ColumnSplit::divisor,
     RatioSource::option_then_sharder},
    {Release::v1_0_0, C, OptimizerRule::always_zero, PipelineRule::maximum, KeyValueRule::zero, ColumnSplit::divisor,
     RatioSource::option_then_sharder},
    {Release::v1_1_0, C, OptimizerRule::by_class, PipelineRule::ephemeral, KeyValueRule::zero, ColumnSplit::divisor,
     RatioSource::option_then_sharder},
    {Release::v1_3_0, C, OptimizerRule::by_class, PipelineRule::ephemeral, KeyValueRule::least_of_l1,
     ColumnSplit::divisor, RatioSource::option_then_sharder},
    {Release::v1_6_0, C, OptimizerRule::by_class, PipelineRule::ephemeral, KeyValueRule::least_of_l1,
     ColumnSplit::divisor, RatioSource::option_then_sharder},
    {Release::v1_7_0, D, OptimizerRule::by_class, PipelineRule::ephemeral, KeyValueRule::least_of_l1,
     ColumnSplit::divisor, RatioSource::option_then_sharder},
    {Release::main_branch, D, OptimizerRule::by_class, PipelineRule::ephemeral, KeyValueRule::least_of_l1,
     ColumnSplit::divisor, RatioSource::option_then_sharder},
};

TEST(Releases, GenerationsAreThoseOfTheMatrix) {
  for (const Expected& expected : kExpected) {
    const ReleaseRules& rules = rules_of(expected.release);
    SCOPED_TRACE(std::string(name(expected.release)));
    EXPECT_EQ(rules.io, expected.io);
    EXPECT_EQ(rules.optimizer, expected.optimizer);
    EXPECT_EQ(rules.pipeline, expected.pipeline);
    EXPECT_EQ(rules.key_value, expected.key_value);
    EXPECT_EQ(rules.columns, expected.columns);
    EXPECT_EQ(rules.ratio, expected.ratio);
  }
}

// A property that came with one release and stayed.
struct Since {
  const char* what;
  bool ReleaseRules::*member;
  Release first;
};
constexpr Since kSince[] = {
    {"output data type", &ReleaseRules::output_dtype, Release::v0_8_0},
    {"inference flag", &ReleaseRules::inference, Release::v0_8_0},
    {"auxiliary cache state", &ReleaseRules::cache_aux, Release::v1_0_0},
    {"virtual-table flag", &ReleaseRules::virtual_flag, Release::v1_4_0},
    {"SSD", &ReleaseRules::ssd, Release::v1_6_0},
    {"mtia", &ReleaseRules::mtia, Release::v0_6_0},
    {"mtia in HBM", &ReleaseRules::mtia_in_hbm, Release::v1_3_0},
    {"mtia percentage", &ReleaseRules::mtia_percent, Release::v1_4_0},
    {"tpu", &ReleaseRules::tpu, Release::main_branch},
    {"grid shard", &ReleaseRules::grid, Release::v1_1_0},
    {"uneven rows", &ReleaseRules::uneven_rows, Release::v0_8_0},
    {"buckets", &ReleaseRules::buckets, Release::v1_5_0},
    {"pods", &ReleaseRules::pods, Release::v1_6_0},
    {"pods in the columns", &ReleaseRules::pods_in_statistics, Release::v1_7_0},
    {"rank memory with dense and KJT", &ReleaseRules::counts_reservation, Release::v0_2_0},
};

TEST(Releases, PropertiesStayOnceTheyCame) {
  for (const Since& since : kSince)
    for (const ReleaseRules& rules : release_table())
      EXPECT_EQ(rules.*since.member, rules.release >= since.first) << since.what << " in " << name(rules.release);
}

TEST(Releases, SameStorageJoinsTheReleasesThatAgree) {
  const auto same = [](Release a, Release b) {
    ReleaseRules renamed = rules_of(a);
    renamed.release = b;
    return renamed == rules_of(b);
  };
  EXPECT_TRUE(same(Release::v0_3_0, Release::v0_3_2));
  EXPECT_TRUE(same(Release::v0_6_0, Release::v0_7_0));
  EXPECT_TRUE(same(Release::v1_1_0, Release::v1_2_0));
  EXPECT_TRUE(same(Release::v1_7_0, Release::v1_8_0));
  EXPECT_FALSE(same(Release::v0_8_0, Release::v1_0_0));
  EXPECT_FALSE(same(Release::v1_6_0, Release::v1_7_0));
  EXPECT_FALSE(same(Release::v1_8_0, Release::main_branch));
}

TEST(Releases, ReservationIsPrinted) {
  EXPECT_EQ(reservation_printed_since(Policy::heuristical), Release::v0_2_0);
  EXPECT_EQ(reservation_printed_since(Policy::inference), Release::v1_6_0);
  EXPECT_EQ(reservation_printed_since(Policy::fixed_absolute), Release::v1_7_0);
  EXPECT_EQ(reservation_printed_since(Policy::sku_aware), Release::main_branch);
  EXPECT_EQ(reservation_printed_since(Policy::other), std::nullopt);
}

TEST(Releases, PoliciesThatAddKjt) {
  using enum Release;
  EXPECT_TRUE(adds_kjt(Policy::heuristical, v0_2_0));
  EXPECT_FALSE(adds_kjt(Policy::heuristical, v0_1_1));
  EXPECT_TRUE(adds_kjt(Policy::inference, v1_5_0));  // which prints nothing of it
  EXPECT_FALSE(adds_kjt(Policy::fixed_percentage, v1_5_0));
  EXPECT_TRUE(adds_kjt(Policy::fixed_percentage, v1_6_0));
  EXPECT_FALSE(adds_kjt(Policy::other, main_branch));
  EXPECT_TRUE(may_add_no_kjt(Policy::sku_aware, main_branch));
  EXPECT_FALSE(may_add_no_kjt(Policy::inference, v1_5_0));
  EXPECT_TRUE(may_add_no_kjt(Policy::other, main_branch));
}

TEST(Kernels, AreKnownByTheirNames) {
  EXPECT_EQ(name(Kernel::dense), "dense");
  EXPECT_EQ(name(Kernel::fused_uvm_caching), "fused_uvm_caching");
  EXPECT_EQ(name(Kernel::default_kernel), "default");
}

TEST(Kernels, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const KernelTraits& kernel : kernel_table()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_EQ(find_kernel(kernel.name), &kernel);
    EXPECT_LE(kernel.since, kernel.until) << kernel.name;
  }
  EXPECT_EQ(find_kernel("fused_uvm_cachin"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
}

struct CachedCase {
  const char* kernel;
  Release release;
  bool cached;
};
constexpr CachedCase kCached[] = {
    {"batched_fused_uvm_caching", Release::v0_1_0, true},
    {"batched_quant_uvm_caching", Release::v0_1_1, false},
    {"fused_uvm_caching", Release::v0_2_0, true},
    {"quant_uvm_caching", Release::v0_2_0, true},
    {"fused_uvm", Release::main_branch, false},
    {"key_value", Release::v0_8_0, true},
    {"ssd_virtual_table", Release::v1_3_0, true},
    {"dram_ssd_virtual_table", Release::v1_8_0, true},
    {"dense", Release::main_branch, false},
    {"fused_triton", Release::main_branch, false},
};

TEST(Kernels, CachedOnesByRelease) {
  for (const CachedCase& c : kCached)
    EXPECT_EQ(is_cached(*find_kernel(c.kernel), c.release), c.cached) << c.kernel << " in " << name(c.release);
}

}  // namespace
}  // namespace shardstats
