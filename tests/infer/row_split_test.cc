// Row-wise tables on devices with capacities of their own: what the ranks hold shows how the rows are split.
#include <gtest/gtest.h>

#include <map>
#include <span>

#include "corpus.h"
#include "inferred_log.h"
#include "shardstats/infer/plan.h"
#include "shardstats/infer/precedent.h"
#include "shardstats/infer/what_if.h"
#include "shardstats/input/blocks.h"
#include "true_shapes.h"

namespace shardstats {
namespace {

const std::vector<std::int64_t> kCapacities = {37196064983, 46715279333, 36033152037, 52873715944};

struct OwnCapacities {
  std::string text = test::file_text(test::source_folder() / "testdata" / "rows" / "own_capacities.log");
  PrintedPlan printed = parse(find_blocks(text).front());
};

std::vector<const PlanTable*> row_wise(const Plan& plan) {
  std::vector<const PlanTable*> tables;
  for (const PlanTable& table : plan.tables)
    if (table.sharding == Sharding::rw) tables.push_back(&table);
  return tables;
}

TEST(RowSplit, FollowsWhatTheRanksHold) {
  const OwnCapacities log;
  const Plan plan = infer(log.printed);
  EXPECT_EQ(plan.contradictions, 0);
  const auto tables = row_wise(plan);
  ASSERT_EQ(tables.size(), 11u);
  for (const PlanTable* table : tables) {
    SCOPED_TRACE(log.printed.tables.rows[table->row].fqn.text);
    EXPECT_EQ(table->row_split, RowSplitKind::by_memory);
    const auto truth = test::proportional_rows(table->rows, kCapacities);
    const auto shards = plan.shards_of(*table);
    ASSERT_EQ(shards.size(), truth.size());
    for (std::size_t k = 0; k < truth.size(); ++k) {
      EXPECT_LE(shards[k].sizes->rows.low, truth[k]);
      EXPECT_GE(shards[k].sizes->rows.high, truth[k]);
      EXPECT_LE(static_cast<double>(shards[k].sizes->rows.high - shards[k].sizes->rows.low),
                3 + 0.005 * static_cast<double>(truth[k]));
    }
  }
}

// 41 rows on 24 devices that are said to have capacities of their own, and all have the same one.
TEST(RowSplit, OfEqualCapacities) {
  const test::InferredLog log("planner/v1.2.0-equal_capacities.log");
  EXPECT_EQ(log.plan.contradictions, 0);
  const auto tables = row_wise(log.plan);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0]->row_split, RowSplitKind::by_equal_memory);
  const auto shards = log.plan.shards_of(*tables[0]);
  const auto truth = test::proportional_rows(tables[0]->rows, std::vector<std::int64_t>(24, 16 * kGiB));
  ASSERT_EQ(shards.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k)
    EXPECT_EQ(shards[k].sizes->rows, (ByteInterval{truth[k], truth[k]})) << k;
}

void expect_rows(const test::InferredLog& log, std::string_view name, const std::vector<std::int64_t>& truth,
                 double width) {
  SCOPED_TRACE(name);
  const auto shards = log.plan.shards_of(log.table(name));
  ASSERT_EQ(shards.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const ByteInterval rows = shards[k].sizes->rows;
    EXPECT_LE(rows.low, truth[k]) << k;
    EXPECT_GE(rows.high, truth[k]) << k;
    EXPECT_LE(static_cast<double>(rows.high - rows.low), width * static_cast<double>(truth[k])) << k;
  }
}

TEST(RowSplit, OfBucketsFollowsWhatTheRanksHold) {
  const test::InferredLog log("rows/buckets.log");
  EXPECT_EQ(log.plan.contradictions, 0);
  expect_rows(log, "app_city_cart_emb", {7692304, 7692304, 5769228, 5769228, 5769228, 5769228, 5769228, 5769228},
              0.002);
  expect_rows(log, "view_page_brand_table", {120, 120, 90, 90, 90, 90, 90, 90}, 3);  // 0.001 GB more on the first two
}

