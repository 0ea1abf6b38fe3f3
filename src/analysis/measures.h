// What budgets limit, measured: bounds of a rank, of a table or of the plan, by what is printed and by what was
// rebuilt. Private to src/analysis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/reconstruct.h"

namespace shardstats::analysis {

// Something that a budget limits: a rank, a table, the plan.
struct BudgetItem {
  std::optional<RealInterval> value{};  // in the budget's unit
  std::string_view word{};              // of unit word
  std::string reason{};                 // without a value or word: why
  std::optional<int> rank{};
  std::string_view table{};  // FQN
  Place where{};             // of the printed number that the value rests on; line 0: there is none
};
using BudgetItems = std::vector<BudgetItem>;

class Measures {
 public:
  // Both outlive it.
  Measures(const PrintedPlan& printed, const Plan& plan);

  // All that the budget limits; at least one. A last one without a value stands for rows that the log lost.
  BudgetItems of(const Budget& budget) const;
  // Of the tables that match; nullptr: of all.
  BudgetItems tables(BudgetId id, const re2::RE2* expression) const;
  // What the values of a budget are relative to; may be empty.
  std::string_view relation_of(const BudgetForm& form) const;

 private:
  // A column of the rank table that budgets are about.
  struct RankColumn {
    Quantity quantity;
    LineId above_mean;  // the printed line of how much the largest is above the mean
  };
  static constexpr RankColumn kHbmColumn{Quantity::hbm, LineId::max_hbm_percent};
  static constexpr RankColumn kDdrColumn{Quantity::ddr, LineId::blank};
  static constexpr RankColumn kPerfColumn{Quantity::perf, LineId::max_total_perf_percent};

  BudgetItem rank(std::size_t r, RankColumn column) const;
  BudgetItems ranks(RankColumn column) const;
  BudgetItem above_mean(RankColumn column) const;
  BudgetItems shares() const;
  BudgetItems headroom() const;
  BudgetItem critical_path() const;

  // Of a row of the parameter table.
  BudgetItem table(BudgetId id, std::size_t row) const;
  BudgetItem table_hbm(std::size_t row) const;
  BudgetItem on_one_rank(std::size_t row) const;
  BudgetItem table_perf(std::size_t row) const;
  BudgetItem shard_count(std::size_t row) const;
  const TableRow* table_row(std::size_t row) const { return row < tables_.size() ? &tables_[row] : nullptr; }

  const PrintedPlan& printed_;
  const Plan& plan_;
  const RankValues values_;
  const bool whole_, all_ranks_;  // no rows of the tables are lost
  const std::vector<TableRow> tables_;
};

}  // namespace shardstats::analysis
