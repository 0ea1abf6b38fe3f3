#include "infer/row_signs.h"

#include <algorithm>
#include <array>

#include "shardstats/planner/shapes.h"

namespace shardstats::infer_detail {
namespace {

std::int64_t row_wise_tables(const PlanInputs& plan) { return std::ranges::count_if(plan.tables, is_row_wise); }

std::int64_t virtual_row_wise_tables(const PlanInputs& plan) {
  return std::ranges::count_if(plan.tables,
                               [](const TableInputs& t) { return is_row_wise(t) && has_virtual_kernel(t); });
}

// Has it, split evenly, shards without rows, and as many rows as ranks?
bool buckets_fill_shards(const TableInputs& table) {
  const auto parts = static_cast<std::int64_t>(table.ranks.size());
  if (!is_row_wise(table) || !has_virtual_kernel(table) || parts == 0 || table.rows < parts) return false;
  return std::ranges::any_of(even_row_runs({table.rows, table.cols}, parts),
                             [](const ShapeRun& run) { return run.shape.rows == 0; });
}

}  // namespace

bool may_split_unevenly(const PlanInputs& plan, const ReleaseRules& rules) {
  return (rules.uneven_rows || rules.buckets) && row_wise_tables(plan) > 0;
}

std::span<const SplitRows> uneven_splits(const PlanInputs& plan) {
  static constexpr std::array kAll = {SplitRows::by_virtual_buckets, SplitRows::by_equal_memory, SplitRows::by_memory,
                                      SplitRows::by_buckets, SplitRows::by_few_buckets};
  return std::span(kAll).subspan(std::ranges::any_of(plan.tables, buckets_fill_shards) ? 0 : 1);
}

Shares::Shares(const PlanInputs& plan) : plan_(plan) {
  const auto is_zero = [](const PrintedRank& row) { return row.lost || row.hbm_percent.text == "0"; };
  // Where all are 0 % they may not be counted at all.
  if (!std::ranges::all_of(plan.printed->ranks.rows, is_zero))
    capacity_ = plan.printed->bytes_in(LineId::planning_memory);
  if (capacity_ && capacity_->low <= 0) capacity_.reset();
}

std::int64_t Shares::conflicts() const {
  std::int64_t conflicts = 0;
  for (std::size_t r = 0; r < plan_.ranks.size() && capacity_; ++r)
    if (const auto& hbm = plan_.ranks[r][at(Quantity::hbm)]) conflicts += denies(r, real(*hbm));
  return conflicts;
}

std::int64_t Shares::conflicts_beside(const Outcome& outcome) const {
  if (!capacity_) return 0;
  const auto is_wrong_memory = [&](const SumLine& line) {
    return line.is_of_rank(Quantity::hbm) && line.contradicted && denies(line.index, line.printed) &&
           !denies(line.index, line.expected);
  };
  return conflicts() - std::ranges::count_if(outcome.sums, is_wrong_memory);
}

bool Shares::show_all_contradictions(const Outcome& outcome) const {
  if (!capacity_ || outcome.contradictions == 0) return false;
  const auto is_shown = [&](const SumLine& line) {
    return line.is_of_rank(Quantity::hbm) && line.contradicted && denies(line.index, line.printed) &&
           denies(line.index, line.expected);
  };
  return std::ranges::count_if(outcome.sums, is_shown) == outcome.contradictions;
}

bool Shares::denies(std::size_t rank, RealInterval used) const {
  const auto share = values_printed_as(plan_.printed->ranks.rows[rank].hbm_percent.text, Format::p0);
  const RealInterval expected{used.low / (static_cast<double>(capacity_->high) + 1),
                              used.high / static_cast<double>(capacity_->low)};
  return share && !share->overlaps(expected);
}

MemoryImbalance::MemoryImbalance(const PlanInputs& plan)
    : ranks_(plan.ranks.size()),
      hbm_(read_imbalance(*plan.printed, LineId::hbm_imbalance_heading)),
      ddr_(read_imbalance(*plan.printed, LineId::ddr_imbalance_heading)) {}

std::int64_t MemoryImbalance::contradicted_by(const Outcome& outcome) const {
  return contradicted_statistics(hbm_, totals(outcome, Quantity::hbm)) +
         contradicted_statistics(ddr_, totals(outcome, Quantity::ddr));
}

std::int64_t MemoryImbalance::most_contradicted_by(const Outcome& outcome) const {
  return std::max(contradicted_statistics(hbm_, totals(outcome, Quantity::hbm)),
                  contradicted_statistics(ddr_, totals(outcome, Quantity::ddr)));
}

std::vector<RealInterval> MemoryImbalance::totals(const Outcome& outcome, Quantity quantity) const {
  std::vector<RealInterval> totals;
  for (const SumLine& line : outcome.sums)
    if (line.is_of_rank(quantity))
      totals.push_back(line.contradicted ? line.expected : narrowed(line.expected, line.printed));
  if (totals.size() != ranks_) totals.clear();
  return totals;
}

std::int64_t cost_of_rows(const PlanInputs& plan, const RowSigns& signs, const SettingGroup& group, SplitRows split) {
  if (split == SplitRows::by_virtual_buckets) return 1;
  const std::int64_t virtual_tables = virtual_row_wise_tables(plan);
  if (split == SplitRows::by_equal_memory) {
    const bool has_buckets = virtual_tables > 0 && group.members.front().rules->buckets;
    return kUnlikely + (has_buckets ? cost_of_rows(plan, signs, group, SplitRows::by_buckets) : 0);
  }
  const bool may_have_buckets = split == SplitRows::by_few_buckets ? virtual_tables > 0  // few: beside any others
                                                                   : virtual_tables == row_wise_tables(plan);
  const bool buckets = group.members.front().rules->buckets || (split != SplitRows::by_memory && may_have_buckets);
  const std::int64_t bucketed = virtual_tables > 0 && signs.contradicted ? virtual_tables : row_wise_tables(plan);
  const std::int64_t capacities = signs.in_shares() || signs.imbalance > 0 ? 1 : plan.world_size - 1 - signs.conflicts;
  const std::int64_t cost = std::max<std::int64_t>(buckets ? std::min(capacities, bucketed) : capacities, 1);
  return cost + (split == SplitRows::by_few_buckets ? kUnlikely : 0);
}

}  // namespace shardstats::infer_detail
