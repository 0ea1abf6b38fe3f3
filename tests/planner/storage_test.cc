#include "shardstats/planner/storage.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats {
namespace {

using enum Sharding;

// The table of section 12.2: 80,000,000 x 128 rows on 96 ranks, two bytes an element, 2560 samples a batch.
TableFacts<double> reference_table(double indices, const ReleaseRules& rules) {
  TableFacts<double> facts;
  facts.sharding = rw;
  facts.kernel = find_kernel("fused");
  facts.sequence = true;
  facts.rows = 80'000'000;
  facts.cols = 128;
  facts.element_size = facts.output_element_size = 2;
  facts.optimizer_multiplier = optimizer_multiplier(rules, Optimizer::rowwise_adagrad, rw, *facts.kernel, 128);
  facts.lookups = indices * 2560;
  return facts;
}

Setting reference_setting(Release release) {
  Setting setting;
  setting.rules = &rules_of(release);
  setting.world_size = setting.group_size = setting.column_group_size = 96;
  return setting;
}

struct ReferenceCase {
  double indices, rows, tensor, optimizer, input, output, hbm;
};
constexpr ReferenceCase kReference[] = {
    {6066, 833'334, 213'333'504, 1'666'668, 124'231'680, 3'975'413'760, 4'314'645'612},
    {6066, 833'270, 213'317'120, 1'666'540, 124'231'680, 3'975'413'760, 4'314'629'100},
    {9099, 833'334, 213'333'504, 1'666'668, 186'347'520, 5'963'120'640, 6'364'468'332},
    {9099, 833'270, 213'317'120, 1'666'540, 186'347'520, 5'963'120'640, 6'364'451'820},
};

TEST(Storage, ReferenceValues) {
  for (const Release release : {Release::v1_4_0, Release::v1_8_0})
    for (const ReferenceCase& c : kReference) {
      SCOPED_TRACE(std::to_string(c.indices) + " ids, " + std::to_string(c.rows) + " rows");
      const Setting setting = reference_setting(release);
      const auto facts = reference_table(c.indices, *setting.rules);
      const auto s = shard_storage(setting, facts, {c.rows, 128.0, Emptiness::no});
      EXPECT_EQ(s.specific.tensor_hbm, c.tensor);
      EXPECT_EQ(s.specific.optimizer_hbm, c.optimizer);
      EXPECT_EQ(s.io.input, c.input);
      EXPECT_EQ(s.io.output, c.output);
      EXPECT_EQ(s.hbm, c.hbm);
      EXPECT_EQ(s.ddr, 0);
    }
}

// One small table, 100 x 8 of 4 bytes: 10 ids and 6 poolings a batch, two ranks, groups of two.
TableFacts<double> small_table(Sharding sharding, const char* kernel) {
  TableFacts<double> facts;
  facts.sharding = sharding;
  facts.kernel = find_kernel(kernel);
  facts.rows = 100;
  facts.cols = 8;
  facts.element_size = facts.output_element_size = 4;
  facts.lookups = 10;
  facts.pooled = 6;
  facts.caching_ratio = 0.2;
  facts.passes = 1;
  facts.pooling_sum = 5;
  facts.features = 3;
  facts.batch = 2;
  return facts;
}

Setting small_setting(Release release) {
  Setting setting;
  setting.rules = &rules_of(release);
  setting.world_size = setting.group_size = setting.column_group_size = 2;
  return setting;
}

struct IoCase {
  Release release;
  Sharding sharding;
  bool sequence;
  double cols, input, output;
};
constexpr Release v010 = Release::v0_1_0, v011 = Release::v0_1_1, v14 = Release::v1_4_0;
constexpr IoCase kIo[] = {
    {v14, dp, false, 8, 80, 192},  {v14, tw, false, 8, 160, 384},   {v14, cw, false, 4, 160, 192},
    {v14, rw, false, 8, 80, 384},  {v14, rw, true, 8, 80, 320},     {v14, twrw, true, 8, 80, 320},
    {v14, gs, false, 4, 80, 192},  {v14, tw, true, 8, 160, 640},    {v010, dp, false, 8, 80, 192},
    {v010, tw, true, 8, 160, 384}, {v010, rw, false, 8, 80, 384},   {v011, tw, true, 8, 160, 640},
    {v011, rw, true, 8, 80, 320},  {v011, twrw, false, 8, 80, 384},
};

TEST(Storage, InputAndOutputByShardingType) {
  for (const IoCase& c : kIo) {
    auto facts = small_table(c.sharding, c.release < Release::v0_2_0 ? "batched_fused" : "fused");
    facts.sequence = c.sequence;
    const auto io = io_bytes(small_setting(c.release), facts, {50.0, c.cols, Emptiness::no});
    EXPECT_EQ(io.input, c.input) << name(c.release) << " " << name(c.sharding);
    EXPECT_EQ(io.output, c.output) << name(c.release) << " " << name(c.sharding);
    if (!is_row_split(c.sharding)) continue;
    const auto none = io_bytes(small_setting(c.release), facts, {0.0, c.cols, Emptiness::yes});
    EXPECT_EQ(none.input + none.output, 0) << name(c.release) << " " << name(c.sharding);
  }
}

struct PipelineCase {
  Release release;
  Pipeline pipeline;
  bool ephemeral;
  const char* kernel;
  double passes, expected;  // of input 100, output 1000
};
constexpr PipelineCase kPipelines[] = {
    {Release::v0_7_0, Pipeline::train_sparse_dist, false, "fused", 1, 1100},
    {Release::v1_0_0, Pipeline::none, false, "fused", 1, 1100},
    {Release::v1_0_0, Pipeline::train_base, false, "fused", 1, 1100},
    {Release::v1_0_0, Pipeline::train_sparse_dist, false, "fused", 1, 1000},
    {Release::v1_0_0, Pipeline::train_prefetch_sparse_dist, false, "fused_uvm_caching", 1, 1000},
    {v14, Pipeline::train_sparse_dist, false, "fused", 1, 200},
    {v14, Pipeline::train_sparse_dist, true, "fused", 1, 1200},
    {v14, Pipeline::train_prefetch_sparse_dist, false, "fused", 1, 300},
    {v14, Pipeline::train_prefetch_sparse_dist, false, "fused_uvm_caching", 1, 1000},
    {v14, Pipeline::train_prefetch_sparse_dist, false, "fused_uvm_caching", 7, 485},
    {v14, Pipeline::train_prefetch_sparse_dist, true, "fused_uvm_caching", 6, 1500},
};

TEST(Storage, PipelineCost) {
  for (const PipelineCase& c : kPipelines) {
    Setting setting = small_setting(c.release);
    setting.pipeline = c.pipeline;
    setting.ephemeral = c.ephemeral;
    auto facts = small_table(tw, c.kernel);
    facts.passes = c.passes;
    EXPECT_EQ(pipeline_io_bytes(setting, facts, {100.0, 1000.0}), c.expected)
        << name(c.release) << " " << name(c.pipeline) << " " << c.kernel << " " << c.passes;
    setting.inference = true;
    EXPECT_EQ(pipeline_io_bytes(setting, facts, {100.0, 1000.0}), setting.rules->inference ? 0 : c.expected);
  }
}

struct SizeCase {
  const char* what;
  Release release;
  Device device;
  const char* kernel;
  Optimizer optimizer;
  bool inference;
  double hbm, ddr, ssd;  // of a table-wise shard with 160 bytes of input and 384 of output
};
constexpr SizeCase kSizes[] = {
    {"plain", v14, Device::cuda, "fused", Optimizer::none, false, 3200 + 544, 0, 0},
    {"rowwise adagrad", v14, Device::cuda, "fused", Optimizer::rowwise_adagrad, false, 3600 + 544, 0, 0},
    {"adam", v14, Device::cuda, "fused", Optimizer::adam, false, 9600 + 544, 0, 0},
    {"optimizer unseen", Release::v1_0_0, Device::cuda, "fused", Optimizer::adam, false, 3200 + 544, 0, 0},
    {"inference", v14, Device::cuda, "fused", Optimizer::adam, true, 3200, 0, 0},
    {"inference is unknown before v0.8.0", Release::v0_3_2, Device::cuda, "fused", Optimizer::adam, true, 9600 + 544, 0,
     0},
    {"uvm", v14, Device::cuda, "fused_uvm", Optimizer::other, false, 544, 6400, 0},
    {"uvm with cache", v14, Device::cuda, "fused_uvm_caching", Optimizer::none, false, 640 + 720 + 544, 3200, 0},
    {"cache without auxiliary state", Release::v0_8_0, Device::cuda, "fused_uvm_caching", Optimizer::none, false,
     640 + 544, 3200, 0},
    {"cache share taken off", v010, Device::cuda, "batched_fused_uvm_caching", Optimizer::none, false, 640 + 544, 2560,
     0},
    {"quantized", v14, Device::cuda, "quant", Optimizer::none, false, 3600 + 544, 0, 0},
    {"cpu", v14, Device::cpu, "fused", Optimizer::none, false, 0, 3200 + 544, 0},
    {"cpu inference", v14, Device::cpu, "fused", Optimizer::none, true, 0, 3200, 0},
    {"early mtia", Release::v1_2_0, Device::mtia, "fused", Optimizer::none, false, 0, 3200 + 544, 0},
    {"mtia", v14, Device::mtia, "fused", Optimizer::none, false, 3200 + 544, 0, 0},
    {"mtia quantized", v14, Device::mtia, "quant", Optimizer::none, false, 544, 3600, 0},
    {"tpu", Release::main_branch, Device::tpu, "unfused_tpu", Optimizer::none, false, 0, 0, 0},
    {"key value", Release::v1_6_0, Device::cuda, "key_value", Optimizer::none, false, 544, 0, 3200 + 720},
    {"key value without SSD", v14, Device::cuda, "key_value", Optimizer::none, false, 544, 0, 0},
    {"key value as a cache", Release::v1_2_0, Device::cuda, "key_value", Optimizer::none, false, 720 + 544, 0, 0},
    {"virtual table", Release::v1_8_0, Device::cuda, "dram_ssd_virtual_table", Optimizer::none, false, 544, 0, 0},
};

TEST(Storage, SizesByKernelDeviceAndOptimizer) {
  for (const SizeCase& c : kSizes) {
    Setting setting = small_setting(c.release);
    setting.device = c.device;
    setting.inference = c.inference;
    auto facts = small_table(tw, c.kernel);
    facts.quant = facts.kernel->quant;
    facts.optimizer_multiplier = optimizer_multiplier(*setting.rules, c.optimizer, tw, *facts.kernel, facts.cols);
    const auto s = shard_storage(setting, facts, {100.0, 8.0, Emptiness::no});
    EXPECT_EQ(s.hbm, c.hbm) << c.what;
    EXPECT_EQ(s.ddr, c.ddr) << c.what;
    EXPECT_EQ(s.ssd, c.ssd) << c.what;
  }
}

TEST(Storage, KeyValueCacheIsTheSmallerOfBothLimits) {
  auto facts = small_table(rw, "key_value");
  facts.rows = 1'000'000;
  facts.l1_megabytes = 1;
  facts.key_value_ratio = 0.5;
  EXPECT_EQ(key_value_bytes(facts), 1 << 20);
  facts.l1_megabytes = 64;
  EXPECT_EQ(key_value_bytes(facts), 16'000'000);
}

TEST(Storage, VirtualFlagAppliesFromV140) {
  auto facts = small_table(tw, "fused");
  facts.virtual_table = true;
  EXPECT_FALSE(uses_key_value_rule(small_setting(Release::v1_3_0), facts));
  EXPECT_TRUE(uses_key_value_rule(small_setting(v14), facts));
}

struct MultiplierCase {
  Release release;
  Optimizer optimizer;
  Sharding sharding;
  const char* kernel;
  double expected;
};
constexpr MultiplierCase kMultipliers[] = {
    {v010, Optimizer::none, dp, "dense", 2},
    {v010, Optimizer::adam, tw, "batched_fused", 0},
    {v011, Optimizer::none, tw, "batched_dense", 2},
    {v011, Optimizer::adam, tw, "batched_fused", 0},
    {Release::v0_2_0, Optimizer::none, dp, "dense", 2},
    {Release::v0_3_0, Optimizer::adam, tw, "fused", 2},
    {Release::v0_4_0, Optimizer::adam, tw, "fused", 0},
    {v14, Optimizer::rowwise_adagrad, tw, "fused", 0.01},
    {v14, Optimizer::other, tw, "fused", 1},
};

TEST(Storage, OptimizerMultiplier) {
  for (const MultiplierCase& c : kMultipliers)
    EXPECT_EQ(optimizer_multiplier(rules_of(c.release), c.optimizer, c.sharding, *find_kernel(c.kernel), 100),
              c.expected)
        << name(c.release) << " " << name(c.optimizer) << " " << c.kernel;
}

TEST(Storage, ColumnsUseTheElementSizeAndTheirOwnGroup) {
  Setting setting = small_setting(Release::v1_6_0);
  setting.group_size = 4;
  auto facts = small_table(twrw, "fused");
  facts.output_element_size = 2;
  facts.sequence = true;
  const ShardFacts<double> shard{25.0, 8.0, Emptiness::no};
  EXPECT_EQ(io_bytes(setting, facts, shard).output, 80);          // 10 / 4 * 2 * 8 * 2
  EXPECT_EQ(column_io_bytes(setting, facts, shard).output, 320);  // 10 / 2 * 2 * 8 * 4
}

TEST(Storage, KjtCountsTheLocalBatch) {
  EXPECT_EQ(kjt_bytes(20, 10.0), 1600);
  EXPECT_EQ(kjt_bytes(1, 0.1), 1);  // ceil before the multiplier
  EXPECT_EQ(kjt_bytes(20, 0.1), 20);
}

}  // namespace
}  // namespace shardstats
