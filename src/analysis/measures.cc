#include "analysis/measures.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "analysis/shares.h"
#include "analysis/table_values.h"
#include "shardstats/analysis/filter.h"

namespace shardstats::analysis {
namespace {

constexpr const char* kNoShare = "the planner gives no share of HBM for this device";

BudgetItem unknown(std::string reason) {
  BudgetItem item;
  item.reason = std::move(reason);
  return item;
}

// Takes the critical path from all that the statistics lines should say.
class CriticalPathReader : public StatisticsReader {
 public:
  bool number(const DerivedNumber& number) override {
    if (number.rule == RuleId::critical_path_sum) expected = number.expected;
    const auto printed = printed_bounds(number.cell, number.format, number.unit);
    return printed && !printed->overlaps(number.expected);
  }
  void ranks(const DerivedRanks&) override {}
  void shifted(const ShiftedTier&) override {}

  std::optional<RealInterval> expected;
};

const Cell& cell_of(const PrintedRank& row, Quantity of) {
  return of == Quantity::hbm ? row.hbm : of == Quantity::ddr ? row.ddr : row.perf.total;
}

BudgetItem item_of_word(const Cell& cell) {
  BudgetItem item;
  item.word = cell.text;
  item.where = cell.place;
  if (!cell) item.reason = "the word is missing in its row";
  return item;
}

BudgetItem item_of_cell(const Cell& cell, std::optional<RealInterval> value) {
  BudgetItem item;
  item.where = cell.place;
  item.value = value;
  if (!item.value) item.reason = "it is neither printed nor can it be rebuilt";
  return item;
}

}  // namespace

Measures::Measures(const PrintedPlan& printed, const Plan& plan)
    : printed_(printed),
      plan_(plan),
      values_(rank_values(printed, plan)),
      whole_(has_all_rows(printed, plan)),
      all_ranks_(values_.known && has_all_ranks(printed)),
      tables_(reconstruct(printed, plan, Filter(), {}).tables) {}

BudgetItems Measures::of(const Budget& budget) const {
  switch (budget.id) {
    case BudgetId::max_hbm:
      return ranks(kHbmColumn);
    case BudgetId::max_hbm_percent:
      return shares();
    case BudgetId::max_ddr:
      return ranks(kDdrColumn);
    case BudgetId::max_imbalance:
      return {above_mean(kHbmColumn)};
    case BudgetId::max_perf_imbalance:
      return {above_mean(kPerfColumn)};
    case BudgetId::max_perf_ms:
      return ranks(kPerfColumn);
    case BudgetId::max_critical_path:
      return {critical_path()};
    case BudgetId::min_headroom:
      return headroom();
    default:
      return tables(budget.id, nullptr);
  }
}

BudgetItems Measures::tables(BudgetId id, const re2::RE2* expression) const {
  if (!printed_.tables.printed) return {unknown(std::string(why_not_rebuilt(plan_)))};
  BudgetItems items;
  for (std::size_t row = 0; row < printed_.tables.rows.size(); ++row) {
    const std::string_view fqn = printed_.tables.rows[row].fqn.text;
    if (expression != nullptr && !re2::RE2::PartialMatch(re2::StringPiece(fqn.data(), fqn.size()), *expression))
      continue;
    BudgetItem& item = items.emplace_back(table(id, row));
    item.table = fqn;
    if (item.where.line == 0) item.where = printed_.tables.rows[row].fqn.place;
  }
  if (!whole_) items.push_back(unknown("rows of the table of parameters are missing"));
  if (items.empty()) items.push_back(unknown("no table matches"));
  return items;
}

// ---- ranks ---------------------------------------------------------------------------------------------------------

BudgetItem Measures::rank(std::size_t r, RankColumn column) const {
  const PrintedRank& row = printed_.ranks.rows[r];
  const Cell& cell = cell_of(row, column.quantity);
  const bool is_perf = column.quantity == Quantity::perf;
  BudgetItem item;
  item.where = cell ? cell.place : row.rank.place;
  if (const int number = rank_number(row); number >= 0) item.rank = number;
  const auto printed = is_perf ? printed_bounds(cell, printed_.format_of(RoundedNumbers::rank_perf), "ms")
                               : printed_bounds(cell, printed_.format_of(RoundedNumbers::rank_memory), "bytes");
  if (printed) item.value = values_.known ? values_[column.quantity][r] : *printed;
  if (!item.value) item.reason = "what is printed of this rank cannot be read";
  return item;
}

BudgetItems Measures::ranks(RankColumn column) const {
  if (printed_.ranks.rows.empty())
    return {unknown(plan_.empty ? std::string(why_not_rebuilt(plan_)) : "no table of ranks is printed")};
  if (column.quantity == Quantity::perf && !prints_perf_in_ms(printed_.releases.front()))
    return {unknown("TorchRec v0.1.0 does not print perf in ms")};
  BudgetItems items;
  for (std::size_t r = 0; r < printed_.ranks.rows.size(); ++r)
    if (!printed_.ranks.rows[r].lost) items.push_back(rank(r, column));
  if (!all_ranks_) items.push_back(unknown("rows of the table of ranks are missing"));
  return items;
}

BudgetItem Measures::above_mean(RankColumn column) const {
  const BudgetItems all = ranks(column);
  const auto not_known = std::ranges::find_if(all, [](const BudgetItem& one) { return !one.value; });
  const Cell line = printed_.slot(column.above_mean);
  const auto printed = printed_bounds(line, Format::g3, "percent");
  BudgetItem item;
  if (not_known == all.end()) {
    std::vector<RealInterval> values;
    for (const BudgetItem& one : all) values.push_back(*one.value);
    item = *std::ranges::max_element(all, {}, [](const BudgetItem& one) { return one.value->high; });
    item.value = percent_above_mean(values);
  } else if (!printed) {
    return *not_known;
  }
  if (printed) {
    item.value = settled(printed, item.value);
    item.where = line.place;
  }
  return item;
}

// ---- planning memory -----------------------------------------------------------------------------------------------

BudgetItems Measures::shares() const {
  BudgetItems items = ranks(kHbmColumn);
  if (printed_.ranks.rows.empty()) return items;
  const MemoryShares all = hbm_shares(printed_, plan_);
  if (!all.counted) return {unknown(kNoShare)};
  const bool one_capacity = all.one_capacity();
  for (BudgetItem& item : items) {
    const auto share = std::ranges::find(all.ranks, item.where, [](const Share& of) { return of.row->hbm.place; });
    item.value.reset();
    if (share == all.ranks.end()) {
      if (item.reason.empty()) item.reason = "the percentage of this rank cannot be read";
      continue;
    }
    item.where = share->row->hbm_percent.place;
    // A device of another capacity has the share that is printed, if that is not wrong.
    RealInterval value = share->printed;
    if (one_capacity)
      value = *settled(value, share->expected);
    else if (all.planning && !share->agrees())
      value = hull(value, share->expected);
    item.value = value * exactly(100.0);
  }
  return items;
}

BudgetItems Measures::headroom() const {
  BudgetItems items = ranks(kHbmColumn);
  if (printed_.ranks.rows.empty()) return items;
  const MemoryShares all = hbm_shares(printed_, plan_);
  if (!all.counted) return {unknown(kNoShare)};
  if (!all.planning) return {unknown("planning memory is not printed; it is with the planner's debug output")};
  if (!all.one_capacity())
    return {unknown("the shares of the ranks do not fit one planning memory, and only that of rank 0 is printed")};
  for (BudgetItem& item : items)
    if (item.value) item.value = real(*all.planning) - *item.value;
  return items;
}

// ---- critical path -------------------------------------------------------------------------------------------------

BudgetItem Measures::critical_path() const {
  const Cell cell = printed_.slot(LineId::critical_path_sum);
  CriticalPathReader rebuilt;
  read_statistics(printed_, plan_, values_, whole_, rebuilt);
  const auto printed = printed_bounds(cell, printed_.format_of(RoundedNumbers::lines), "ms");
  if (!printed)
    return unknown("its line is not printed; TorchRec v1.2.0 and later print it with the planner's debug output");
  BudgetItem item;
  item.value = settled(printed, rebuilt.expected);
  item.where = cell.place;
  return item;
}

// ---- tables --------------------------------------------------------------------------------------------------------

BudgetItem Measures::table(BudgetId id, std::size_t row) const {
  const PrintedTable& printed = printed_.tables.rows[row];
  switch (id) {
    case BudgetId::tables_max_hbm_per_rank:
      return on_one_rank(row);
    case BudgetId::tables_max_perf_ms:
      return table_perf(row);
    case BudgetId::tables_max_shards:
      return shard_count(row);
    case BudgetId::tables_sharding:
      return item_of_word(printed.sharding);
    case BudgetId::tables_kernel:
      return item_of_word(printed.kernel);
    default:
      return table_hbm(row);
  }
}

BudgetItem Measures::table_hbm(std::size_t row) const {
  const Cell& cell = printed_.tables.rows[row].hbm;
  return item_of_cell(cell, storage_of(printed_, cell, table_row(row), &TableRow::hbm));
}

BudgetItem Measures::on_one_rank(std::size_t row) const {
  BudgetItem item = table_hbm(row);
  if (!item.value) return item;
  const TableRow* table = table_row(row);
  std::map<int, RealInterval> on_rank;
  if (table != nullptr && is_rebuilt(*table))
    for (const PlanShard* shard : table->shards)
      if (shard->rank) on_rank[*shard->rank] = on_rank[*shard->rank] + real(shard->sizes->hbm);
  if (on_rank.empty()) {  // no more than all shards together
    item.value->low = 0;
    return item;
  }
  RealInterval most{};
  for (const auto& [rank, hbm] : on_rank) {
    if (!item.rank || hbm.high > on_rank[*item.rank].high) item.rank = rank;
    most = {std::max(most.low, hbm.low), std::max(most.high, hbm.high)};
  }
  // No rank has more than all together, and one has no less than all on average.
  const double average = item.value->low / static_cast<double>(on_rank.size());
  most.high = std::min(most.high, item.value->high);
  item.value = RealInterval{std::min(std::max(most.low, average), most.high), most.high};
  return item;
}

BudgetItem Measures::table_perf(std::size_t row) const {
  const Cell& cell = printed_.tables.rows[row].perf.total;
  const PlanTable* table = plan_.table_of_row(static_cast<std::uint32_t>(row));
  std::optional<RealInterval> sum;
  if (table != nullptr && table->perf.known && table->shard_count > 0)
    sum = table->shard_perf.total * exactly(static_cast<double>(table->shard_count));
  return item_of_cell(cell, settled(printed_bounds(cell, printed_.format_of(RoundedNumbers::table_perf), "ms"), sum));
}

BudgetItem Measures::shard_count(std::size_t row) const {
  const PrintedTable& printed = printed_.tables.rows[row];
  BudgetItem item;
  item.where = printed.ranks.place;
  if (const auto shards = shard_count_of(printed, table_row(row)))
    item.value = exactly(static_cast<double>(*shards));
  else
    item.reason = "the list of its ranks cannot be read";
  return item;
}

std::string_view Measures::relation_of(const BudgetForm& form) const {
  const bool is_of_all = form.id == BudgetId::max_hbm_percent && shares_are_of_all_memory(printed_.releases.front());
  return is_of_all ? "of all memory" : form.relation;
}

}  // namespace shardstats::analysis