// No buckets give the third rank most, so that only capacities are left.
TEST(RowSplit, IsOfCapacitiesWhereNoBucketsFit) {
  const test::InferredLog log("rows/capacities_or_buckets.log");
  EXPECT_EQ(log.plan.contradictions, 0);
  expect_rows(log, "os_session_campaign_13", {1313534, 1345208, 1389696, 951562}, 0.02);
  expect_rows(log, "country_28", {61204, 62679, 64752, 44340}, 0.02);
  expect_rows(log, "ebc.user", {1382346, 1415679, 1462498, 1001411}, 0.02);
}

// The only device has all rows, whatever its share of the memory says.
TEST(RowSplit, IsNoneOnOneRank) {
  const test::InferredLog log("planner/v1.4.0-many_dtypes.log");
  const auto tables = row_wise(log.plan);
  ASSERT_FALSE(tables.empty());
  for (const PlanTable* table : tables)
    EXPECT_EQ(log.plan.shards_of(*table)[0].sizes->rows, (ByteInterval{table->rows, table->rows}));
}

// Their shares say that the devices differ; the memory of the ranks is too coarse for a table of 301 rows.
TEST(RowSplit, IsLeftOpenWhereOnlyTheSharesSpeakOfIt) {
  const test::InferredLog log("planner/v1.0.0-unequal_devices.log");
  const auto tables = row_wise(log.plan);
  ASSERT_EQ(tables.size(), 1u);
  const auto shards = log.plan.shards_of(*tables[0]);
  const std::vector<std::int64_t> truth = {12, 12, 12, 12, 11, 12, 12, 12, 11, 12, 12, 11,
                                           12, 12, 12, 12, 12, 12, 12, 12, 10, 12, 12, 30};
  ASSERT_EQ(shards.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) {
    EXPECT_LE(shards[k].sizes->rows.low, truth[k]);
    EXPECT_GE(shards[k].sizes->rows.high, truth[k]);
  }
}

TEST(RowSplit, IsFoundAgainBehindTheSameTables) {
  const OwnCapacities log;
  InferOptions options;
  options.alternatives = false;
  options.keep_precedent = true;
  const Plan first = infer(log.printed, options);
  ASSERT_NE(first.precedent, nullptr);
  const auto again = infer_like(*first.precedent, log.printed, options);
  ASSERT_TRUE(again);
  const auto tables = row_wise(first), others = row_wise(*again);
  ASSERT_EQ(tables.size(), others.size());
  for (std::size_t t = 0; t < tables.size(); ++t)
    for (std::size_t k = 0; k < kCapacities.size(); ++k)
      EXPECT_EQ(first.shards_of(*tables[t])[k].sizes->rows, again->shards_of(*others[t])[k].sizes->rows);
}

// The parts of other tables say that no shard of these is empty, so that the columns of each rank are known.
TEST(RowSplit, LeavesNoRoomForAWrongCell) {
  const std::map<std::size_t, std::string> cells = {{0, "17.06"}, {1, "6.24"}, {2, "5.16"}, {3, "5.29"}};
  for (const auto& [rank, text] : cells) {
    OwnCapacities log;
    log.printed.ranks.rows[rank].output.text = text;
    const Plan plan = infer(log.printed);
    EXPECT_TRUE(plan.ranks[rank].expected_output.contradicted) << "rank " << rank;
  }
}

// Of other devices no capacities are known.
TEST(RowSplit, IsEvenForAnotherWorldSize) {
  const OwnCapacities log;
  Change change;
  change.attribute = Attribute::world_size;
  change.number = 8;
  change.text = "world_size";
  const auto outcome = WhatIf(log.printed).with(std::span(&change, 1));
  ASSERT_TRUE(std::holds_alternative<ChangedPlan>(outcome));
  const Plan& plan = std::get<ChangedPlan>(outcome).plan;
  for (const PlanTable* table : row_wise(plan)) {
    const ByteInterval first = plan.shards_of(*table).front().sizes->rows;
    EXPECT_EQ(first, (ByteInterval{(table->rows + 7) / 8, (table->rows + 7) / 8}));
  }
}

}  // namespace
}  // namespace shardstats
