// What is beyond a bound of limits.h is reported where it stands, and left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus.h"
#include "log/lists.h"
#include "log/repeats.h"
#include "shardstats/limits.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

std::string changed(std::string old, const std::string& text) {
  std::string log = test::file_text(test::source_folder() / "testdata/logs/v1.8.0.log");
  const std::size_t at = log.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return log.replace(at, old.size(), text);
}

struct Case {
  std::string old, text, disputed;
};

TEST(Bounds, NumbersBeyondThemAreReportedAtTheirPlace) {
  const Case cases[] = {
      {"Batch Size: 1024   ", "Batch Size: 2000000000000", "2000000000000"},
      {"Batch Size: 1024                ", "Batch Size: 99999999999999999999", "99999999999999999999"},
      {"   fused: 5                   ", "   fused: 9223372036854775808", "9223372036854775808"},
      {"   20000000       0-1", "   9000000000000000       0-1", "9000000000000000"},
  };
  for (const Case& test : cases) {
    const std::string log = changed(test.old, test.text);
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1U);
    const PrintedPlan plan = parse(blocks.front());
    const auto found = std::ranges::find(plan.diagnostics, "log.bounds", &Diagnostic::rule);
    ASSERT_NE(found, plan.diagnostics.end()) << test.text;
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_EQ(found->where.text, test.disputed);
    EXPECT_GT(found->where.place.line, 1U);
    EXPECT_FALSE(found->message.empty());
  }
}

TEST(Bounds, ShardsOfAllTablesTogether) {
  const std::string row = "   0-131071   #\n";
  std::string log = test::file_text(test::source_folder() / "testdata/logs/v1.8.0.log");
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = log.find('\n', start);
    lines.push_back(log.substr(start, end - start));
    start = end + 1;
  }
  log.clear();
  for (const std::string& line : lines) {
    const bool is_table = line.find("like_creative_slot_emb") != std::string::npos;
    const std::string wide = line.substr(0, line.size() - 15) + row;
    for (std::int64_t i = 0; is_table && i <= kMostShards / kMostRanks; ++i) {
      const std::string number = std::to_string(1000 + i);
      std::string other = wide;  // of another table
      log += other.replace(other.find("_emb"), number.size(), number);
    }
    if (!is_table) log += line + "\n";
  }
  const PrintedPlan plan = parse(find_blocks(log).front());
  EXPECT_EQ(std::ranges::count(plan.diagnostics, "log.bounds", &Diagnostic::rule), 1);
  const auto read =
      std::ranges::count_if(plan.tables.rows, [](const PrintedTable& t) { return t.ranks.text == "0-131071"; });
  EXPECT_EQ(read, kMostShards / kMostRanks);
}

TEST(Bounds, ListsEndAtThem) {
  std::vector<int> ranks;
  EXPECT_TRUE(parse_ranks("0-" + std::to_string(kMostRanks - 1), ranks));
  EXPECT_FALSE(parse_ranks("0-" + std::to_string(kMostRanks), ranks));
  const std::string most = std::to_string(kMostFeatures), largest = std::to_string(kLargestBatch);
  const auto sizes = summarize_batch_sizes(largest + " * " + most, INT64_MAX);
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->first_total, kLargestBatch * kMostFeatures);
  EXPECT_FALSE(summarize_batch_sizes(largest + " * " + most + ", 1", INT64_MAX));
  EXPECT_FALSE(summarize_batch_sizes(std::to_string(kLargestBatch + 1), INT64_MAX));
}

TEST(Bounds, ListsBeyondThemAreNoMalformedOnes) {
  const struct {
    std::string_view text;
    bool ranks, batches;
  } cases[] = {{"1099511627777", true, true},
               {"99999999999999999999, 3", true, true},
               {"512, 1099511627777 * 2", false, true},
               {"2 * 1048577", false, true},
               {"2 * 524288, 3*524289", false, true},
               {"0-131072", true, false},
               {"[28, 131072]", true, false},
               {"0-131071", false, false},
               {"5-2", false, false},
               {"2 * 1048576", false, false},
               {"1099511627777x", false, false},
               {"", false, false}};
  for (const auto& c : cases) {
    EXPECT_EQ(log_detail::is_rank_list_beyond(c.text), c.ranks) << c.text;
    EXPECT_EQ(log_detail::is_batch_list_beyond(c.text), c.batches) << c.text;
  }
}

TEST(Bounds, ListsBeyondThemAreReportedAtTheirPlace) {
  const std::string whole = test::file_text(test::source_folder() / "testdata/planner/v1.1.0-multipliers.log");
  const struct {
    std::string old, disputed;
  } cases[] = {{"           1000*2   #", "1099511627777"}, {"           0-7 ", "0-131072"}};
  for (const auto& c : cases) {
    std::string log = whole;
    const std::size_t at = log.find(c.old), end = log.find_last_not_of(" #", at + c.old.size() - 1) + 1;
    ASSERT_NE(at, std::string::npos);
    log.replace(end - c.disputed.size(), c.disputed.size(), c.disputed);
    const PrintedPlan plan = parse(find_blocks(log).front());
    const auto found = std::ranges::find(plan.diagnostics, "log.bounds", &Diagnostic::rule);
    ASSERT_NE(found, plan.diagnostics.end()) << c.disputed;
    EXPECT_EQ(found->where.text, c.disputed);
    EXPECT_EQ(std::ranges::count(plan.diagnostics, "log.malformed_cell", &Diagnostic::rule), 0);
  }
}

TEST(Bounds, RowsThatShareAName) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back("table   " + std::to_string(i));
  texts.push_back("table   7");
  std::vector<Cell> rows;
  for (const std::string& text : texts) rows.push_back({text, {1, 1}});
  EXPECT_EQ(log_detail::repeated_rows(rows), std::vector<std::uint32_t>{20'000});
}

TEST(Bounds, AColumnThatStandsTwiceIsReadOnce) {
  const std::string log = changed("     Sharding     Compute Kernel  ", "          FQN     Compute Kernel  ");
  const PrintedPlan plan = parse(find_blocks(log).front());
  EXPECT_EQ(std::ranges::count(plan.diagnostics, "log.unknown_column", &Diagnostic::rule), 1);
  EXPECT_EQ(plan.tables.rows.front().fqn.text, "fused_ebc.like_creative_slot_emb");
}

}  // namespace
}  // namespace shardstats
