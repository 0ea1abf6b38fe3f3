#include "shardstats/analysis/block.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "logs.h"

namespace shardstats {
namespace {

using testing::Contains;
using testing::ElementsAre;

const AssumptionView* find(const BlockView& view, std::string_view name) {
  const auto found = std::ranges::find(view.assumptions, name, &AssumptionView::name);
  return found == view.assumptions.end() ? nullptr : &*found;
}

TEST(Block, FactsOfTheHead) {
  const struct {
    const char* log;
    std::optional<std::int64_t> world_size;
    std::int64_t tables;
    std::optional<std::int64_t> batch_size;
  } cases[] = {{"v0.1.0.log", 2, 0, std::nullopt},
               {"v0.8.0-empty.log", 16, 0, 512},
               {"v1.4.0.log", 4, 4, 512},
               {"v1.8.0-nodebug.log", 8, 0, 512}};
  for (const auto& c : cases) {
    const Checked checked(log_bytes(c.log));
    const BlockView view = view_block(checked.printed, checked.plan, 3, false);
    EXPECT_EQ(view.index, 3U);
    EXPECT_EQ(view.line, 1U);
    EXPECT_EQ(view.world_size, c.world_size) << c.log;
    EXPECT_EQ(view.tables, c.tables) << c.log;
    EXPECT_EQ(view.batch_size, c.batch_size) << c.log;
  }
}

TEST(Block, Sections) {
  const Checked checked(log_bytes("v0.8.0-empty.log"));
  EXPECT_THAT(view_block(checked.printed, checked.plan, 0, false).sections,
              ElementsAre("header", "batch_size", "world_size", "kernel_count", "kernel_storage"));
  const Checked full(log_bytes("v1.8.0.log"));
  const auto sections = view_block(full.printed, full.plan, 0, false).sections;
  for (const char* name :
       {"ranks", "parameters", "kernel_weights", "kernel_constraints", "perf_maxima", "tiers", "kjt"})
    EXPECT_THAT(sections, Contains(name));
}

TEST(Block, AssumptionsOfTablesAreSummedUp) {
  const Checked checked(log_bytes("v1.8.0.log"));
  const BlockView view = view_block(checked.printed, checked.plan, 0, false);
  const AssumptionView* sizes = find(view, "element_size");
  ASSERT_NE(sizes, nullptr);
  EXPECT_EQ(sizes->scope, AssumptionView::Scope::tables);
  std::int64_t tables = 0;
  for (const ValueCount& counted : sizes->values) tables += counted.tables;
  EXPECT_EQ(tables, 6);
  EXPECT_TRUE(std::ranges::is_sorted(sizes->values, std::ranges::greater{}, &ValueCount::tables));
}

TEST(Block, AssumptionsOfTablesOneByOne) {
  const Checked checked(log_bytes("v1.8.0.log"));
  const BlockView view = view_block(checked.printed, checked.plan, 0, true);
  const auto sizes = std::ranges::count(view.assumptions, "element_size", &AssumptionView::name);
  EXPECT_EQ(sizes, 6);
  EXPECT_EQ(find(view, "element_size")->fqn, "fused_ebc.like_creative_slot_emb");
}

}  // namespace
}  // namespace shardstats
