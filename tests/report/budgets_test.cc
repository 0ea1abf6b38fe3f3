#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardstats/report/budgets_json.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/csv.h"
#include "shardstats/report/github.h"
#include "shardstats/report/junit.h"
#include "shardstats/report/markdown.h"
#include "shardstats/report/sarif.h"

namespace shardstats {
namespace {

using testing::HasSubstr;

constexpr double kGiBytes = 1024.0 * 1024.0 * 1024.0;

TEST(BudgetsText, Messages) {
  const struct {
    Budget budget;
    BudgetResult result;  // its budget is that one
    const char* text;
  } cases[] = {
      {{BudgetId::max_hbm, 8 * kGiBytes},
       {.status = BudgetStatus::broken, .value = exactly(9.5 * kGiBytes), .rank = 3, .others = 2},
       "HBM of rank 3 is 9.500 GiB, at most 8.000 GiB is allowed (2 more ranks broken)"},
      {{BudgetId::max_hbm, 8 * kGiBytes},
       {.status = BudgetStatus::broken, .value = exactly(8 * kGiBytes + 1), .rank = 3},
       "HBM of rank 3 is 8,589,934,593 B, at most 8,589,934,592 B is allowed"},
      {{BudgetId::max_hbm_percent, 90},
       {.status = BudgetStatus::undecided,
        .value = RealInterval{89.5, 90.5},
        .relation = "of planning memory",
        .rank = 0},
       "HBM of rank 0 is 89.500..90.500% of planning memory, at most 90% is allowed: it cannot be known from this log"},
      {{BudgetId::max_critical_path, 0.625},
       {.status = BudgetStatus::passed, .value = RealInterval{0.6245, 0.62478}, .others = 4},
       "critical path is 0.624500..0.624780 ms, at most 0.625 ms is allowed"},
      {{BudgetId::min_headroom, 2 * kGiBytes},
       {.status = BudgetStatus::broken, .value = exactly(-1.5 * kGiBytes), .rank = 1},
       "headroom of rank 1 is -1.500 GiB, at least 2.000 GiB is asked for"},
      {{BudgetId::tables_sharding, 0, {"RW", "CW"}},
       {.pattern = "user", .status = BudgetStatus::broken, .word = "TW", .table = "ebc.user"},
       "sharding of ebc.user is TW, allowed is RW or CW"},
      {{BudgetId::max_table_hbm, 1},
       {.status = BudgetStatus::broken, .value = exactly(2.0), .table = "ebc.user", .others = 1},
       "HBM of all shards of ebc.user is 2 B, at most 1 B is allowed (1 more table broken)"},
      {{BudgetId::tables_max_hbm_per_rank, 1},
       {.pattern = "user",
        .status = BudgetStatus::broken,
        .value = exactly(2.0),
        .rank = 2,
        .table = "ebc.user",
        .others = 3},
       "HBM of ebc.user on rank 2 is 2 B, at most 1 B is allowed (3 more shards broken)"},
      {{BudgetId::tables_max_hbm_per_rank, 1},
       {.pattern = "user", .status = BudgetStatus::passed, .value = exactly(1.0), .rank = 2, .table = "ebc.user"},
       "HBM of ebc.user on rank 2 is 1 B, at most 1 B is allowed"},
      {{BudgetId::min_headroom, 1},
       {.status = BudgetStatus::undecided, .reason = "planning memory is not printed"},
       "headroom cannot be known from this log: planning memory is not printed"},
  };
  for (const auto& c : cases) {
    BudgetResult result = c.result;
    result.budget = &c.budget;
    EXPECT_EQ(message_of(result), c.text);
  }
}

TEST(BudgetsText, Lines) {
  const Budget hbm{BudgetId::max_hbm, 8 * kGiBytes}, shards{BudgetId::tables_max_shards, 2};
  const BudgetReport report{
      {{.budget = &hbm, .status = BudgetStatus::broken, .value = exactly(9 * kGiBytes), .rank = 0, .where = {7, 3}},
       {.budget = &shards,
        .pattern = "a.*",
        .status = BudgetStatus::passed,
        .value = exactly(2.0),
        .table = "ebc.a",
        .where = {20, 5}}},
      false};
  const TextStyle style{200, false, true, false};
  std::string all, quiet;
  write_budgets("x.log", report, true, style, all);
  write_budgets("x.log", report, false, style, quiet);
  const std::string broken = "x.log:7: broken max-hbm: HBM of rank 0 is 9.000 GiB, at most 8.000 GiB is allowed\n";
  EXPECT_EQ(quiet, broken);
  EXPECT_EQ(all, broken +
                     "x.log:20: passed tables.max-shards of 'a.*': number of shards of ebc.a is 2, at most 2 is "
                     "allowed\n");
}

TEST(BudgetsJson, ValuesAndLimits) {
  const Budget hbm{BudgetId::max_hbm, 8 * kGiBytes}, kernel{BudgetId::tables_kernel, 0, {"fused"}};
  const BudgetReport report{
      {{.budget = &hbm,
        .status = BudgetStatus::broken,
        .value = RealInterval{9e9, 9e9 + 5},
        .rank = 0,
        .where = {7, 3}},
       {.budget = &kernel, .pattern = "a", .status = BudgetStatus::passed, .word = "fused", .table = "ebc.a"}},
      false};
  const nlohmann::ordered_json json = budgets_json(report);
  EXPECT_EQ(json[0]["value"].dump(), R"({"low":9000000000,"high":9000000005,"unit":"bytes"})");
  EXPECT_EQ(json[0]["limit"].dump(), "8589934592");
  EXPECT_EQ(json[0]["line"], 7);
  EXPECT_TRUE(json[0]["table"].is_null());
  EXPECT_EQ(json[1]["value"], "fused");
  EXPECT_EQ(json[1]["limit"].dump(), R"(["fused"])");
  EXPECT_EQ(json[1]["pattern"], "a");
}

// A budget of each status in every format.
class BudgetFormats : public testing::Test {
 protected:
  const Budget hbm_{BudgetId::max_hbm, 8 * kGiBytes}, shards_{BudgetId::tables_max_shards, 2},
      kernel_{BudgetId::tables_kernel, 0, {"fused", "dense"}};
  BudgetReport report_{
      {{.budget = &shards_, .pattern = "a|,b", .status = BudgetStatus::passed, .value = exactly(2.0), .table = "a|,b"},
       {.budget = &kernel_, .pattern = "x", .status = BudgetStatus::undecided, .reason = "why", .where = {5, 1}},
       {.budget = &hbm_, .status = BudgetStatus::broken, .value = exactly(9 * kGiBytes), .rank = 0, .where = {7, 3}}},
      false};
};

TEST_F(BudgetFormats, Csv) {
  std::string out;
  write_budgets_csv("x.log", {}, report_, out);
  write_failed_budgets_csv({"y.log", {4, 1}, "no", "try"}, out);
  EXPECT_EQ(
      out,
      "x.log,1,,passed,tables.max-shards,\"a|,b\",\"a|,b\",,2,2,count,2,0,\"number of shards of a|,b is 2, at most 2 "
      "is allowed\"\r\n"
      "x.log,1,5,undecided,tables.kernel,x,,,,,word,fused or dense,0,kernel cannot be known from this log: why\r\n"
      "x.log,1,7,broken,max-hbm,,,0,9663676416,9663676416,bytes,8589934592,0,\"HBM of rank 0 is 9.000 GiB, at most "
      "8.000 GiB is allowed\"\r\n"
      "y.log,,4,failed,,,,,,,,,,no; try\r\n");
}

TEST_F(BudgetFormats, Junit) {
  const auto suite = [&] {
    std::string out;
    write_junit_suite("x.log", {}, report_, 0, out);
    return out;
  };
  EXPECT_THAT(suite(), HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(suite(), HasSubstr("<skipped message=\"kernel cannot be known from this log: why\"/>"));
  EXPECT_THAT(suite(), HasSubstr("<system-out>x.log:0: passed tables.max-shards"));
  report_.strict = true;
  EXPECT_THAT(suite(), HasSubstr("failures=\"2\" errors=\"0\" skipped=\"0\""));
}

TEST_F(BudgetFormats, Sarif) {
  SarifRun run;
  std::string out;
  run.begin(SarifRun::Rules::budgets, out);
  run.add("x.log", {}, {}, report_, out);
  run.end(1, out);
  const auto document = nlohmann::json::parse(out)["runs"][0];
  EXPECT_EQ(document["tool"]["driver"]["rules"].size(), budget_table().size());
  ASSERT_EQ(document["results"].size(), 2U);
  EXPECT_EQ(document["results"][0]["level"], "warning");
  const auto& broken = document["results"][1];
  EXPECT_EQ(broken["level"], "error");
  EXPECT_EQ(broken["ruleId"], "budget.max-hbm");
  EXPECT_EQ(document["tool"]["driver"]["rules"][broken["ruleIndex"].get<std::size_t>()]["id"], broken["ruleId"]);
  EXPECT_EQ(broken["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
}

TEST_F(BudgetFormats, GithubAndMarkdown) {
  GithubAnnotations annotations;
  annotations.add("x.log", report_);
  std::string out;
  annotations.write(out);
  EXPECT_EQ(
      out,
      "::error file=x.log,line=7,title=budget max-hbm::HBM of rank 0 is 9.000 GiB, at most 8.000 GiB is allowed\n"
      "::warning file=x.log,line=5,title=budget tables.kernel of 'x'::kernel cannot be known from this log: why\n");
  MarkdownAnswers answers;
  answers.add("x.log", report_);
  std::string page;
  Totals totals{1, 1, {}};
  totals.budgets = report_.counts();
  answers.write("check", Verdict::findings, totals, page);
  EXPECT_THAT(page, HasSubstr("findings: 1 broken, 1 undecided and 1 passed in 1 block\n"));
  EXPECT_THAT(page, HasSubstr("| broken | `x.log:7` | `max-hbm` |"));
  EXPECT_THAT(page, HasSubstr("| `tables.max-shards of 'a\\|,b'` | number of shards of a\\|,b is 2,"));
  EXPECT_LT(page.find("| broken"), page.find("| undecided"));
  EXPECT_LT(page.find("| undecided"), page.find("| passed"));
}

}  // namespace
}  // namespace shardstats
