#include "shardstats/analysis/budgets.h"

#include <re2/re2.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/shares.h"
#include "analysis/statistics.h"
#include "analysis/table_values.h"
#include "shardstats/analysis/filter.h"

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

// Something that a budget limits: a rank, a table, the plan.
struct Item {
  std::optional<RealInterval> value{};
  std::string_view word{};
  std::string reason{};  // of a value that is not known
  std::optional<int> rank{};
  std::string_view table{};
  Place where{};
};
using Items = std::vector<Item>;

constexpr const char* kNoShare = "the planner gives no share of HBM for this device";

Item unknown(std::string reason) {
  Item item;
  item.reason = std::move(reason);
  return item;
}

// ---- deciding ------------------------------------------------------------------------------------------------------

BudgetStatus judge(const BudgetForm& form, const Budget& budget, const Item& item) {
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
double badness(const BudgetForm& form, BudgetStatus status, const Item& item) {
  if (!item.value) return std::numeric_limits<double>::lowest();
  const bool certain = status == BudgetStatus::broken;  // the bound that the status rests on
  return form.at_least ? -(certain ? item.value->high : item.value->low)
                       : (certain ? item.value->low : item.value->high);
}

BudgetStatus worse(BudgetStatus a, BudgetStatus b) {
  if (a == BudgetStatus::passed) return b;
  return b == BudgetStatus::broken ? b : a;
}

BudgetResult decide(const Budget& budget, std::string_view pattern, const Items& items, Place block) {
  const BudgetForm& form = form_of(budget.id);
  BudgetResult result{&budget, pattern};
  for (const Item& item : items) result.status = worse(result.status, judge(form, budget, item));
  const Item* worst = nullptr;
  for (const Item& item : items) {
    if (judge(form, budget, item) != result.status) continue;
    if (worst != nullptr) ++result.others;
    if (worst == nullptr || badness(form, result.status, item) > badness(form, result.status, *worst)) worst = &item;
  }
  result.value = worst->value;
  result.relation = form.relation;
  result.word = worst->word;
  result.reason = worst->reason;
  result.rank = worst->rank;
  result.table = worst->table;
  result.where = worst->where.line > 0 ? worst->where : block;
  return result;
}

// ---- measuring -----------------------------------------------------------------------------------------------------

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

// The columns of the rank table that budgets are about.
struct RankColumn {
  Quantity quantity;
  LineId above_mean;  // the printed line of how much the largest is above the mean
};
constexpr RankColumn kRankHbm{Quantity::hbm, LineId::max_hbm_percent};
constexpr RankColumn kRankDdr{Quantity::ddr, LineId::blank};
constexpr RankColumn kRankPerf{Quantity::perf, LineId::max_total_perf_percent};

class Measures {
 public:
  Measures(const PrintedPlan& printed, const Plan& plan)
      : printed_(printed),
        plan_(plan),
        values_(rank_values(printed, plan)),
        whole_(has_all_rows(printed, plan)),
        all_ranks_(values_.known && has_all_ranks(printed)),
        tables_(reconstruct(printed, plan, Filter(), {}).tables) {}

  Items of(const Budget& budget) const {
    switch (budget.id) {
      case BudgetId::max_hbm:
        return ranks(kRankHbm);
      case BudgetId::max_hbm_percent:
        return shares();
      case BudgetId::max_ddr:
        return ranks(kRankDdr);
      case BudgetId::max_imbalance:
        return {above_mean(kRankHbm)};
      case BudgetId::max_perf_imbalance:
        return {above_mean(kRankPerf)};
      case BudgetId::max_perf_ms:
        return ranks(kRankPerf);
      case BudgetId::max_critical_path:
        return {critical_path()};
      case BudgetId::min_headroom:
        return headroom();
      default:
        return tables(budget.id, nullptr);
    }
  }

  // Of the tables that match; nullptr: of all.
  Items tables(BudgetId id, const re2::RE2* expression) const {
    if (!printed_.tables.printed) return {unknown(std::string(why_not_rebuilt(plan_)))};
    Items items;
    for (std::size_t row = 0; row < printed_.tables.rows.size(); ++row) {
      const std::string_view fqn = printed_.tables.rows[row].fqn.text;
      if (expression != nullptr && !re2::RE2::PartialMatch(re2::StringPiece(fqn.data(), fqn.size()), *expression))
        continue;
      Item& item = items.emplace_back(table(id, row));
      item.table = fqn;
      if (item.where.line == 0) item.where = printed_.tables.rows[row].fqn.place;
    }
    if (!whole_) items.push_back(unknown("rows of the table of parameters are missing"));
    if (items.empty()) items.push_back(unknown("no table matches"));
    return items;
  }

 private:
  // ---- ranks -------------------------------------------------------------------------------------------------------

  Format format_of(RankColumn column) const {
    return printed_.format_of(column.quantity == Quantity::perf ? RoundedNumbers::rank_perf
                                                                : RoundedNumbers::rank_memory);
  }
  static const Cell& cell_of(const PrintedRank& row, RankColumn column) {
    return column.quantity == Quantity::hbm ? row.hbm : column.quantity == Quantity::ddr ? row.ddr : row.perf.total;
  }
  Item rank(std::size_t r, RankColumn column) const {
    const PrintedRank& row = printed_.ranks.rows[r];
    const Cell& cell = cell_of(row, column);
    Item item;
    item.where = cell ? cell.place : row.rank.place;
    if (const int number = rank_number(row); number >= 0) item.rank = number;
    const auto printed = printed_bounds(cell, format_of(column), column.quantity == Quantity::perf ? "ms" : "bytes");
    if (printed) item.value = values_.known ? values_[column.quantity][r] : *printed;
    if (!item.value) item.reason = "what is printed of this rank cannot be read";
    return item;
  }

  Items ranks(RankColumn column) const {
    if (printed_.ranks.rows.empty())
      return {unknown(plan_.empty ? std::string(why_not_rebuilt(plan_)) : "no table of ranks is printed")};
    if (column.quantity == Quantity::perf && !prints_perf_in_ms(printed_.releases.front()))
      return {unknown("TorchRec v0.1.0 does not print perf in ms")};
    Items items;
    for (std::size_t r = 0; r < printed_.ranks.rows.size(); ++r)
      if (!printed_.ranks.rows[r].lost) items.push_back(rank(r, column));
    if (!all_ranks_) items.push_back(unknown("rows of the table of ranks are missing"));
    return items;
  }

  Item above_mean(RankColumn column) const {
    const Items all = ranks(column);
    const auto not_known = std::ranges::find_if(all, [](const Item& one) { return !one.value; });
    const Cell line = printed_.slot(column.above_mean);
    const auto printed = printed_bounds(line, Format::g3, "percent");
    Item item;
    if (not_known == all.end()) {
      std::vector<RealInterval> values;
      for (const Item& one : all) values.push_back(*one.value);
      item = *std::ranges::max_element(all, {}, [](const Item& one) { return one.value->high; });
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

  // ---- planning memory ---------------------------------------------------------------------------------------------

  Items shares() const {
    Items items = ranks(kRankHbm);
    if (printed_.ranks.rows.empty()) return items;
    const MemoryShares all = hbm_shares(printed_, plan_);
    if (!all.counted) return {unknown(kNoShare)};
    const bool one_capacity = all.one_capacity();
    for (Item& item : items) {
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

  Items headroom() const {
    Items items = ranks(kRankHbm);
    if (printed_.ranks.rows.empty()) return items;
    const MemoryShares all = hbm_shares(printed_, plan_);
    if (!all.counted) return {unknown(kNoShare)};
    if (!all.planning) return {unknown("planning memory is not printed; it is with the planner's debug output")};
    if (!all.one_capacity())
      return {unknown("the shares of the ranks do not fit one planning memory, and only that of rank 0 is printed")};
    for (Item& item : items)
      if (item.value) item.value = real(*all.planning) - *item.value;
    return items;
  }

  // ---- critical path -----------------------------------------------------------------------------------------------

  Item critical_path() const {
    const Cell cell = printed_.slot(LineId::critical_path_sum);
    CriticalPathReader rebuilt;
    read_statistics(printed_, plan_, values_, whole_, rebuilt);
    const auto printed = printed_bounds(cell, printed_.format_of(RoundedNumbers::lines), "ms");
    if (!printed)
      return unknown("its line is not printed; TorchRec v1.2.0 and later print it with the planner's debug output");
    Item item;
    item.value = settled(printed, rebuilt.expected);
    item.where = cell.place;
    return item;
  }

  // ---- tables ------------------------------------------------------------------------------------------------------

  const TableRow* table_row(std::size_t row) const { return row < tables_.size() ? &tables_[row] : nullptr; }

  Item table(BudgetId id, std::size_t row) const {
    const PrintedTable& printed = printed_.tables.rows[row];
    switch (id) {
      case BudgetId::tables_max_hbm_per_rank:
        return on_one_rank(row);
      case BudgetId::tables_max_perf_ms:
        return table_perf(row);
      case BudgetId::tables_max_shards:
        return shard_count(row);
      case BudgetId::tables_sharding:
        return word(printed.sharding);
      case BudgetId::tables_kernel:
        return word(printed.kernel);
      default:
        return table_hbm(row);
    }
  }

  static Item word(const Cell& cell) {
    Item item;
    item.word = cell.text;
    item.where = cell.place;
    if (!cell) item.reason = "the word is missing in its row";
    return item;
  }

  static Item value_of_cell(const Cell& cell, std::optional<RealInterval> value) {
    Item item;
    item.where = cell.place;
    item.value = value;
    if (!item.value) item.reason = "it is neither printed nor can it be rebuilt";
    return item;
  }

  Item table_hbm(std::size_t row) const {
    const Cell& cell = printed_.tables.rows[row].hbm;
    return value_of_cell(cell, storage_of(printed_, cell, table_row(row), &TableRow::hbm));
  }

  Item on_one_rank(std::size_t row) const {
    Item item = table_hbm(row);
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

  Item table_perf(std::size_t row) const {
    const Cell& cell = printed_.tables.rows[row].perf.total;
    const PlanTable* table = plan_.table_of_row(static_cast<std::uint32_t>(row));
    std::optional<RealInterval> sum;
    if (table != nullptr && table->perf.known && table->shard_count > 0)
      sum = table->shard_perf.total * exactly(static_cast<double>(table->shard_count));
    return value_of_cell(cell,
                         settled(printed_bounds(cell, printed_.format_of(RoundedNumbers::table_perf), "ms"), sum));
  }

  Item shard_count(std::size_t row) const {
    const PrintedTable& printed = printed_.tables.rows[row];
    Item item;
    item.where = printed.ranks.place;
    if (const auto shards = shard_count_of(printed, table_row(row)))
      item.value = exactly(static_cast<double>(*shards));
    else
      item.reason = "the list of its ranks cannot be read";
    return item;
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  const RankValues values_;
  const bool whole_, all_ranks_;  // no rows of the tables are lost
  const std::vector<TableRow> tables_;
};

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
  for (const Budget& budget : budgets.of_plan) {
    BudgetResult& result = report.results.emplace_back(analysis::decide(budget, {}, measures.of(budget), block));
    if (budget.id == BudgetId::max_hbm_percent && shares_are_of_all_memory(printed.releases.front()))
      result.relation = "of all memory";
  }
  for (const TableBudgets& tables : budgets.of_tables)
    for (const Budget& budget : tables.budgets)
      report.results.push_back(
          analysis::decide(budget, tables.pattern, measures.tables(budget.id, tables.expression.get()), block));
  return report;
}

}  // namespace shardstats
