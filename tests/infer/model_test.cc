#include "infer/model.h"

#include <gtest/gtest.h>

namespace shardstats::infer_detail {
namespace {

constexpr std::uint64_t kAllCombos = (std::uint64_t{1} << kCombos) - 1;

TableInputs table_with(const KernelTraits& kernel) {
  TableInputs table;
  table.sharding = Sharding::rw;
  table.kernel = &kernel;
  table.rows = 100001;
  table.cols = 96;
  for (int rank = 0; rank < 4; ++rank) table.ranks.push_back(rank);
  table.pooling_sum = table.indices = exactly(20.0);
  table.poolings = exactly(1.0);
  table.batch = exactly(512.0);
  table.batch_total = 512;
  return table;
}

// Sizes that are made together share what does not depend on the dtype or the optimizer.
void expect_same_bytes(const Setting& setting, const TableInputs& table, const Variant& variant) {
  const Parts all = make_parts(setting, table, variant, {}, kAllCombos);
  for (int i = 0; i < kCombos; ++i) {
    const Parts one = make_parts(setting, table, variant, {}, std::uint64_t{1} << i);
    EXPECT_EQ(cell_bytes(setting, all, combo_of(i)), cell_bytes(setting, one, combo_of(i)))
        << name(setting.rules->release) << ' ' << table.kernel->name << " combo " << i;
  }
}

TEST(MakeParts, SizesMadeTogetherAreThoseMadeAlone) {
  for (std::size_t release = 0; release < kReleaseNames.size(); ++release)
    for (const Device device : {Device::cuda, Device::cpu, Device::mtia})
      for (const bool inference : {false, true})
        for (const KernelTraits& kernel : kernel_table()) {
          Setting setting;
          setting.rules = &rules_of(static_cast<Release>(release));
          setting.device = device;
          setting.inference = inference;
          setting.world_size = setting.group_size = setting.column_group_size = 4;
          Variant flagged;
          flagged.virtual_table = true;
          for (const Variant& variant : {Variant{}, flagged}) expect_same_bytes(setting, table_with(kernel), variant);
        }
}

Setting setting_of(Release release) {
  Setting setting;
  setting.rules = &rules_of(release);
  setting.world_size = setting.group_size = setting.column_group_size = 4;
  return setting;
}

TEST(PartsMaker, MakesEachTableAsByItself) {
  const Setting setting = setting_of(Release::v1_4_0);
  PartsMaker maker(setting, {});
  for (const KernelTraits& kernel : kernel_table())
    for (const std::uint64_t combos : {kAllCombos, std::uint64_t{1}, std::uint64_t{1} << 59, std::uint64_t{1}}) {
      const TableInputs table = table_with(kernel);
      Parts parts;
      maker.make(table, {}, combos, nullptr, parts);
      const Parts alone = make_parts(setting, table, {}, {}, combos);
      each_bit(combos, [&](int i) {
        EXPECT_EQ(cell_bytes(setting, parts, combo_of(i)), cell_bytes(setting, alone, combo_of(i)))
            << kernel.name << " combo " << i;
      });
    }
}

TEST(PartsMaker, MakesOtherPassesAsByThemselves) {
  Setting setting = setting_of(Release::v1_4_0);
  setting.pipeline = Pipeline::train_prefetch_sparse_dist;
  PartsMaker maker(setting, {});
  for (const KernelTraits& kernel : kernel_table()) {
    const TableInputs table = table_with(kernel);
    Parts once, often;
    maker.make(table, {}, kAllCombos, nullptr, once);
    for (const int passes : {2, kManyPasses}) {
      maker.make_with_passes(table, passes, once, often);
      Variant variant;
      variant.passes = passes;
      EXPECT_EQ(often.variant, variant);
      const Parts alone = make_parts(setting, table, variant, {}, kAllCombos);
      for (int i = 0; i < kCombos; ++i)
        EXPECT_EQ(cell_bytes(setting, often, combo_of(i)), cell_bytes(setting, alone, combo_of(i)))
            << kernel.name << " combo " << i << ", " << passes << " passes";
    }
  }
}

// Of a table of one class (whole) and of one of several (rw).
TEST(CellTest, FindsThePrintedCellsThatAComboContradicts) {
  const Setting setting = setting_of(Release::v1_4_0);
  for (const Sharding sharding : {Sharding::tw, Sharding::rw}) {
    TableInputs table = table_with(*find_kernel("fused"));
    table.sharding = sharding;
    if (sharding == Sharding::tw) table.ranks.assign(std::array{2});
    const Parts parts = make_parts(setting, table, {}, {}, kAllCombos);
    const CellBytes first = cell_bytes(setting, parts, combo_of(0));
    EXPECT_EQ(CellTest(setting, table, parts)(combo_of(59)), WrongCells{}) << "nothing is printed";
    table.cells[0] = ByteInterval{static_cast<std::int64_t>(first[0].low), static_cast<std::int64_t>(first[0].high)};
    table.cells[1] = ByteInterval{0, 0};
    const CellTest contradicted(setting, table, parts);
    EXPECT_EQ(contradicted(combo_of(0)), WrongCells{});
    EXPECT_EQ(contradicted(combo_of(59)), (WrongCells{true, false, false}));
    EXPECT_EQ(contradicted_cells(setting, table, parts, combo_of(59)), (WrongCells{true, false, false}));
  }
}

// 300 columns in nine blocks are 31, 32 or 33 wide.
TEST(UsualBlock, IsTheDefaultMinimumOrAnEvenSplit) {
  EXPECT_EQ(usual_block(300, 9), std::nullopt);
  EXPECT_EQ(usual_block(300, 2), 128);
  EXPECT_EQ(usual_block(256, 2), 128);
  EXPECT_EQ(usual_block(160, 2), 80);
  EXPECT_EQ(usual_block(1792, 3), std::nullopt);
}

}  // namespace
}  // namespace shardstats::infer_detail
