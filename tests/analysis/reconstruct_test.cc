#include "shardstats/analysis/reconstruct.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "logs.h"

namespace shardstats {
namespace {

std::string names(const Reconstruction& plan) {
  std::string text;
  for (const TableRow& row : plan.tables)
    text += std::string(row.printed->fqn.text.substr(row.printed->fqn.text.rfind('.') + 1)) + " ";
  return text;
}

TEST(Reconstruct, OrderAndTop) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Filter all = filter_of({});
  const auto plan = [&](SortKey key, std::size_t top) {
    return reconstruct(checked.printed, checked.plan, all, {key, top});
  };
  EXPECT_EQ(names(plan(SortKey::log, 0)), "ad_emb share_embed_emb pub_table device_os_ad_id ");
  EXPECT_EQ(names(plan(SortKey::hbm, 2)), "device_os_ad_id ad_emb ");
  EXPECT_EQ(names(plan(SortKey::name, 0)), "pub_table share_embed_emb device_os_ad_id ad_emb ");
  EXPECT_EQ(plan(SortKey::hbm, 2).tables_hidden, 2U);
  EXPECT_EQ(plan(SortKey::hbm, 2).ranks_hidden, 2U);
  EXPECT_EQ(plan(SortKey::hbm, 0).ranks.front()->rank, 0);
}

TEST(Reconstruct, FiltersRowsAndShards) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Reconstruction plan =
      reconstruct(checked.printed, checked.plan, filter_of({.ranks = {"1-2"}, .shardings = {"RW"}}), {});
  ASSERT_EQ(plan.tables.size(), 1U);
  EXPECT_EQ(plan.tables[0].shard_count, 4);
  ASSERT_EQ(plan.tables[0].shards.size(), 2U);
  EXPECT_EQ(plan.tables[0].shards[0]->rank, 1);
  EXPECT_EQ(plan.ranks.size(), 2U);
}

// What a log does not print of its ranks is not known to be none.
TEST(Reconstruct, ColumnsThatAreLost) {
  const auto known = [](const std::string& bytes) {
    const Checked checked(bytes);
    const Reconstruction plan = reconstruct(checked.printed, checked.plan, filter_of({}), {});
    return std::vector<bool>{plan.rank_hbm, plan.rank_ddr, plan.column_bytes, plan.rank_perf,
                             plan.ranks.front()->knows_perf(0)};
  };
  const auto cut = [](std::string bytes, std::size_t width) {
    for (std::size_t line = 0; line < bytes.size(); line = bytes.find('\n', line) + 1)
      if (const std::size_t end = bytes.find('\n', line); end - line > width)
        bytes.erase(line + width, end - line - width);
    return bytes;
  };
  const std::string log = log_bytes("v1.4.0.log");
  EXPECT_EQ(known(log), std::vector<bool>({true, true, true, true, true}));
  EXPECT_EQ(known(cut(log, 59)), std::vector<bool>({true, true, false, false, false}));
  EXPECT_EQ(known(cut(log, 31)), std::vector<bool>({true, false, false, false, false}));
  // Without a batch size nothing is rebuilt, and the rank table of that release prints totals of perf only.
  std::string totals = log_bytes("v0.3.0.log");
  totals.replace(totals.find("Batch Size:"), 11, "Batch Sice:");
  EXPECT_EQ(known(totals), std::vector<bool>({true, true, true, true, false}));
}

TEST(Reconstruct, PerfOfARankWithoutItsCell) {
  const std::string log = log_bytes("v1.8.0-nodebug.log");
  const std::string cell(Checked(log).printed.ranks.rows.front().perf.total.text);
  const Checked lost(changed(log, "#         0 ", cell, std::string(cell.size(), ' ')));
  const Reconstruction plan = reconstruct(lost.printed, lost.plan, filter_of({}), {});
  ASSERT_TRUE(plan.rank_perf);
  EXPECT_FALSE(plan.ranks.front()->knows_perf(kPerfParts));
  EXPECT_TRUE(plan.ranks.back()->knows_perf(kPerfParts));
}

// Nor is what a cut off row does not print, unless its shards tell.
TEST(Reconstruct, RankWhoseRowWasCutOff) {
  const auto ranks = [](std::string bytes, const std::string& row) {
    const std::size_t found = bytes.find(row);
    EXPECT_NE(found, std::string::npos) << row;
    const std::size_t start = found + row.size();
    const Checked checked(bytes.erase(start, bytes.find('\n', start) - start));
    return reconstruct(checked.printed, checked.plan, filter_of({}), {}).ranks.size();
  };
  EXPECT_EQ(ranks(log_bytes("v0.1.0.log"), "#         1 "), 1U);
  EXPECT_EQ(ranks(log_bytes("v1.8.0-nodebug.log"), "#         3   11.183 (14%)"), 7U);
  EXPECT_EQ(ranks(log_bytes("v1.8.0.log"), "#         1 "), 2U);
}

// What its shards take is known all the same.
TEST(Reconstruct, RankWhoseRowIsLost) {
  const auto without = [](std::string bytes, const std::string& row) {
    const std::size_t start = bytes.find(row);
    return bytes.erase(start, bytes.find('\n', start) + 1 - start);
  };
  const auto ranks = [](const std::string& bytes) {
    const Checked checked(bytes);
    std::vector<int> numbers;
    for (const PlanRank* rank : reconstruct(checked.printed, checked.plan, filter_of({}), {}).ranks)
      numbers.push_back(rank->rank);
    return numbers;
  };
  EXPECT_EQ(ranks(without(log_bytes("v1.8.0.log"), "#         0 ")), std::vector({0, 1}));
  EXPECT_EQ(ranks(without(log_bytes("v1.8.0-nodebug.log"), "#         3 ")), std::vector({0, 1, 2, 4, 5, 6, 7}));
}

TEST(Reconstruct, SumsMeetThePrintedCells) {
  const Checked checked(log_bytes("v1.4.0.log"));
  for (const TableRow& row : reconstruct(checked.printed, checked.plan, filter_of({}), {}).tables) {
    const auto printed = bytes_printed_as(row.printed->hbm.text, Format::r3, kGiB);
    ASSERT_TRUE(printed);
    EXPECT_TRUE(printed->overlaps(row.hbm)) << row.printed->fqn.text;
    EXPECT_LE(row.hbm.low, row.hbm.high);
  }
}

TEST(Reconstruct, WithoutTablesOnlyRanks) {
  const Checked checked(log_bytes("v1.8.0-nodebug.log"));
  const Reconstruction plan = reconstruct(checked.printed, checked.plan, filter_of({}), {});
  EXPECT_FALSE(plan.sized);
  EXPECT_TRUE(plan.tables.empty());
  EXPECT_EQ(plan.ranks.size(), 8U);
  const Checked unread(changed(log_bytes("v1.8.0-nodebug.log"), "#         0 ", "20.011 (26%)", "20.0x1 (26%)"));
  EXPECT_EQ(reconstruct(unread.printed, unread.plan, filter_of({}), {}).ranks.front()->rank, 1);
  EXPECT_FALSE(reconstruct(Checked(log_bytes("v0.1.0.log")).printed, checked.plan, filter_of({}), {}).column_bytes);
}

}  // namespace
}  // namespace shardstats
