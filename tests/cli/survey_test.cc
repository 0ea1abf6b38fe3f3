#include "cli/survey.h"

#include <gtest/gtest.h>

namespace shardstats::cli {
namespace {

BlockResult block(std::int64_t tables, std::optional<std::int64_t> ranks, std::vector<Release> candidates, int status,
                  std::vector<Finding> findings) {
  BlockResult result;
  result.view.tables = tables;
  result.view.world_size = ranks;
  result.view.candidates = std::move(candidates);
  result.status = status;
  result.report.emplace().findings = std::move(findings);
  return result;
}

Finding finding(std::string_view rule, std::uint32_t line) {
  Finding made;
  made.rule = rules_matching(rule).front();
  made.severity = made.rule->severity;
  made.where.place = {line, 1};
  return made;
}

TEST(Survey, BlocksOfALogAreTakenTogether) {
  LogSurvey log;
  Survey all;
  add_block(block(12, 8, {Release::v1_2_0, Release::v1_4_0}, kClean, {finding("log.prefix", 3)}), log, all);
  EXPECT_TRUE(log.clean);
  add_block(block(0, std::nullopt, {Release::v1_3_0}, kFindings, {finding("rank.hbm", 70), finding("rank.hbm", 71)}),
            log, all);
  add_block(block(1935, 8, {Release::v1_3_0}, kClean, {}), log, all);
  EXPECT_EQ(log.blocks, 3);
  EXPECT_EQ(std::pair(log.tables->least, log.tables->most), std::pair(12L, 1935L));
  EXPECT_EQ(std::pair(log.ranks->least, log.ranks->most), std::pair(8L, 8L));
  EXPECT_EQ(log.releases, (std::vector<Release>{Release::v1_2_0, Release::v1_3_0, Release::v1_4_0}));
  EXPECT_EQ(std::tuple(log.findings.error, log.findings.warning, log.findings.note), std::tuple(2, 0, 1));
  EXPECT_EQ(std::pair(log.first->rule, log.first->place.line), std::pair(std::string_view("rank.hbm"), 70U));
  EXPECT_FALSE(log.clean);
  EXPECT_EQ(all.rules.size(), 2U);
  EXPECT_EQ((all.rules.at({Severity::error, "rank.hbm"})), 2);
}

TEST(Survey, EveryLogIsCountedOnce) {
  LogSurvey clean, wrong, empty;
  clean.blocks = wrong.blocks = 1;
  wrong.clean = false;
  Survey all;
  for (int i = 0; i < 4; ++i) add_log(clean, false, all);
  for (int i = 0; i < 3; ++i) add_log(wrong, false, all);
  for (int i = 0; i < 2; ++i) add_log(empty, false, all);
  add_log(empty, true, all);
  EXPECT_EQ(std::tuple(all.clean, all.with_findings, all.without_block, all.failed), std::tuple(4, 3, 2, 1));
}

}  // namespace
}  // namespace shardstats::cli
