#include "shardstats/log/lost_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace shardstats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> headers(const PrintedPlan& plan, bool rank_table = false) {
  std::vector<std::string_view> headers;
  for (const ColumnForm* form : lost_columns(plan, rank_table)) headers.push_back(form->header);
  return headers;
}

// All columns of the parameter table of a release but for one.
PrintedPlan without(ColumnId lost, std::vector<Release> releases) {
  PrintedPlan plan;
  plan.releases = std::move(releases);
  plan.tables.printed = true;
  for (const ColumnForm& form : column_forms())
    if (!form.rank_table && form.id != lost && form.id != ColumnId::unknown && form.id != ColumnId::batch_sizes)
      plan.tables.columns.push_back({form.id, {}});
  return plan;
}

TEST(LostColumns, AreThoseThatAllReleasesPrint) {
  EXPECT_THAT(headers(without(ColumnId::output, {Release::v0_2_0})), ElementsAre("Output"));
  EXPECT_THAT(headers(without(ColumnId::output, {Release::v0_1_1})), IsEmpty());
  EXPECT_THAT(headers(without(ColumnId::num_poolings, {Release::v0_3_0, Release::v0_4_0})), IsEmpty());
  EXPECT_THAT(headers(without(ColumnId::unknown, {Release::v1_4_0})), IsEmpty()) << "batch sizes need not be printed";
}

// A lost column does not tell which of its spellings it had.
TEST(LostColumns, HaveTheNameInTheFirstOfTheReleases) {
  EXPECT_THAT(headers(without(ColumnId::num_poolings, {Release::v1_0_0, Release::v1_1_0})),
              ElementsAre("Num Poolings"));
  EXPECT_THAT(headers(without(ColumnId::storage, {Release::v1_6_0})), ElementsAre("Storage (HBM, DDR, SSD)"));
}

TEST(LostColumns, AreNotThoseThatANewerReleaseRenamed) {
  PrintedPlan plan = without(ColumnId::output, {Release::v1_8_0, Release::main_branch});
  EXPECT_THAT(headers(plan), ElementsAre("Output"));
  plan.tables.columns.push_back({ColumnId::unknown, {}});
  EXPECT_THAT(headers(plan), IsEmpty());
  plan.releases = {Release::v1_4_0};
  EXPECT_THAT(headers(plan), ElementsAre("Output"));
}

TEST(LostColumns, TheFirstThatSizesRestOn) {
  PrintedPlan plan = without(ColumnId::num_poolings, {Release::v1_4_0});
  ASSERT_NE(lost_column_of_sizes(plan), nullptr);
  EXPECT_EQ(lost_column_of_sizes(plan)->header, "Sum Num Poolings");
  plan = without(ColumnId::sharder, {Release::v1_4_0});
  EXPECT_FALSE(headers(plan).empty());
  EXPECT_EQ(lost_column_of_sizes(plan), nullptr);
}

TEST(LostColumns, AreNoneOfATableThatIsNotPrinted) {
  PrintedPlan plan;
  plan.releases = {Release::v1_4_0};
  EXPECT_THAT(headers(plan), IsEmpty());
  EXPECT_THAT(headers(plan, true), IsEmpty());
  plan.ranks.printed = true;
  EXPECT_FALSE(headers(plan, true).empty());
}

}  // namespace
}  // namespace shardstats
