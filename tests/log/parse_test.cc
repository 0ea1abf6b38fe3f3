// The parts of a block as they are read: cells with their places, lists, damage.
#include <gtest/gtest.h>

#include "corpus.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

// Three ranks of the v1.8.0 sample without the parameter table, behind a prefix.
constexpr std::string_view kPrefix = "INFO:stats:";
std::string small_log() {
  const std::string_view lines[] = {
      "################################################################################################################"
      "########",
      "#                                              --- Planner Statistics ---                                       "
      "       #",
      "#                      --- Evaluated 16 proposal(s), found 10 possible plan(s), ran for 1.23s ---               "
      "       #",
      "# "
      "----------------------------------------------------------------------------------------------------------------"
      "---- #",
      "#      Rank     HBM (GB)     DDR (GB)                 Perf (ms)     Input (MB)     Output (MB)              "
      "Shards     #",
      "#    ------   ----------   ----------               -----------   ------------   -------------            "
      "--------     #",
      "#         0   3.75 (14%)     1.0 (1%)        6.46 (0.6,2,1,3,0)           0.19            1.12   CW: 0 RW: 1 "
      "TW: 1     #",
      "#         1   7.75 (28%)     1.0 (1%)     28.0 (1,0.7,0.8,25,0)           0.07            1.88   CW: 2 RW: 1 "
      "TW: 0     #",
      "#                                                                                                               "
      "       #",
      "# Batch Size: 512                                                                                               "
      "       #",
      "################################################################################################################"
      "########"};
  std::string log;
  for (const std::string_view line : lines) log.append(kPrefix).append(line).append("\n");
  return log;
}

PrintedPlan parsed(const std::string& log) {
  const auto blocks = find_blocks(log);
  EXPECT_EQ(blocks.size(), 1u);
  return blocks.empty() ? PrintedPlan{} : parse(blocks[0]);
}

TEST(Parse, CellsKnowTheirPlace) {
  const std::string log = small_log();
  const PrintedPlan plan = parsed(log);
  ASSERT_EQ(plan.ranks.rows.size(), 2u);
  const PrintedRank& row = plan.ranks.rows[1];
  const struct {
    const Cell& cell;
    std::string_view text;
  } cells[] = {{row.rank, "1"},     {row.hbm, "7.75"},        {row.hbm_percent, "28"},
               {row.ddr, "1.0"},    {row.perf.total, "28.0"}, {row.perf.components[3], "25"},
               {row.input, "0.07"}, {row.output, "1.88"}};
  const std::size_t line_start = log.find("INFO:stats:#         1");
  for (const auto& [cell, text] : cells) {
    EXPECT_EQ(cell.text, text);
    EXPECT_EQ(cell.place.line, 8u);
    EXPECT_EQ(log.substr(line_start + cell.place.column - 1, text.size()), text);
  }
  EXPECT_EQ(row.perf.count, 5);
  EXPECT_EQ(plan.width, 120u);
  EXPECT_EQ(plan.line, 1u);
  EXPECT_EQ(plan.slot(LineId::batch_size).text, "512");
  ASSERT_EQ(plan.diagnostics.size(), 1u);
  EXPECT_EQ(plan.diagnostics[0].rule, "log.prefix");
}

TEST(Parse, ShardCounts) {
  const auto counts = shard_counts({"CW: 2 RW: 1 TW: 0", {8, 100}});
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].type.text, "CW");
  EXPECT_EQ(counts[2].count.text, "0");
  EXPECT_EQ(counts[2].count.place, (Place{8, 116}));
  EXPECT_TRUE(shard_counts({"CW: x", {}}).empty());
  EXPECT_TRUE(shard_counts({"", {}}).empty());
}

TEST(Parse, RankLists) {
  const struct {
    std::string_view text;
    bool good;
    std::vector<int> ranks;
  } cases[] = {{"3", true, {3}},           {"0-3", true, {0, 1, 2, 3}},
               {"1,1,4", true, {1, 1, 4}}, {"[28, 43]", true, {28, 43}},
               {"[7]", true, {7}},         {"[1-3]", true, {1, 2, 3}},
               {" 1, 2", true, {1, 2}},    {"[]", true, {}},
               {"None", false, {}},        {"", false, {}},
               {"3-1", false, {}},         {"1,,2", false, {1}},
               {"1,", false, {}},          {"1 ,2", false, {}},
               {"1,2-3", false, {}},       {"-3", false, {}},
               {"1-", false, {}},          {"[[1]]", false, {}},
               {"[1", false, {}},          {"0-99999999999", false, {}}};
  for (const auto& c : cases) {
    std::vector<int> ranks;
    EXPECT_EQ(parse_ranks(c.text, ranks), c.good) << c.text;
    if (c.good) {
      EXPECT_EQ(ranks, c.ranks) << c.text;
    }
  }
}

