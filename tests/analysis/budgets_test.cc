#include "shardstats/analysis/budgets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "corpus.h"
#include "logs.h"

namespace shardstats {
namespace {

using nlohmann::json;

constexpr double kGiBytes = 1024.0 * 1024.0 * 1024.0;

Budgets plan_budget(BudgetId id, double limit) { return {{{id, limit}}, {}, false}; }

Budgets table_budget(const std::string& pattern, Budget budget) {
  TableBudgets tables{pattern, nullptr, {std::move(budget)}};
  EXPECT_EQ(compile(tables), std::nullopt);
  return {{}, {tables}, false};
}

// The result of a single budget; `budgets` has to outlive it.
BudgetResult result_of(const Checked& checked, const Budgets& budgets) {
  const BudgetReport report = check_budgets(checked.printed, checked.plan, budgets);
  EXPECT_EQ(report.results.size(), 1U);
  return report.results.at(0);
}

TEST(Budgets, TableIsIndexedById) {
  std::set<std::string_view> names;
  for (const BudgetForm& form : budget_table()) {
    EXPECT_EQ(&form_of(form.id), &form);
    EXPECT_TRUE(names.insert(form.name).second) << form.name;
    EXPECT_EQ(form.of_tables(), form.name.starts_with("tables.")) << form.name;
    EXPECT_EQ(form.at_least, form.key().starts_with("min-")) << form.name;
  }
}

// Printed in v1.4.0.log: rank 0 has 9.161 GB of 16 (57%), rank 2 takes 0.537 ms, the critical path 0.625.
TEST(Budgets, LimitsOfThePlan) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const struct {
    BudgetId id;
    double kept, broken, unclear;  // unclear < 0: the value is exact enough to skip it
    std::uint32_t line;
    int rank;
  } cases[] = {{BudgetId::max_hbm, 9.162 * kGiBytes, 9.160 * kGiBytes, 9.1607 * kGiBytes, 7, 0},
               {BudgetId::max_hbm_percent, 57.3, 57.2, 57.256, 7, 0},
               {BudgetId::max_ddr, 94 * 1024, 31 * 1024, 60 * 1024, 9, 2},
               {BudgetId::max_imbalance, 226, 225, 225.7, 75, 0},
               {BudgetId::max_perf_imbalance, 183, 182, 182.2, 56, 2},
               {BudgetId::max_perf_ms, 0.5376, 0.5364, 0.537, 9, 2},
               {BudgetId::max_critical_path, 0.6256, 0.6244, 0.6246, 74, -1},
               {BudgetId::min_headroom, 6.837 * kGiBytes, 6.841 * kGiBytes, 6.839 * kGiBytes, 7, 0}};
  for (const auto& c : cases) {
    const std::pair<double, BudgetStatus> limits[] = {
        {c.kept, BudgetStatus::passed}, {c.broken, BudgetStatus::broken}, {c.unclear, BudgetStatus::undecided}};
    for (const auto& [limit, status] : limits) {
      const Budgets budgets = plan_budget(c.id, limit);
      const BudgetResult result = result_of(checked, budgets);
      EXPECT_EQ(result.status, status) << form_of(c.id).name << " " << limit;
      EXPECT_EQ(result.where.line, c.line) << form_of(c.id).name;
      EXPECT_EQ(result.rank.value_or(-1), c.rank) << form_of(c.id).name;
    }
  }
}

// The bounds themselves still keep a limit, one byte less or more does not.
TEST(Budgets, LimitsAreInclusive) {
  const Checked checked(log_bytes("v1.4.0.log"));
  for (const BudgetId id : {BudgetId::max_hbm, BudgetId::max_ddr, BudgetId::max_table_hbm, BudgetId::min_headroom}) {
    const bool least = form_of(id).at_least;
    const Budgets any = plan_budget(id, 0);
    const RealInterval value = *result_of(checked, any).value;
    const double good = least ? value.low : value.high, bad = least ? value.high : value.low, step = least ? 1 : -1;
    const auto status = [&](double limit) {
      const Budgets budgets = plan_budget(id, limit);
      return result_of(checked, budgets).status;
    };
    EXPECT_EQ(status(good), BudgetStatus::passed) << form_of(id).name;
    EXPECT_NE(status(good + step), BudgetStatus::passed) << form_of(id).name;
    EXPECT_NE(status(bad), BudgetStatus::broken) << form_of(id).name;
    EXPECT_EQ(status(bad + step), BudgetStatus::broken) << form_of(id).name;
  }
}

TEST(Budgets, LimitsOfTables) {
  const Checked checked(log_bytes("v1.8.0.log"));
  using B = BudgetId;
  using S = BudgetStatus;
  const struct {
    const char* pattern;
    Budget budget;
    S status;
    const char* table;
    std::int64_t others;
  } cases[] = {
      {"^fused_ebc", {B::tables_max_hbm, 8.5 * kGiBytes}, S::passed, "fused_ebc.like_creative_slot_emb", 2},
      {"^fused_ebc", {B::tables_max_hbm, 7 * kGiBytes}, S::broken, "fused_ebc.like_creative_slot_emb", 1},
      {"city", {B::tables_max_hbm, 7 * kGiBytes}, S::broken, "fused_ebc.city_table", 0},
      {"like_creative",
       {B::tables_max_hbm_per_rank, 4.22 * kGiBytes},
       S::passed,
       "fused_ebc.like_creative_slot_emb",
       0},
      {"like_creative",
       {B::tables_max_hbm_per_rank, 4.21 * kGiBytes},
       S::broken,
       "fused_ebc.like_creative_slot_emb",
       0},
      {"city", {B::tables_max_hbm_per_rank, 3.5 * kGiBytes}, S::broken, "fused_ebc.city_table", 0},
      {"city", {B::tables_max_hbm_per_rank, 4 * kGiBytes}, S::passed, "fused_ebc.city_table", 0},
      {"device", {B::tables_max_hbm_per_rank, 42.3 / 1024 * kGiBytes}, S::undecided, "position_ebc.device_70", 0},
      {"", {B::tables_max_perf_ms, 1.6}, S::broken, "fused_ebc.advertiser_lang_user_id", 0},
      {"", {B::tables_max_shards, 4}, S::passed, "position_ebc.like_doc_os_id", 5},
      {"", {B::tables_max_shards, 3}, S::broken, "position_ebc.like_doc_os_id", 0},
      {"", {B::tables_kernel, 0, {"fused", "fused_uvm"}}, S::passed, "fused_ebc.like_creative_slot_emb", 5},
      {"", {B::tables_kernel, 0, {"fused"}}, S::broken, "fused_ebc.advertiser_lang_user_id", 0},
      {"position", {B::tables_sharding, 0, {"TWCW", "CW"}}, S::broken, "position_ebc.device_70", 0},
      {"nothing", {B::tables_max_hbm, 1}, S::undecided, "", 0},
  };
  for (const auto& c : cases) {
    const Budgets budgets = table_budget(c.pattern, c.budget);
    const BudgetResult result = result_of(checked, budgets);
    const std::string what = std::string(c.pattern) + " " + std::string(form_of(c.budget.id).name);
    EXPECT_EQ(result.status, c.status) << what;
    EXPECT_EQ(result.table, c.table) << what;
    EXPECT_EQ(result.others, c.others) << what;
    EXPECT_EQ(result.pattern, c.pattern);
  }
}

TEST(Budgets, SharesBeforeV020AreOfAllMemory) {
  const Budgets half = plan_budget(BudgetId::max_hbm_percent, 50);
  const auto relation = [&](const char* log) {
    const Checked checked(log_bytes(log));
    return result_of(checked, half).relation;
  };
  EXPECT_EQ(relation("v0.1.0.log"), "of all memory");
  EXPECT_EQ(relation("v0.3.0.log"), "of planning memory");
}

TEST(Budgets, WhatIsNotPrintedIsUndecidedWithAReason) {
  const struct {
    const char* log;
    std::vector<BudgetId> unknown;
  } cases[] = {{"v1.8.0-nodebug.log", {BudgetId::max_table_hbm, BudgetId::max_critical_path, BudgetId::min_headroom}},
               {"v0.1.0.log",
                {BudgetId::max_table_hbm, BudgetId::max_perf_ms, BudgetId::max_perf_imbalance,
                 BudgetId::max_critical_path, BudgetId::min_headroom}},
               {"v0.8.0-empty.log",
                {BudgetId::max_hbm, BudgetId::max_hbm_percent, BudgetId::max_ddr, BudgetId::max_table_hbm,
                 BudgetId::max_imbalance, BudgetId::max_perf_imbalance, BudgetId::max_perf_ms,
                 BudgetId::max_critical_path, BudgetId::min_headroom}}};
  for (const auto& c : cases) {
    const Checked checked(log_bytes(c.log));
    for (const BudgetForm& form : budget_table()) {
      if (form.of_tables()) continue;
      const Budgets budgets = plan_budget(form.id, 1e15);
      const BudgetResult result = result_of(checked, budgets);
      const bool unknown = std::ranges::find(c.unknown, form.id) != c.unknown.end();
      EXPECT_EQ(result.value.has_value(), !unknown) << c.log << " " << form.name;
      EXPECT_EQ(result.status == BudgetStatus::undecided, unknown) << c.log << " " << form.name;
      EXPECT_EQ(result.reason.empty(), !unknown) << c.log << " " << form.name;
      EXPECT_GT(result.where.line, 0U);
    }
  }
}

// Of a lost row it is not known how large it was, but a rank that is too large stays so.
TEST(Budgets, LostRows) {
  std::string bytes = log_bytes("v1.4.0.log");
  const std::size_t row = bytes.find("9.161 (57%)"), start = bytes.rfind('\n', row) + 1;
  bytes.erase(start, bytes.find('\n', row) + 1 - start);
  const Checked checked(bytes);
  const std::pair<double, BudgetStatus> cases[] = {{9, BudgetStatus::undecided}, {1, BudgetStatus::broken}};
  for (const auto& [limit, status] : cases) {
    const Budgets budgets = plan_budget(BudgetId::max_hbm, limit * kGiBytes);
    EXPECT_EQ(result_of(checked, budgets).status, status) << limit;
  }
}

// Where no table is printed, kernels and sharding types tell that the last row is lost.
TEST(Budgets, LostLastRowOfALogWithoutTables) {
  for (const auto& [name, row] : {std::pair("v0.1.0.log", "#         1 "), {"v1.1.0-nodebug.log", "#         3 "}}) {
    std::string bytes = log_bytes(name);
    const Budgets budgets = plan_budget(BudgetId::max_hbm, 99 * kGiBytes);
    EXPECT_EQ(result_of(Checked(bytes), budgets).status, BudgetStatus::passed) << name;
    const std::size_t start = bytes.find(row);
    bytes.erase(start, bytes.find('\n', start) + 1 - start);
    EXPECT_EQ(result_of(Checked(bytes), budgets).status, BudgetStatus::undecided) << name;
  }
}

// Nor do the lines below them tell of lost rows where they are lost, too: the blank line, or all up to the kernels.
TEST(Budgets, LastRowsOfRanksThatWereLostWithTheLinesBelow) {
  const std::string bytes = log_bytes("v1.8.0-nodebug.log");
  const std::size_t row = bytes.find("#         7 ");
  for (const char* next : {"# Perf: ", "# Batch Size"}) {
    const Checked checked(bytes.substr(0, row) + bytes.substr(bytes.find(next)));
    const Budgets budgets = plan_budget(BudgetId::max_ddr, 99 * kGiBytes);
    EXPECT_EQ(result_of(checked, budgets).status, BudgetStatus::undecided) << next;
  }
}

// What is printed and what is rebuilt disagree: the value may be either.
TEST(Budgets, DisputedNumbers) {
  const Checked checked(changed(log_bytes("v1.4.0.log"), "position_ebc.device_os_ad_id", "8.941", "9.941"));
  const Budgets budgets = table_budget("device_os", {BudgetId::tables_max_hbm, 9.5 * kGiBytes});
  EXPECT_EQ(result_of(checked, budgets).status, BudgetStatus::undecided);
}

TEST(Budgets, StrictCountsUndecidedAsErrors) {
  const Checked checked(log_bytes("v1.8.0-nodebug.log"));
  Budgets budgets = plan_budget(BudgetId::min_headroom, 1);
  EXPECT_EQ(check_budgets(checked.printed, checked.plan, budgets).findings().warning, 1);
  budgets.strict = true;
  const FindingCounts strict = check_budgets(checked.printed, checked.plan, budgets).findings();
  EXPECT_EQ(strict.error, 1);
  EXPECT_EQ(strict.warning, 0);
}

TEST(Budgets, BadPattern) {
  TableBudgets tables{"(", nullptr, {}};
  EXPECT_TRUE(compile(tables));
}

// ---- against the planner's own numbers ----------------------------------------------------------------------------

double above_mean(const std::vector<double>& values) {
  double sum = 0, most = 0;
  for (const double x : values) {
    sum += x;
    most = std::max(most, x);
  }
  return sum > 0 ? (most * static_cast<double>(values.size()) / sum - 1) * 100 : 0;
}

std::vector<double> numbers(const json& rows, const char* key) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(row[key].get<double>());
  return values;
}

