// check: does the plan keep the limits that a user sets?
//
//   PrintedPlan + Plan + Budgets -> BudgetReport
//
// What is measured is known as bounds. A limit is inclusive: it is broken if the bounds lie beyond it, kept if they lie
// within, and else it cannot be known from the log. Every budget is a row of budget_table(), which options, the
// configuration file, the reports and the documentation read.
// Tested by tests/analysis/budgets_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/findings.h"
#include "shardstats/infer/plan.h"

namespace re2 {
class RE2;
}

namespace shardstats {

// In the order of the table. tables_*: limits of the tables that match a pattern.
enum class BudgetId : std::uint8_t {
  max_hbm,
  max_hbm_percent,
  max_ddr,
  max_table_hbm,
  max_imbalance,
  max_perf_imbalance,
  max_perf_ms,
  max_critical_path,
  min_headroom,
  tables_max_hbm,
  tables_max_hbm_per_rank,
  tables_max_perf_ms,
  tables_max_shards,
  tables_sharding,
  tables_kernel,
};

enum class BudgetUnit : std::uint8_t { bytes, percent, ms, count, word };
inline constexpr std::array<std::string_view, 5> kBudgetUnitNames = {"bytes", "percent", "ms", "count", "word"};
constexpr std::string_view name(BudgetUnit unit) { return name_of(unit, kBudgetUnitNames); }

struct BudgetForm {
  BudgetId id;
  std::string_view name;  // "max-hbm", "tables.max-hbm"
  BudgetUnit unit;
  std::string_view help;      // what it limits
  std::string_view subject;   // "HBM", of a rank or table
  std::string_view relation;  // what the value is relative to: "of planning memory"; may be empty
  bool at_least = false;      // the limit is a minimum

  bool of_tables() const { return id >= BudgetId::tables_max_hbm; }
  // As it is written in options and in the configuration file.
  std::string_view key() const { return name.substr(name.find('.') + 1); }
};
std::span<const BudgetForm> budget_table();
const BudgetForm& form_of(BudgetId id);

struct Budget {
  BudgetId id{};
  double limit = 0;                    // in the budget's unit
  std::vector<std::string> allowed{};  // unit word
};

// Limits of each table that a pattern is found in.
struct TableBudgets {
  std::string pattern;
  std::shared_ptr<const re2::RE2> expression;
  std::vector<Budget> budgets;
};
// The error of RE2, if `pattern` is no regular expression.
std::optional<std::string> compile(TableBudgets& tables);

struct Budgets {
  std::vector<Budget> of_plan;
  std::vector<TableBudgets> of_tables;
  bool strict = false;  // what cannot be known counts as broken
};

enum class BudgetStatus : std::uint8_t { passed, broken, undecided };
inline constexpr std::array<std::string_view, 3> kBudgetStatusNames = {"passed", "broken", "undecided"};
constexpr std::string_view name(BudgetStatus status) { return name_of(status, kBudgetStatusNames); }

// One budget, and the rank or table that decides on it: that which is farthest beyond or nearest to the limit.
struct BudgetResult {
  const Budget* budget = nullptr;
  std::string_view pattern{};  // of its TableBudgets
  BudgetStatus status{};
  std::optional<RealInterval> value{};  // in the budget's unit
  std::string_view relation{};          // what the value is relative to; may be empty
  std::string_view word{};              // unit word
  std::string reason{};                 // without a value or word: why
  std::optional<int> rank{};
  std::string_view table{};  // FQN
  Place where{};             // of the printed number that the value rests on, else of the block
  std::int64_t others = 0;   // more ranks or tables with this status
};

struct BudgetCounts {
  std::int64_t passed = 0, broken = 0, undecided = 0;
  void add(const BudgetCounts& more);
};

struct BudgetReport {
  std::vector<BudgetResult> results;  // in the order of `Budgets`
  bool strict = false;

  BudgetCounts counts() const;
  // Broken budgets are errors, undecided ones warnings (strict: errors); none for one that is kept.
  std::optional<Severity> severity_of(const BudgetResult& result) const;
  FindingCounts findings() const;
};

// Points into all three.
BudgetReport check_budgets(const PrintedPlan& printed, const Plan& plan, const Budgets& budgets);

}  // namespace shardstats
