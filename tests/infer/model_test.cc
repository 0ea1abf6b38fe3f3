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

}  // namespace
}  // namespace shardstats::infer_detail