double largest_of(const std::vector<double>& values) { return *std::ranges::max_element(values); }

// What the budgets measure, by the unrounded numbers of the planner.
std::map<BudgetId, double> truth_of(const json& plan) {
  std::map<BudgetId, double> truth;
  const json& ranks = plan["ranks"];
  truth[BudgetId::max_hbm] = largest_of(numbers(ranks, "hbm"));
  truth[BudgetId::max_ddr] = largest_of(numbers(ranks, "ddr"));
  truth[BudgetId::max_imbalance] = above_mean(numbers(ranks, "hbm"));
  for (const json& table : plan["tables"]) {
    const std::vector<double> shards = numbers(table["shards"], "hbm");
    double& most = truth[BudgetId::max_table_hbm];
    most = std::max(most, std::accumulate(shards.begin(), shards.end(), 0.0));
  }
  if (ranks[0].contains("perf") && plan["release"] != "v0.1.0") {
    std::vector<double> perf;
    for (const json& rank : ranks) perf.push_back(rank["perf"]["total"].get<double>());
    truth[BudgetId::max_perf_ms] = largest_of(perf);
    truth[BudgetId::max_perf_imbalance] = above_mean(perf);
  }
  const json& reservation = plan["reservation"];
  if (!reservation.contains("percentage") || plan["compute_device"] != "cuda" || plan["release"] == "v0.1.0")
    return truth;
  // Before v0.2.0 shares are of the whole memory.
  const double left = plan["release"] == "v0.1.1" ? 1 : 1 - reservation["percentage"].get<double>();
  const json own = plan["topology"].value("hbm_bytes_per_rank", json::array());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const double planning = (own.empty() ? plan["topology"]["hbm_bytes"] : own[r]).get<double>() * left;
    const double used = ranks[r]["hbm"].get<double>();
    double& most = truth[BudgetId::max_hbm_percent];
    most = std::max(most, used / planning * 100);
    if (!own.empty()) continue;  // only the planning memory of rank 0 is printed
    double& least = truth.try_emplace(BudgetId::min_headroom, planning - used).first->second;
    least = std::min(least, planning - used);
  }
  return truth;
}

