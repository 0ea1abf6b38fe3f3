#include "shardstats/report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/logs.h"

namespace shardstats {
namespace {

using testing::HasSubstr;

std::string findings_of(std::string_view path, std::string message, std::vector<Suspect> suspects = {}) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.where = {"1", {7, 3}};
  finding.message = std::move(message);
  finding.suspects = std::move(suspects);
  Report report;
  report.findings.push_back(finding);
  BlockView block;
  block.candidates = {Release::v1_4_0};
  MarkdownAnswers findings;
  findings.add(path, block, report, false);
  std::string out;
  findings.write("verify", Verdict::findings, {1, 1, count(report.findings), {}}, out);
  return out;
}

TEST(Markdown, NamesAreNoMarkup) {
  const struct {
    std::string_view path;
    const char* place;
  } cases[] = {
      {"a.log", "| `a.log:7:3` |"},       {"a|b.log", "| `a\\|b.log:7:3` |"}, {"a`b.log", "| ``a`b.log:7:3`` |"},
      {"`<b>@x", "| `` `<b>@x:7:3 `` |"}, {"a\nb", "| `a\uFFFDb:7:3` |"},
  };
  for (const auto& c : cases) EXPECT_THAT(findings_of(c.path, ""), HasSubstr(c.place));
  EXPECT_THAT(findings_of("a.log", "<b>|*x*|_[y](z)_ @me `c` \\ #1 & !"),
              HasSubstr("&lt;b&gt;\\|\\*x\\*\\|\\_\\[y\\](z)\\_ @&#8203;me \\`c\\` \\\\ #&#8203;1 &amp; \\!"));
}

TEST(Markdown, TheSuspectElsewhere) {
  EXPECT_THAT(findings_of("a.log", "m", {{{"2", {9, 4}}, "a|b"}}), HasSubstr("| m; suspect: 2 at 9:4 (a\\|b) |"));
}

TEST(Markdown, RowsThatDoNotFitAreCounted) {
  MarkdownRows rows(10);
  for (const char* row : {"1234\n", "12345\n", "1\n"}) rows.add(row);
  EXPECT_EQ(rows.text(), "1234\n");
  EXPECT_EQ(rows.left_out(), 2);
  MarkdownRows all(100);
  all.add("0\n");
  all.add(rows);
  all.add("9\n");
  EXPECT_EQ(all.text(), "0\n1234\n");
  EXPECT_EQ(all.count(), 5);
}

TEST(Markdown, LargestTablesFirst) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Reconstruction plan = reconstruct(checked.printed, checked.plan, Filter(), {});
  const BlockView block = view_block(checked.printed, checked.plan, 0, false);
  const auto first_is = [&](bool largest_first) {
    MarkdownParts parts;
    parts.add("a.log", block, plan, largest_first);
    std::string out;
    parts.write(out);
    const std::size_t start = out.find("| `model") + 3;
    return out.substr(start, out.find('`', start) - start);
  };
  EXPECT_EQ(first_is(true), "model.position_ebc.device_os_ad_id");
  EXPECT_EQ(first_is(false), checked.printed.tables.rows.front().fqn.text);
  EXPECT_NE(first_is(true), first_is(false));
}

TEST(Markdown, PageOfASummary) {
  Checked checked(log_bytes("v1.4.0.log"));
  const BlockView block = view_block(checked.printed, checked.plan, 0, false);
  const auto page = [&] {
    MarkdownParts parts;
    parts.add("a.log", block, summarize(checked.printed, checked.plan, {0}));
    std::string out;
    parts.write(out);
    return out;
  };
  for (const char* part :
       {"### `a.log block 1`\n", "#### Memory\n", "\n| largest tables on rank 0 | type | kernel | HBM | ",
        "#### Speed\n", "critical path 0.625 ms", "#### Plan\n", "\ntypes: "})
    EXPECT_THAT(page(), HasSubstr(part));
  const std::string name(100'000, '@');
  for (PrintedTable& row : checked.printed.tables.rows) row.fqn.text = name;
  EXPECT_LE(page().size(), kMarkdownBytes);
}

TEST(Markdown, HugeNamesStayWithinThePage) {
  Explained explained;
  explained.target = std::string(70'000, '`');
  explained.facts = std::vector<std::string>(100, std::string(5'000, '`'));
  MarkdownParts parts;
  for (int i = 0; i < 50; ++i) parts.add(explained.target, explained);
  std::string out;
  parts.write(out);
  EXPECT_LE(out.size(), kMarkdownBytes);
  EXPECT_THAT(out, HasSubstr("... and 49 more parts"));
}

}  // namespace
}  // namespace shardstats
