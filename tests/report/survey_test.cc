#include "shardstats/report/survey.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardstats {
namespace {

LogSurvey wrong_log(std::string path) {
  return {std::move(path),
          2,
          Span{12, 1935},
          Span{96, 96},
          {Release::v1_4_0},
          {2, 0, 1},
          FirstFinding{"table.storage.hbm", Severity::error, {1043, 412}},
          false};
}

LogSurvey clean_log(std::string path) {
  return {std::move(path),
          1,
          Span{1, 1},
          Span{8, 8},
          {Release::v1_2_0, Release::v1_3_0, Release::v1_4_0},
          {0, 0, 1},
          FirstFinding{"log.prefix", Severity::note, {3, 1}},
          true};
}

LogSurvey empty_log(std::string path) {
  LogSurvey log;
  log.path = std::move(path);
  return log;
}

std::string line(const LogSurvey& log, TextStyle style = {}) {
  std::string out;
  write_log_line(log, style, out);
  return out;
}

TEST(LogLine, SaysWhatMattersFirst) {
  EXPECT_EQ(line(wrong_log("runs/7/train.log")),
            "runs/7/train.log: 2 errors, 1 note, first table.storage.hbm at 1043:412, 2 blocks, 12..1,935 tables, "
            "96 ranks, v1.4.0\n");
  EXPECT_EQ(line(clean_log("a.log")),
            "a.log: clean, 1 note, 1 block, 1 table, 8 ranks, v1.2.0..v1.4.0, first log.prefix at 3:1\n");
  EXPECT_EQ(line(empty_log("noise.log")), "noise.log: no planner block\n");
  EXPECT_EQ(line(empty_log("no\nise\033.log")), "no?ise?.log: no planner block\n");
}

TEST(LogLine, IsCutOnATerminal) {
  const std::string path = "runs/2026-10-01/experiment-17/rank0/a-long-name/train.log";
  const struct {
    LogSurvey log;
    int width;
    const char* line;
  } cases[] = {
      {clean_log("a.log"), 80, "a.log: clean, 1 note, 1 block, 1 table, 8 ranks, v1.2.0..v1.4.0, ...\n"},
      {clean_log("runs/8/train.log"), 200,
       "runs/8/train.log: clean, 1 note, 1 block, 1 table, 8 ranks, v1.2.0..v1.4.0, first log.prefix at 3:1\n"},
      {clean_log(path), 80, "...periment-17/rank0/a-long-name/train.log: clean, 1 note, 1 block, 1 table, ...\n"},
      {wrong_log(path), 200,
       "runs/2026-10-01/experiment-17/rank0/a-long-name/train.log: 2 errors, 1 note, first table.storage.hbm at "
       "1043:412, 2 blocks, 12..1,935 tables, 96 ranks, v1.4.0\n"},
      {wrong_log(path), 80, "...ng-name/train.log: 2 errors, 1 note, first table.storage.hbm at 1043:412, ...\n"},
      {wrong_log(path), 60, "...ent-17/rank0/a-long-name/train.log: 2 errors, 1 note, ...\n"},
  };
  for (const auto& c : cases) {
    const std::string text = line(c.log, {c.width, false, true, true});
    EXPECT_EQ(text, c.line);
    EXPECT_LE(text.size(), static_cast<std::size_t>(c.width) + 1);
  }
}

TEST(LogLine, CutsBetweenCharacters) {
  std::string path, kept;
  for (int i = 0; i < 100; ++i) path += "\u00e4";
  for (int i = 0; i < 61; ++i) kept += "\u00e4";  // and the mark and ": no planner block" make 80
  EXPECT_EQ(line(empty_log(path), {80, false, false, true}), "\u2026" + kept + ": no planner block\n");
}

TEST(LogLine, Colours) {
  EXPECT_NE(line(clean_log("a.log"), {80, true, false}).find("\033[1;32mclean, 1 note\033[0m"), std::string::npos);
  EXPECT_NE(line(wrong_log("a.log"), {80, true, false}).find("\033[1;31m2 errors, 1 note\033[0m"), std::string::npos);
}

TEST(SurveyText, CountsFilesAndRules) {
  Totals totals{15, 27, {}, Survey{12, 2, 1, 1234, {}}};
  auto& rules = totals.survey->rules;
  rules = {{{Severity::note, "log.prefix"}, 900},
           {{Severity::error, "rank.hbm"}, 1},
           {{Severity::error, "table.storage.hbm"}, 14},
           {{Severity::warning, "tiers.ranks"}, 2}};
  const auto text = [&](std::size_t top) {
    std::string out;
    write_survey(totals, top, {200, false, false}, out);
    return out;
  };
  const std::string first =
      "15 logs with 27 blocks: 12 clean, 2 with findings, 1 failed; 1,234 files without a planner block\n";
  EXPECT_EQ(text(2), first + "most findings: table.storage.hbm 14 errors, rank.hbm 1 error, and 2 more rules\n");
  EXPECT_EQ(text(0), first +
                         "most findings: table.storage.hbm 14 errors, rank.hbm 1 error, tiers.ranks 2 warnings, "
                         "log.prefix 900 notes\n");
  rules.clear();
  totals.survey->without_block = 0;
  EXPECT_EQ(text(5), "15 logs with 27 blocks: 12 clean, 2 with findings, 1 failed\n");
}

TEST(SurveyJson, StandsInTheSummaryOfAScan) {
  Totals totals{3, 2, {1, 0, 0}, Survey{1, 1, 1, 4, {{{Severity::error, "rank.hbm"}, 1}}}};
  EXPECT_EQ(
      summary_json(totals).dump(),
      R"({"logs":3,"blocks":2,"findings":{"error":1,"warning":0,"note":0},"clean":1,"with_findings":1,"failed":1,)"
      R"("without_block":4,"rules":[{"rule":"rank.hbm","severity":"error","findings":1}]})");
  totals.survey.reset();
  EXPECT_FALSE(summary_json(totals).contains("rules"));
}

}  // namespace
}  // namespace shardstats
