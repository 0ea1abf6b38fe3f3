#include <gtest/gtest.h>

#include "shardstats/report/budgets_json.h"
#include "shardstats/report/budgets_text.h"

namespace shardstats {
namespace {

constexpr double kGiBytes = 1024.0 * 1024.0 * 1024.0;

TEST(BudgetsText, Messages) {
  const struct {
    Budget budget;
    BudgetResult result;  // its budget is that one
    const char* text;
  } cases[] = {
      {{BudgetId::max_hbm, 8 * kGiBytes},
       {.status = BudgetStatus::broken, .value = exactly(9.5 * kGiBytes), .rank = 3, .others = 2},
       "HBM of rank 3 is 9.500 GiB, at most 8.000 GiB is allowed (and 2 more broken)"},
      {{BudgetId::max_hbm, 8 * kGiBytes},
       {.status = BudgetStatus::broken, .value = exactly(8 * kGiBytes + 1), .rank = 3},
       "HBM of rank 3 is 8,589,934,593 B, at most 8,589,934,592 B is allowed"},
      {{BudgetId::max_hbm_percent, 90},
       {.status = BudgetStatus::undecided, .value = RealInterval{89.5, 90.5}, .rank = 0},
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

TEST(BudgetsText, LinesAndVerdict) {
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
  const struct {
    BudgetCounts counts;
    const char* text;
  } verdicts[] = {{{1, 1, 2}, "findings: 1 broken, 2 undecided and 1 passed in 3 blocks of 2 logs\n"},
                  {{0, 0, 2}, "findings: 2 undecided in 3 blocks of 2 logs\n"},
                  {{0, 0, 0}, "findings: 0 passed in 3 blocks of 2 logs\n"}};
  for (const auto& v : verdicts) {
    std::string text;
    write_budget_verdict("findings", v.counts, 3, 2, style, text);
    EXPECT_EQ(text, v.text);
  }
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

}  // namespace
}  // namespace shardstats
