#include "shardstats/report/github.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

Finding finding_of(Severity severity, std::string message) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.severity = severity;
  finding.where = {"1", {7, 3}};
  finding.message = std::move(message);
  return finding;
}

std::string written(std::string_view path, std::vector<Finding> findings) {
  Report report;
  report.findings = std::move(findings);
  GithubAnnotations annotations;
  annotations.add(path, report);
  std::string out;
  annotations.write(out);
  return out;
}

TEST(Github, Escapes) {
  EXPECT_EQ(written("a,b:c%.log", {finding_of(Severity::warning, "100%: a,b\r\n::error::x")}),
            "::warning file=a%2Cb%3Ac%25.log,line=7,col=3,title=rank.hbm::100%25: a,b\uFFFD\uFFFD::error::x\n");
  EXPECT_EQ(written("<stdin>", {finding_of(Severity::note, "m")}), "::notice line=7,col=3,title=rank.hbm::m\n");
  EXPECT_EQ(written("x", {}), "");
  Finding suspected = finding_of(Severity::error, "m");
  suspected.suspects = {{{"2", {9, 4}}, "why"}};
  EXPECT_EQ(written("x", {suspected}), "::error file=x,line=7,col=3,title=rank.hbm::m; suspect: 2 at 9:4 (why)\n");
}

TEST(Github, WorstFirst) {
  std::vector<Finding> findings;
  for (int i = 0; i < 12; ++i) findings.push_back(finding_of(Severity::note, "note " + std::to_string(i)));
  findings.push_back(finding_of(Severity::error, "late"));
  findings.push_back(finding_of(Severity::warning, "later"));
  const std::string out = written("x", findings);
  EXPECT_EQ(out.find("::error "), 0U);
  EXPECT_LT(out.find("late\n"), out.find("later\n"));
  EXPECT_LT(out.find("later\n"), out.find("note 0\n"));
  EXPECT_NE(out.find("note 7\n"), std::string::npos);
  EXPECT_EQ(out.find("note 8\n"), std::string::npos);
  EXPECT_TRUE(out.ends_with("::notice title=shardstats::and 4 notes more\n"));
}

}  // namespace
}  // namespace shardstats
