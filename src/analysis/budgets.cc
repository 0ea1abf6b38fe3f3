#include "shardstats/analysis/budgets.h"

#include <re2/re2.h>

#include <algorithm>
#include <limits>

#include "analysis/measures.h"

namespace shardstats {
namespace analysis {
namespace {

using B = BudgetId;
using U = BudgetUnit;
constexpr BudgetForm kBudgets[] = {
    {B::max_hbm, "max-hbm", U::bytes, "HBM of any rank", "HBM", ""},
    {B::max_hbm_percent, "max-hbm-percent", U::percent, "HBM of any rank, of its planning memory", "HBM",
     "of planning memory"},
    {B::max_ddr, "max-ddr", U::bytes, "DDR of any rank", "DDR", ""},
    {B::max_table_hbm, "max-table-hbm", U::bytes, "HBM of any table, all its shards together", "HBM of all shards", ""},
    {B::max_imbalance, "max-imbalance", U::percent, "HBM of the largest rank above the mean", "HBM", "above the mean"},
    {B::max_perf_imbalance, "max-perf-imbalance", U::percent, "Perf of the slowest rank above the mean", "perf",
     "above the mean"},
    {B::max_perf_ms, "max-perf-ms", U::ms, "Perf of any rank", "perf", ""},
    {B::max_critical_path, "max-critical-path", U::ms, "Critical path, comms and compute", "critical path", ""},
    {B::min_headroom, "min-headroom", U::bytes, "What the largest rank leaves of planning memory", "headroom", "",
     true},
    {B::tables_max_hbm, "tables.max-hbm", U::bytes, "HBM of a table, all its shards together", "HBM of all shards", ""},
    {B::tables_max_hbm_per_rank, "tables.max-hbm-per-rank", U::bytes, "HBM of a table's shards on one rank", "HBM", ""},
    {B::tables_max_perf_ms, "tables.max-perf-ms", U::ms, "Perf of a table, all its shards together", "perf", ""},
    {B::tables_max_shards, "tables.max-shards", U::count, "Shards of a table", "number of shards", ""},
    {B::tables_sharding, "tables.sharding", U::word, "Sharding types that are allowed", "sharding", ""},
    {B::tables_kernel, "tables.kernel", U::word, "Kernels that are allowed", "kernel", ""},
};

BudgetStatus judge(const BudgetForm& form, const Budget& budget, const BudgetItem& item) {
  if (form.unit == BudgetUnit::word) {
    if (item.word.empty()) return BudgetStatus::undecided;
    return std::ranges::find(budget.allowed, item.word) != budget.allowed.end() ? BudgetStatus::passed
                                                                                : BudgetStatus::broken;
  }
  if (!item.value) return BudgetStatus::undecided;
  const double limit = budget.limit;
  if (form.at_least ? item.value->high < limit : item.value->low > limit) return BudgetStatus::broken;
  return (form.at_least ? item.value->low >= limit : item.value->high <= limit) ? BudgetStatus::passed
                                                                                : BudgetStatus::undecided;
}

// The larger, the farther beyond the limit or the nearer to it. What has no value comes last.
double badness(const BudgetForm& form, BudgetStatus status, const BudgetItem& item) {
  if (!item.value) return std::numeric_limits<double>::lowest();
  const bool certain = status == BudgetStatus::broken;  // the bound that the status rests on
  return form.at_least ? -(certain ? item.value->high : item.value->low)
                       : (certain ? item.value->low : item.value->high);
}

BudgetStatus worse(BudgetStatus a, BudgetStatus b) {
  if (a == BudgetStatus::passed) return b;
  return b == BudgetStatus::broken ? b : a;
}

BudgetResult decide(const Budget& budget, std::string_view pattern, const BudgetItems& items, Place block) {
  const BudgetForm& form = form_of(budget.id);
  BudgetResult result{&budget, pattern};
  for (const BudgetItem& item : items) result.status = worse(result.status, judge(form, budget, item));
  const BudgetItem* worst = nullptr;
  for (const BudgetItem& item : items) {
    if (judge(form, budget, item) != result.status) continue;
    if (worst != nullptr) ++result.others;
    if (worst == nullptr || badness(form, result.status, item) > badness(form, result.status, *worst)) worst = &item;
  }
  result.value = worst->value;
  result.word = worst->word;
  result.reason = worst->reason;
  result.rank = worst->rank;
  result.table = worst->table;
  result.where = worst->where.line > 0 ? worst->where : block;
  return result;
}

}  // namespace
}  // namespace analysis

std::span<const BudgetForm> budget_table() { return analysis::kBudgets; }
const BudgetForm& form_of(BudgetId id) { return analysis::kBudgets[static_cast<std::size_t>(id)]; }

std::optional<std::string> compile(TableBudgets& tables) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const re2::RE2>(tables.pattern, options);
  if (!expression->ok()) return expression->error();
  tables.expression = std::move(expression);
  return std::nullopt;
}

void BudgetCounts::add(const BudgetCounts& more) {
  passed += more.passed;
  broken += more.broken;
  undecided += more.undecided;
}

BudgetCounts BudgetReport::counts() const {
  BudgetCounts counts;
  for (const BudgetResult& result : results)
    ++(result.status == BudgetStatus::passed   ? counts.passed
       : result.status == BudgetStatus::broken ? counts.broken
                                               : counts.undecided);
  return counts;
}

std::optional<Severity> BudgetReport::severity_of(const BudgetResult& result) const {
  if (result.status == BudgetStatus::passed) return std::nullopt;
  return result.status == BudgetStatus::broken || strict ? Severity::error : Severity::warning;
}

FindingCounts BudgetReport::findings() const {
  FindingCounts counts;
  for (const BudgetResult& result : results)
    if (const auto severity = severity_of(result)) counts.add(*severity);
  return counts;
}

BudgetReport check_budgets(const PrintedPlan& printed, const Plan& plan, const Budgets& budgets) {
  const analysis::Measures measures(printed, plan);
  const Place block{printed.line, 1};
  BudgetReport report{{}, budgets.strict};
  const auto add = [&](const Budget& budget, std::string_view pattern, const analysis::BudgetItems& items) {
    report.results.push_back(analysis::decide(budget, pattern, items, block));
    report.results.back().relation = measures.relation_of(form_of(budget.id));
  };
  for (const Budget& budget : budgets.of_plan) add(budget, {}, measures.of(budget));
  for (const TableBudgets& tables : budgets.of_tables)
    for (const Budget& budget : tables.budgets)
      add(budget, tables.pattern, measures.tables(budget.id, tables.expression.get()));
  return report;
}

}  // namespace shardstats