TEST(Parse, BatchSizes) {
  const struct {
    std::string_view text;
    bool good;
    std::vector<std::int64_t> sizes;
  } cases[] = {{"2560", true, {2560}},
               {"512 * 2, 256*3", true, {512, 512, 256, 256, 256}},
               {"1, 2 * 2, 3", true, {1, 2, 2, 3}},
               {"n/a", true, {}},
               {" 8 , 9 ", true, {8, 9}},
               {"512 *", false, {}},
               {"512 2", false, {}},
               {"512,", false, {}},
               {"* 2", false, {}},
               {"", false, {}},
               {"7*9999999999", false, {}}};
  for (const auto& c : cases) {
    std::vector<std::int64_t> sizes;
    EXPECT_EQ(parse_batch_sizes(c.text, sizes), c.good) << c.text;
    if (c.good) {
      EXPECT_EQ(sizes, c.sizes) << c.text;
    }
  }
}

struct Damage {
  std::string_view from, to, rule;
  std::uint32_t line;
};

TEST(Parse, DamageIsReportedWithItsPlace) {
  const Damage cases[] = {{"7.75 (28%)", "7.75 [28%)", "log.malformed_cell", 8},
                          {"#         1   7.75", "#         2   7.75", "log.rank_rows", 8},
                          {"Batch Size: 512", "Batch Sizes 512", "log.unknown_line", 10}};
  for (const Damage& damage : cases) {
    std::string log = small_log();
    log.replace(log.find(damage.from), damage.from.size(), damage.to);
    const PrintedPlan plan = parsed(log);
    ASSERT_EQ(plan.diagnostics.size(), 2u) << damage.to;
    EXPECT_EQ(plan.diagnostics[0].rule, "log.prefix");
    EXPECT_EQ(plan.diagnostics[1].rule, damage.rule);
    EXPECT_EQ(plan.diagnostics[1].where.place.line, damage.line);
  }
}

TEST(Parse, CutOffBlockIsNeverComplete) {
  const std::string log = small_log();
  for (std::size_t lines = 2; lines <= 10; ++lines) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < lines; ++i) end = log.find('\n', end) + 1;
    const PrintedPlan plan = parsed(log.substr(0, end));
    ASSERT_FALSE(plan.diagnostics.empty()) << lines;
    EXPECT_EQ(plan.diagnostics.back().rule, "log.no_closing_border") << lines;
  }
}

TEST(Fingerprint, FindsTheReleaseOfEveryLog) {
  const auto plans = test::shared_folder() / "corpus" / "plans";
  if (!std::filesystem::exists(plans)) GTEST_SKIP() << test::kNoCorpus;
  for (const auto& log : test::logs_below(plans)) {
    const std::string text = test::file_text(log);
    const auto releases = parsed(text).releases;
    const std::string folder = log.parent_path().filename();
    EXPECT_TRUE(std::any_of(releases.begin(), releases.end(), [&](Release r) { return name(r) == folder; })) << log;
  }
}

TEST(Fingerprint, TestdataIsNarrow) {
  const struct {
    std::string_view file;
    std::vector<Release> releases;
  } cases[] = {{"v0.1.0.log", {Release::v0_1_0}},
               {"v0.3.0.log", {Release::v0_3_0}},
               {"v1.4.0.log", {Release::v1_4_0, Release::v1_5_0}},
               {"v1.8.0.log", {Release::v1_8_0, Release::main_branch}}};
  for (const auto& c : cases) {
    const std::string text = test::file_text(test::source_folder() / "testdata" / "logs" / c.file);
    EXPECT_EQ(parsed(text).releases, c.releases) << c.file;
  }
}

// Columns beyond the edge of a log that was cut off say nothing, nor do lines beside others that are lost.
TEST(Fingerprint, WhatIsLostTellsOfNoOlderRelease) {
  const auto text_of = [](const char* file) {
    return test::file_text(test::source_folder() / "testdata" / "logs" / file);
  };
  const auto has = [](const std::string& log, Release release) {
    const std::vector<Release> releases = parsed(log).releases;
    return std::ranges::find(releases, release) != releases.end();
  };
  const std::string newer = text_of("v1.8.0.log");
  const std::size_t start = newer.find('\n', newer.find("Compute Kernels Count")) + 1;
  const std::size_t end = newer.rfind('\n', newer.find("Total Perf Imbalance"));
  EXPECT_TRUE(has(newer.substr(0, start) + newer.substr(end), Release::v1_8_0));

  const std::string older = text_of("v0.3.0.log");
  const std::size_t header = older.rfind('\n', older.find("Sharding     Compute")) + 1;
  const std::size_t width = older.find("Pooling Factor") + 5 - header;
  EXPECT_TRUE(has(older.substr(0, header + width), Release::v0_3_0));
  std::string narrow;
  for (std::size_t at = 0; at < older.size(); at = older.find('\n', at) + 1)
    narrow += older.substr(at, std::min(width, older.find('\n', at) - at)) + "\n";
  EXPECT_TRUE(has(narrow, Release::v0_3_0));
}

}  // namespace
}  // namespace shardstats
