#include "shardstats/report/csv.h"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/logs.h"

namespace shardstats {
namespace {

TEST(Csv, QuotesWhereItMust) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.where = {"1,5", {7, 3}};
  finding.fqn = "a\"b,c";
  finding.rank = 4;
  finding.expected = Expected{RealInterval{0.1, 1e300}, "ms", "0.1"};
  finding.message = "two\nlines";
  Report report;
  report.findings.push_back(finding);
  BlockView block;
  block.index = 1;
  std::string out;
  write_findings_csv("x.log", block, report, out);
  EXPECT_EQ(out, "x.log,2,7,3,error,rank.hbm,\"a\"\"b,c\",4,\"1,5\",0.1,1e+300,ms,0.1,,two\uFFFDlines," +
                     std::string(finding.rule->hint) + ",\r\n");
}

TEST(Csv, QuotesWhatASpreadsheetMayRunAndKeepsIt) {
  for (const std::string name : {"=1+2", "+a", "-a", "@a"}) {
    Finding finding;
    finding.rule = &rule_of(RuleId::rank_hbm);
    finding.where = {"-1", {7, 3}};
    finding.fqn = name;
    finding.message = "a=1";
    Report report;
    report.findings.push_back(finding);
    std::string out;
    write_findings_csv("x.log", {}, report, out);
    EXPECT_TRUE(out.starts_with("x.log,1,7,3,error,rank.hbm,\"" + name + "\",,\"-1\",,,,,,a=1,")) << out;
  }
}

TEST(Csv, TheSuspectElsewhere) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.where = {"1.5", {7, 3}};
  finding.suspects = {{{"2.5", {9, 4}}, "without it the rest agrees"}, {finding.where, "the disputed number itself"}};
  Report report;
  report.findings.push_back(finding);
  std::string out;
  write_findings_csv("x.log", {}, report, out);
  EXPECT_TRUE(out.ends_with(",2.5 at 9:4 (without it the rest agrees)\r\n")) << out;
}

TEST(Csv, ChoicesOfATableThatTheLogLeavesOpenAreEmpty) {
  Checked checked(log_bytes("v1.4.0.log"));
  PlanTable& table = checked.plan.tables.front();
  table.choice.element_size = 4;
  table.alternatives = {table.choice};
  const auto element_size = [&] {
    std::string out;
    write_shards_csv("x", {}, reconstruct(checked.printed, checked.plan, Filter(), {}), out);
    for (int comma = 0; comma < 7; ++comma) out.erase(0, out.find(',') + 1);
    return out.substr(0, out.find(','));
  };
  EXPECT_EQ(element_size(), "4");
  table.alternatives.front().element_size = 2;
  EXPECT_EQ(element_size(), "");
}

TEST(Csv, WithoutBounds) {
  Checked checked(log_bytes("v1.4.0.log"));
  checked.plan.tables.front().shard_perf.total.high = std::numeric_limits<double>::infinity();
  std::string out;
  write_shards_csv("x", {}, reconstruct(checked.printed, checked.plan, Filter(), {}), out);
  EXPECT_EQ(out.substr(0, out.find("\r\n")).back(), ',') << "no bound is an empty field";
}

}  // namespace
}  // namespace shardstats
