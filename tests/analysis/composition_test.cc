#include "shardstats/analysis/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "corpus.h"
#include "logs.h"

namespace shardstats {
namespace {

ByteInterval sum_on(const std::vector<RankCause>& causes, std::size_t rank) {
  ByteInterval sum{};
  for (const RankCause& cause : causes) sum = sum + cause.bytes.at(rank);
  return sum;
}

std::vector<std::string> names(const std::vector<RankCause>& causes) {
  std::vector<std::string> all;
  for (const RankCause& cause : causes) all.push_back(cause.name);
  return all;
}

// Some shards of this table have no rows, but any may be one of them.
TEST(Composition, NoPartOfATableIsMoreThanAllOfIt) {
  const Checked checked(read_file(std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/planner/v0.5.0-order_of_ranks.log"));
  const Composition composition = compose(checked.printed, checked.plan);
  for (std::size_t t = 0; t < checked.plan.tables.size(); ++t) {
    const PlanTable& table = checked.plan.tables[t];
    EXPECT_LE(composition.tables[t].buffers.high, checked.plan.total_of(table, &ShardSizes::hbm, table.hbm).high) << t;
  }
}

TEST(Composition, EveryGroupingAddsUpToTheRank) {
  for (const std::string& log : all_logs()) {
    SCOPED_TRACE(log);
    const Checked checked(log_bytes(log));
    const Composition composition = compose(checked.printed, checked.plan);
    for (const auto* causes : {&composition.by_part, &composition.by_kernel, &composition.by_table})
      for (std::size_t r = 0; r < checked.plan.ranks.size(); ++r) {
        const ByteInterval hbm = checked.plan.ranks[r].hbm, sum = sum_on(*causes, r);
        EXPECT_TRUE(sum.overlaps(hbm)) << causes->size() << " causes, rank " << r;
      }
  }
}

TEST(Composition, Names) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Composition composition = compose(checked.printed, checked.plan);
  EXPECT_THAT(names(composition.by_part),
              testing::ElementsAre("weights", "optimizer state", "cache", "input and output", "dense modules", "KJT"));
  EXPECT_THAT(names(composition.by_table), testing::IsSupersetOf({"largest table", "2nd largest", "KJT"}));
  EXPECT_EQ(names(composition.by_table).front(), "largest table");
}

TEST(Composition, LargestTablesAreNamedOnEachRank) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Composition composition = compose(checked.printed, checked.plan);
  const RankCause &first = composition.by_table.at(0), &second = composition.by_table.at(1);
  ASSERT_EQ(first.tables.size(), checked.plan.ranks.size());
  for (std::size_t r = 0; r < checked.plan.ranks.size(); ++r) {
    ASSERT_TRUE(first.tables[r]);
    EXPECT_GE(first.bytes[r].high, second.bytes[r].high);
    EXPECT_GT(checked.plan.shards_on(checked.plan.tables[*first.tables[r]], checked.plan.ranks[r].rank), 0);
  }
}

TEST(Composition, PartsOfTablesContainTheirHbm) {
  const Checked checked(log_bytes("v1.8.0.log"));
  const Composition composition = compose(checked.printed, checked.plan);
  ASSERT_EQ(composition.tables.size(), checked.plan.tables.size());
  for (std::size_t t = 0; t < composition.tables.size(); ++t) {
    const HbmParts& parts = composition.tables[t];
    const ByteInterval sum = parts.weights + parts.optimizer + parts.cache + parts.buffers;
    EXPECT_TRUE(sum.overlaps(checked.plan.tables[t].hbm.bytes)) << checked.printed.tables.rows[t].fqn.text;
  }
}

TEST(Composition, PartsAreNoLargerThanTheirShard) {
  const Checked checked(log_bytes("../planner/v1.8.0-output_type.log"));
  std::size_t hidden = 0;  // caches of which nothing but the storage tells the size
  for (const PlanTable& table : checked.plan.tables)
    for (const PlanShard& shard : checked.plan.shards_of(table)) {
      const HbmParts parts = hbm_parts(*shard.sizes);
      for (const ByteInterval& part : {parts.weights, parts.optimizer, parts.cache, parts.buffers})
        EXPECT_LE(part.high, shard.sizes->hbm.high) << checked.printed.tables.rows[table.row].fqn.text;
      hidden += shard.sizes->tensor.high > shard.sizes->hbm.high && shard.sizes->ddr.high == 0;
    }
  EXPECT_GT(hidden, 0u);
}

TEST(Composition, WithoutTablesRanksAreNotSplitUp) {
  const Checked checked(log_bytes("v1.8.0-nodebug.log"));
  const Composition composition = compose(checked.printed, checked.plan);
  EXPECT_THAT(names(composition.by_part), testing::ElementsAre("not rebuilt"));
  EXPECT_EQ(composition.by_part[0].bytes.at(3), checked.plan.ranks[3].hbm);
}

TEST(Composition, PlanningMemory) {
  const auto planning = [](const std::string& log) {
    const Checked checked(log_bytes(log));
    return compose(checked.printed, checked.plan).planning_hbm;
  };
  EXPECT_EQ(planning("v0.1.0.log"), std::nullopt);
  const auto bytes = planning("v1.4.0.log");
  ASSERT_TRUE(bytes);
  EXPECT_GT(bytes->high, 0);
}

TEST(Composition, PlanningMemoryOfOneDeviceIsNotThatOfAll) {
  const auto planning = [](const std::string& percent) {
    const Checked checked(changed(log_bytes("v1.4.0.log"), "#         1    1.65", "10%", percent));
    return compose(checked.printed, checked.plan).planning_hbm;
  };
  EXPECT_TRUE(planning("10%"));
  EXPECT_FALSE(planning("20%"));  // a share of a smaller device
}

TEST(Composition, ShardsOfATableOnOneRankAreAddedUp) {
  Plan plan;
  std::deque<ShardSizes> sizes;
  const auto add = [&](std::optional<int> rank, ByteInterval hbm) {
    sizes.emplace_back().hbm = hbm;
    plan.shards.push_back({0, rank, &sizes.back()});
  };
  add(3, {5, 6});
  add(1, {7, 7});
  add(3, {1, 2});
  add(std::nullopt, {9, 9});
  PlanTable table;
  table.shard_count = 4;
  const auto ranks = hbm_by_rank(plan, table);
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].rank, 1);
  EXPECT_EQ(ranks[0].bytes, (ByteInterval{7, 7}));
  EXPECT_EQ(ranks[1].rank, 3);
  EXPECT_EQ(ranks[1].bytes, (ByteInterval{6, 8}));
}

// What the planner itself counted for each rank.
TEST(Composition, CausesContainTheTruth) {
  constexpr std::size_t kEvery = 8;  // logs
  const auto plans = test::shared_folder() / "corpus" / "plans";
  if (!std::filesystem::exists(plans)) GTEST_SKIP() << test::kNoCorpus;
  std::size_t ranks = 0;
  const auto logs = test::logs_below(plans);
  for (std::size_t i = 0; i < logs.size(); i += kEvery) {
    SCOPED_TRACE(logs[i]);
    const Checked checked(test::file_text(logs[i]));
    const Composition composition = compose(checked.printed, checked.plan);
    const auto truth = nlohmann::json::parse(test::file_text(std::filesystem::path(logs[i]).replace_extension("json")));
    for (std::size_t r = 0; r < checked.plan.ranks.size(); ++r, ++ranks)
      for (const auto* causes : {&composition.by_part, &composition.by_kernel, &composition.by_table})
        EXPECT_TRUE(sum_on(*causes, r).contains(truth["ranks"][r]["hbm"].get<std::int64_t>())) << "rank " << r;
  }
  EXPECT_GT(ranks, 100U);
}

}  // namespace
}  // namespace shardstats
