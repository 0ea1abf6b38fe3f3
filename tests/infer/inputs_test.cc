#include "infer/inputs.h"

#include <gtest/gtest.h>

namespace shardstats::infer_detail {
namespace {

PrintedTable row_with(std::string_view features, std::string_view batch_sizes, std::string_view poolings,
                      std::string_view ddr) {
  PrintedTable row;
  row.sharding.text = "TW";
  row.kernel.text = "fused";
  row.output.text = "pooled";
  row.pooling_factor.text = "20.5";
  row.num_indices.text = poolings == "1.0" ? "20.5" : "41.0";
  row.num_poolings.text = poolings;
  row.features.text = features;
  row.batch_sizes.text = batch_sizes;
  row.emb_dim.text = "128";
  row.hash_size.text = "1000";
  row.ranks.text = "1,0";
  row.hbm.text = "1.5";
  row.ddr.text = row.ssd.text = ddr;
  return row;
}

PrintedPlan with_batch_sizes() {
  PrintedPlan plan;
  plan.tables.columns = {{ColumnId::batch_sizes, {}}};
  return plan;
}

TableInputs alone(const PrintedTable& row) {
  PrintedPlan plan = with_batch_sizes();
  plan.tables.rows = {row};
  return read_tables(plan, 2, 512).front();
}

void expect_same(const TableInputs& a, const TableInputs& b) {
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.batch_total, b.batch_total);
  EXPECT_EQ(a.uniform_batch, b.uniform_batch);
  EXPECT_EQ(a.poolings, b.poolings);
  EXPECT_EQ(a.poolings_known, b.poolings_known);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.indices_known, b.indices_known);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.sized, b.sized);
  EXPECT_EQ(std::vector(a.ranks.begin(), a.ranks.end()), std::vector(b.ranks.begin(), b.ranks.end()));
}

// Cells that repeat those above are not read again, but what they say may rest on others of their row.
TEST(ReadTables, RowsSayTogetherWhatTheySayAlone) {
  PrintedPlan plan = with_batch_sizes();
  for (const char* const features : {"1", "3"})
    for (const char* const batch_sizes : {"256", "256", "", "256 * 2, 128", "n/a", "many"})
      for (const char* const poolings : {"1.0", "", "2.0", "?"})
        for (const char* const ddr : {"0.0", "", "2.25", "odd"})
          for (const bool twice : {false, true}) {
            if (twice) plan.tables.rows.push_back(plan.tables.rows.back());
            plan.tables.rows.push_back(row_with(features, batch_sizes, poolings, ddr));
          }
  for (const char* const features : {"2", "1", "2"})
    plan.tables.rows.push_back(row_with(features, "256 * 2, 128", "1.0", "0.0"));
  const auto together = read_tables(plan, 2, 512);
  ASSERT_EQ(together.size(), plan.tables.rows.size());
  for (std::size_t t = 0; t < together.size(); ++t) {
    SCOPED_TRACE(t);
    expect_same(together[t], alone(plan.tables.rows[t]));
  }
}

// A table whose outputs are those of single lookups takes other sizes than one that pools them. All releases with
// sizes print which it is: a log without the column lost it.
TEST(ReadTables, SizesRestOnTheOutputThatIsPrinted) {
  PrintedTable row = row_with("1", "512", "1.0", "0.0");
  EXPECT_TRUE(alone(row).sized);
  row.output.text = "sequence";
  EXPECT_TRUE(alone(row).sized);
  row.output = {};
  EXPECT_FALSE(alone(row).sized);
}

// Where the last headers were lost, they may have been those of batch sizes.
TEST(ReadTables, SizesRestOnAColumnOfBatchSizesThatMayBeLost) {
  for (const DiagnosticKind kind :
       {DiagnosticKind::cut_lines, DiagnosticKind::cut_headers, DiagnosticKind::header_without_dashes}) {
    PrintedPlan plan;
    plan.releases = {Release::v1_4_0};
    plan.tables.rows = {row_with("1", "", "1.0", "0.0")};
    EXPECT_TRUE(read_tables(plan, 2, 512).front().sized);
    plan.diagnostics.push_back({diagnostic_form(kind), {}});
    EXPECT_FALSE(read_tables(plan, 2, 512).front().sized) << diagnostic_form(kind).message;
    plan.releases = {Release::v0_4_0};  // that has no such column
    EXPECT_TRUE(read_tables(plan, 2, 512).front().sized);
  }
}

// Each feature is taken to be pooled once where no release prints how often.
TEST(ReadTables, SizesRestOnThePoolingsThatArePrinted) {
  PrintedPlan plan = with_batch_sizes();
  plan.releases = {Release::v0_3_0};
  plan.tables.printed = true;
  plan.tables.rows = {row_with("1", "512", "", "0.0")};
  EXPECT_TRUE(read_tables(plan, 2, 512).front().sized);
  plan.releases = {Release::v1_4_0};
  plan.tables.rows.front().num_indices = {};
  EXPECT_FALSE(read_tables(plan, 2, 512).front().sized) << "the column is lost";
  plan.tables.columns.push_back({ColumnId::unknown, {}});
  EXPECT_FALSE(read_tables(plan, 2, 512).front().sized) << "or has a new name";
  plan.tables.columns.push_back({ColumnId::num_poolings, {}});
  EXPECT_FALSE(read_tables(plan, 2, 512).front().sized) << "the cell is lost";
  plan.tables.rows.front().num_poolings.text = "2.5";
  EXPECT_TRUE(read_tables(plan, 2, 512).front().sized);
}

// Those of one feature follow from what else is printed of its lookups.
TEST(ReadTables, PoolingsOfOneFeatureFollowFromItsIndices) {
  PrintedPlan plan = with_batch_sizes();
  plan.releases = {Release::v1_4_0};
  plan.tables.columns.push_back({ColumnId::num_poolings, {}});
  plan.tables.rows = {row_with("1", "512", "", "0.0"), row_with("2", "512", "", "0.0")};
  const std::vector<TableInputs> tables = read_tables(plan, 2, 512);
  ASSERT_TRUE(tables.front().sized);
  EXPECT_TRUE(tables.front().poolings.contains(2)) << "41.0 of 20.5";
  EXPECT_LT(tables.front().poolings.width(), 0.001);
  EXPECT_FALSE(tables.back().sized);
}

// One that pools several features was taken for one of a single feature.
TEST(ReadTables, SizesRestOnTheNumberOfFeatures) {
  for (const char* const lost : {"", "x", "-1", "99999999999999999999"})
    EXPECT_FALSE(alone(row_with(lost, "512", "1.0", "0.0")).sized) << lost;
  EXPECT_TRUE(alone(row_with("3", "512", "1.0", "0.0")).sized);
}

}  // namespace
}  // namespace shardstats::infer_detail
