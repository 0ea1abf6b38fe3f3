#include "shardstats/report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardstats {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report_of(Severity severity, std::string message) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.severity = severity;
  finding.message = std::move(message);
  Report report;
  report.findings = {finding, finding};
  report.checked = {&rule_of(RuleId::table_ranks), finding.rule};
  return report;
}

std::string suite(const Report& report, Severity fail_on) {
  BlockView block;
  block.candidates = {Release::v1_4_0};
  std::string out;
  write_junit_suite("a&b.log", block, report, fail_on, 3, out);
  return out;
}

TEST(Junit, TheSuspectElsewhere) {
  Report report = report_of(Severity::error, "m");
  report.findings.front().suspects = {{{"2", {9, 4}}, "why"}};
  EXPECT_THAT(suite(report, Severity::error), HasSubstr("error rank.hbm: m; suspect: 2 at 9:4 (why)\n"));
}

TEST(Junit, FailuresAndOthers) {
  const Report report = report_of(Severity::warning, "a < b & \"c\"\x01");
  const std::string failing = suite(report, Severity::warning);
  EXPECT_THAT(failing, HasSubstr("name=\"a&amp;b.log block 1\""));
  EXPECT_THAT(failing, HasSubstr("id=\"3\""));
  EXPECT_THAT(failing, HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(failing, HasSubstr("message=\"a &lt; b &amp; &quot;c&quot;\uFFFD (and 1 more)\""));
  EXPECT_THAT(failing, HasSubstr("<system-out></system-out>"));
  const std::string passing = suite(report, Severity::error);
  EXPECT_THAT(passing, HasSubstr("tests=\"2\" failures=\"0\""));
  EXPECT_THAT(passing, Not(HasSubstr("<failure")));
  EXPECT_THAT(passing, HasSubstr("<system-out>a&amp;b.log:0:0: warning rank.hbm: a &lt; b"));
}

}  // namespace
}  // namespace shardstats
