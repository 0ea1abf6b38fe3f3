#include "shardstats/report/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analysis/logs.h"

namespace shardstats {
namespace {

const TextStyle kPlain{80, false, false};

TEST(Wrapped, BreaksAtBlanks) {
  const struct {
    const char* text;
    int width, indent;
    const char* lines;
  } cases[] = {
      {"one two three", 40, 2, "one two three"},
      {"aaaaaaaaaa bbbbbbbbbb cccccccccc", 22, 2, "aaaaaaaaaa bbbbbbbbbb\n  cccccccccc"},
      {"  aaaaaaaaaa bbbbbbbbbb cccccccccc", 23, 4, "  aaaaaaaaaa bbbbbbbbbb\n    cccccccccc"},
      {"a.name.longer.than.the.whole.line is kept", 24, 4, "a.name.longer.than.the.whole.line\n    is kept"},
      {"aaaaaaaaaa bbbbbbbb   cccccccccc", 22, 2, "aaaaaaaaaa bbbbbbbb\n  cccccccccc"},
      {"\u2588\u2588\u2588\u2588 \x1b[1;31mbbbb\x1b[0m cccccccccccc d", 24, 2,
       "\u2588\u2588\u2588\u2588 \x1b[1;31mbbbb\x1b[0m cccccccccccc d"},
      {"takes between 0 B..1.024 MiB, of 5 Billion", 24, 2, "takes between\n  0 B..1.024 MiB, of 5\n  Billion"},
      {"needs 201.6 GB/s each way, a 1.5 ms a", 14, 0, "needs 201.6 GB/s\neach way, a 1.5 ms a"},
      {"rank 17 takes 9.161 GiB", 20, 2, "rank 17 takes\n  9.161 GiB"},
      {"", 80, 2, ""}};
  for (const auto& c : cases) EXPECT_EQ(wrapped(c.text, c.width, c.indent), c.lines);
}

std::string findings_text(const Report& report, bool hints, std::size_t top, TextStyle style = kPlain) {
  std::string out;
  write_findings("a.log", report, hints, top, style, out);
  return out;
}

Checked disputed() {
  std::string bytes = changed(log_bytes("v1.4.0.log"), "1.65 (10%)", "CW: 1", "CW: 2");
  return Checked(changed(bytes, "#    fused: 3", "3", "2"));
}

TEST(FindingsText, PlaceSeverityRuleMessage) {
  const Checked checked = disputed();
  EXPECT_EQ(findings_text(checked.report, false, 1),
            "a.log:8:" + std::to_string(checked.report.findings[0].where.place.column) +
                ": error rank.shards: CW shards of rank 1 are 2, the Ranks of all\n    tables give 1\n"
                "... and 3 more findings\n");
  EXPECT_EQ(findings_text(checked.report, false, 4), findings_text(checked.report, false, 0));
}

TEST(FindingsText, TheSuspectElsewhere) {
  const Suspect here{{"1", {7, 3}}, "the disputed number itself"};
  const struct {
    std::vector<Suspect> suspects;
    std::string_view text;
  } cases[] = {
      {{}, "m"},
      {{here}, "m"},
      {{{{"81.391", {9, 4}}, "without it the rest agrees"}, here},
       "m; suspect: 81.391 at 9:4 (without it the rest agrees)"},
      {{here, {{"81.391", {9, 4}}, "without it the rest agrees"}}, "m"},  // it leads itself
      {{here, {{"81.391", {9, 4}}, "without it the rest agrees", true}},
       "m; suspect: 1 at 7:3 (the disputed number itself) or 81.391 at 9:4 (without it the rest agrees)"},
      {{{{"", {9, 4}}, "rows are missing here"}}, "m; suspect: 9:4 (rows are missing here)"},
  };
  for (const auto& c : cases) {
    Report report;
    Finding& finding = report.findings.emplace_back();
    finding.rule = &rule_of(RuleId::rank_hbm);
    finding.where = here.cell;
    finding.message = "m";
    finding.suspects = c.suspects;
    EXPECT_EQ(findings_text(report, false, 0, {200}), "a.log:7:3: error rank.hbm: " + std::string(c.text) + "\n");
  }
}

TEST(FindingsText, HintsAndColours) {
  const Checked checked = disputed();
  EXPECT_NE(findings_text(checked.report, true, 0).find("\n    try: either this count"), std::string::npos);
  EXPECT_EQ(findings_text(checked.report, true, 0).find('\033'), std::string::npos);
  EXPECT_NE(findings_text(checked.report, true, 0, {80, true, false}).find("\033[1;31merror\033[0m"),
            std::string::npos);
}

TEST(BlockText, NothingIsWiderThanTheTerminal) {
  const Checked checked = disputed();
  for (const int width : {60, 80, 132}) {
    std::string out = findings_text(checked.report, true, 0, {width, false, false});
    write_block("a.log", view_block(checked.printed, checked.plan, 0, false), &checked.report, {width, false, false},
                out);
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
  }
}

TEST(VerdictText, SaysWhatAndWhere) {
  const auto verdict = [](Verdict word, FindingCounts counts, std::int64_t blocks, std::int64_t logs) {
    std::string out;
    write_verdict(word, {logs, blocks, counts}, kPlain, out);
    return out;
  };
  EXPECT_EQ(verdict(Verdict::clean, {}, 1, 1), "clean: no findings in 1 block\n");
  EXPECT_EQ(verdict(Verdict::clean, {0, 0, 2}, 3, 2), "clean: 2 notes in 3 blocks of 2 logs\n");
  EXPECT_EQ(verdict(Verdict::findings, {1, 2, 1}, 1, 1), "findings: 1 error, 2 warnings and 1 note in 1 block\n");
}

TEST(VerdictText, CountsBudgetsOfCheck) {
  const struct {
    BudgetCounts counts;
    const char* text;
  } cases[] = {{{1, 1, 2}, "findings: 1 broken, 2 undecided and 1 passed in 3 blocks of 2 logs\n"},
               {{0, 0, 2}, "findings: 2 undecided in 3 blocks of 2 logs\n"},
               {{0, 0, 0}, "findings: 0 passed in 3 blocks of 2 logs\n"}};
  for (const auto& c : cases) {
    Totals totals{2, 3, {}};
    totals.budgets = c.counts;
    std::string text;
    write_verdict(Verdict::findings, totals, kPlain, text);
    EXPECT_EQ(text, c.text);
  }
}

TEST(RulesText, ListAndDetails) {
  std::string list, details;
  write_rules(rules_matching("table.storage"), false, kPlain, list);
  EXPECT_EQ(list,
            "table.storage.hbm  error    HBM of a table\ntable.storage.ddr  error    DDR of a table\n"
            "table.storage.ssd  error    SSD of a table\n");
  TextStyle narrow{60};
  std::string grep, eyes;
  write_rules(rules_matching("log."), false, narrow, grep);
  narrow.terminal = true;
  write_rules(rules_matching("log."), false, narrow, eyes);
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
  };
  EXPECT_EQ(std::ranges::count(grep, '\n'), std::ssize(rules_matching("log.")));
  EXPECT_GT(widest(grep), 60U);
  EXPECT_LE(widest(eyes), 60U) << eyes;
  write_rules(rules_matching("table.storage.ssd"), true, kPlain, details);
  for (const char* part :
       {"table.storage.ssd (error): SSD of a table\n", "  releases  v1.6.0 to main\n", "  formula   sum of SSD_k"})
    EXPECT_NE(details.find(part), std::string::npos) << details;
}

TEST(ReconstructionText, TablesAndRanks) {
  const Checked checked(log_bytes("v1.4.0.log"));
  std::string out;
  write_reconstruction(reconstruct(checked.printed, checked.plan, Filter(), {SortKey::hbm, 1}), kPlain, out);
  for (const char* part : {"device_os_ad_id", "8.94", "... and 3 more tables\n", "... and 3 more ranks\n", "adam"})
    EXPECT_NE(out.find(part), std::string::npos) << out;
  EXPECT_EQ(out.find("SSD"), std::string::npos);
}

TEST(ValueText, EachKind) {
  EXPECT_EQ(value_text(std::string("none")), "none");
  EXPECT_EQ(value_text(true), "true");
  EXPECT_EQ(value_text(2.0), "2");
  EXPECT_EQ(value_text(0.25), "0.25");
  EXPECT_EQ(value_text(ByteInterval{1024, 1024}), "1.000 KiB");
}

}  // namespace
}  // namespace shardstats
