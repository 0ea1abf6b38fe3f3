// How far `verify` looks, and which of the looks it reports.
#include "shardstats/analysis/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

std::string planner_log(const std::string& name) {
  return test::file_text(test::source_folder() / "testdata" / "planner" / name);
}

// Tables with dtypes of their own would make an error of a perf cell instead of the output, and as many.
TEST(Verification, KeepsTheFirstLookThatLeavesAsFewErrors) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "logs" / "v0.5.0.log");
  const std::size_t output = text.find(" 0.39 ");
  ASSERT_NE(output, std::string::npos);
  text.replace(output, 6, " 0.19 ");
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed);
  verification.finish();
  ASSERT_EQ(verification.report.findings.size(), 1u);
  EXPECT_EQ(verification.report.findings.front().rule->id, "rank.output");
  EXPECT_EQ(verification.effort(), Effort::uniform);
}

// One dtype for all and default bandwidths leave errors in a log of other ones.
TEST(Verification, LooksAtSingleTablesWhereThatLeavesFewerErrors) {
  const std::string text = planner_log("v0.5.0-own_bandwidths.log");
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed);
  EXPECT_GT(count(verification.report.findings).error, 0);
  verification.finish();
  EXPECT_EQ(count(verification.report.findings).error, 0);
  EXPECT_EQ(verification.effort(), Effort::exhaustive);
}

// How many ids or outputs some tables have is open there, but it is the same on all ranks.
TEST(Verification, ReportsTheOneCellThatOpenTablesDoNotExplain) {
  struct Case {
    const char *log, *cell, *wrong, *rule;
  };
  for (const Case& c : {Case{"v0.5.0-half_the_bandwidth.log", " 8.11 ", "18.65 ", "rank.output"},
                        Case{"v0.5.0-codecs_of_many_dtypes.log", " 14.23 ", "  5.69 ", "rank.input"}}) {
    SCOPED_TRACE(c.log);
    std::string text = planner_log(c.log);
    const std::size_t cell = text.find(c.cell);
    ASSERT_NE(cell, std::string::npos);
    text.replace(cell, std::string_view(c.cell).size(), c.wrong);
    const PrintedPlan printed = parse(find_blocks(text).front());
    Verification verification(printed);
    EXPECT_EQ(count(verification.report.findings).error, 0);
    verification.finish();
    ASSERT_EQ(count(verification.report.findings).error, 1);
    const Finding& found = verification.report.findings.front();
    EXPECT_EQ(found.rule->id, c.rule);
    EXPECT_NE(std::string_view(c.wrong).find(found.where.text), std::string_view::npos);
  }
}

// Bounds that deny one wrong number may deny many right ones, and no single one may explain them all.
TEST(Verification, ReportsOneOfTheCellsThatOpenTablesDoNotExplainTogether) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "edits" / "v0.3.2-hidden_poolings.log");
  const std::size_t cell = text.find(" 34.59 ");
  ASSERT_NE(cell, std::string::npos);
  text.replace(cell, 7, " 13.84 ");
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed);
  verification.finish();
  EXPECT_EQ(count(verification.report.findings).error, 1);
  ASSERT_FALSE(verification.report.remarks.empty());
  EXPECT_THAT(verification.report.remarks.back(), testing::HasSubstr("cannot all be right together"));
}

// The maximum of HBM may ask for a dtype that the ranks do not show, but not where a rank contradicts it.
TEST(Verification, TakesTheMaximumOfHbmOnlyAsTheRanksPrintIt) {
  const auto errors_of = [](std::string text, std::string_view old_cell, std::string_view new_cell) {
    text.replace(text.find(old_cell), old_cell.size(), new_cell);
    const PrintedPlan printed = parse(find_blocks(text).front());
    Verification verification(printed);
    verification.finish();
    return count(verification.report.findings).error;
  };
  const std::string log = planner_log("v0.5.0-dtype_in_the_maximum.log");
  EXPECT_EQ(errors_of(log, "0.1 (0%)", "0.1 (0%)"), 0);
  for (const std::string_view wrong : {"0.4 (0%)", "0.6 (0%)", "0.9 (0%)"})
    EXPECT_GT(errors_of(log, "0.1 (0%)", wrong), 0) << wrong;
}

// What is lost is said once, and leaves all explanations of the rest.
TEST(Verification, LooksForOtherExplanationsBesideLostCells) {
  const std::string_view sharder = "EmbeddingBagCollectionSharder";
  for (const char* const name : {"v0.5.0-dtype_in_the_maximum.log", "v1.4.0-link_of_the_critical_path.log",
                                 "v1.4.0-link_of_the_imbalance.log"}) {
    std::string text = planner_log(name);
    for (std::size_t at = 0; (at = text.find(sharder, at)) != std::string::npos;)
      text.replace(at, sharder.size(), sharder.size(), ' ');
    const PrintedPlan printed = parse(find_blocks(text).front());
    Verification verification(printed);
    verification.finish();
    EXPECT_GT(count(verification.report.findings).error, 0) << name;
    for (const Finding& finding : verification.report.findings)
      EXPECT_TRUE(finding.severity != Severity::error || finding.rule->id.starts_with("log.")) << finding.message;
  }
}

// How severe it is what verify says of shares; of other numbers it says nothing severe.
std::vector<std::pair<std::string_view, Severity>> shares_of(const std::string& text) {
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed);
  verification.finish();
  std::vector<std::pair<std::string_view, Severity>> shares;
  for (const Finding& finding : verification.report.findings) {
    const std::string_view rule = finding.rule->id;
    const bool is_share = rule.ends_with("_percent"), is_log = rule.starts_with("log.");
    if (is_share) shares.emplace_back(rule, finding.severity);
    EXPECT_TRUE(is_share || is_log || finding.severity != Severity::error) << finding.message;
  }
  return shares;
}

// A device of its own for one share is no simpler than a wrong share.
TEST(Verification, BelievesInNoDeviceThatOnlyItsShareSpeaksFor) {
  std::string text = planner_log("v1.6.0-release_of_four_tables.log");
  EXPECT_THAT(shares_of(text), testing::IsEmpty());
  const std::string_view share = "0.517 (1%)";
  const std::size_t at = text.find(share);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, share.size(), "0.517 (9%)");
  const auto is_wrong = testing::ElementsAre(std::pair("rank.hbm_percent", Severity::error));
  EXPECT_THAT(shares_of(text), is_wrong);
  const std::size_t last_line = text.rfind("\n#");
  EXPECT_THAT(shares_of(text.substr(0, last_line + 1)), is_wrong) << "without the closing border";
}

TEST(Verification, BelievesInADeviceThatOtherNumbersSpeakFor) {
  // Host memory of tables that are split by the capacities of two devices: an even split leaves its imbalance wrong.
  EXPECT_THAT(shares_of(planner_log("v0.8.0-hidden_ddr.log")),
              testing::ElementsAre(std::pair("rank.hbm_percent", Severity::note)));
  EXPECT_THAT(shares_of(planner_log("v1.4.0-two_devices.log")),
              testing::ElementsAre(std::pair("rank.hbm_percent", Severity::note),
                                   std::pair("rank.ddr_percent", Severity::note)));
}

}  // namespace
}  // namespace shardstats