void compare(const std::filesystem::path& log, std::int64_t& compared) {
  const json truth = json::parse(test::file_text(std::filesystem::path(log).replace_extension(".json")));
  if (truth["empty_plan"].get<bool>()) return;
  const Checked checked(test::file_text(log));
  for (const auto& [id, value] : truth_of(truth)) {
    const double slack = std::max(1.0, value * 1e-9) * (form_of(id).unit == BudgetUnit::bytes ? 1 : 1e-6);
    const double sign = form_of(id).at_least ? -1 : 1;
    const auto status = [&, id = id](double limit) {
      const Budgets budgets = plan_budget(id, limit);
      return check_budgets(checked.printed, checked.plan, budgets).results.at(0).status;
    };
    const BudgetStatus kept = status(value + sign * slack), exceeded = status(value - sign * slack);
    EXPECT_NE(kept, BudgetStatus::broken) << log << " " << form_of(id).name << " " << value;
    EXPECT_NE(exceeded, BudgetStatus::passed) << log << " " << form_of(id).name << " " << value;
    // Far enough away most can be told.
    compared += status(value * 1.05 + sign) == BudgetStatus::passed;
    compared += status(value * 0.95 - sign) == BudgetStatus::broken;
  }
}

std::int64_t compare_all(const std::vector<std::filesystem::path>& logs) {
  std::int64_t compared = 0;
  for (const auto& log : logs)
    if (std::filesystem::exists(std::filesystem::path(log).replace_extension(".json"))) compare(log, compared);
  return compared;
}

TEST(BudgetsCorpus, BoundsHoldThePlannersNumbers) {
  EXPECT_GT(compare_all(test::logs_below(test::source_folder() / "testdata" / "logs")), 15);
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  EXPECT_GT(compare_all(logs), test::sampled(1000));
}

}  // namespace
}  // namespace shardstats
