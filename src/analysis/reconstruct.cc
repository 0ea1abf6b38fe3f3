#include "shardstats/analysis/reconstruct.h"

#include <algorithm>

#include "analysis/statistics.h"

namespace shardstats {
namespace {

TableRow row_of(const PrintedPlan& printed, const Plan& plan, const PlanTable& table, const Filter& filter) {
  const Format storage = printed.format_of(RoundedNumbers::table_storage);
  TableRow row;
  row.table = &table;
  row.printed = &printed.tables.rows[table.row];
  row.shard_count = table.shard_count;
  for (const PlanShard& shard : plan.shards_of(table))
    if (!shard.rank || filter.keeps_rank(*shard.rank)) row.shards.push_back(&shard);
  // The printed sum is tighter than the sum of the shards' bounds where several shards share its rounding.
  const auto sum_of = [&](ByteInterval ShardSizes::*size, const Expectation& expected, const Cell& cell) {
    const ByteInterval sum = plan.total_of(table, size, expected);
    if (!expected.known || expected.contradicted) return sum;
    const auto bytes = bytes_printed_as(cell.text, storage, kGiB);
    return bytes ? narrowed(sum, *bytes) : sum;
  };
  row.hbm = sum_of(&ShardSizes::hbm, table.hbm, row.printed->hbm);
  row.ddr = sum_of(&ShardSizes::ddr, table.ddr, row.printed->ddr);
  row.ssd = sum_of(&ShardSizes::ssd, table.ssd, row.printed->ssd);
  return row;
}

void sort_rows(std::vector<TableRow>& rows, SortKey key) {
  const auto larger = [&](ByteInterval TableRow::*field) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, [field](const TableRow& r) { return (r.*field).high; });
  };
  switch (key) {
    case SortKey::log:
      return;
    case SortKey::name:
      std::ranges::stable_sort(rows, {}, [](const TableRow& r) { return r.printed->fqn.text; });
      return;
    case SortKey::hbm:
      return larger(&TableRow::hbm);
    case SortKey::ddr:
      return larger(&TableRow::ddr);
    case SortKey::ssd:
      return larger(&TableRow::ssd);
  }
}

template <class T>
std::size_t cut(std::vector<T>& rows, std::size_t top) {
  if (top == 0 || rows.size() <= top) return 0;
  const std::size_t hidden = rows.size() - top;
  rows.resize(top);
  return hidden;
}

void find_known_columns(const PrintedPlan& printed, const Plan& plan, Reconstruction& result) {
  using analysis::some_rank_prints;
  const auto is_known = [&](Cell PrintedRank::*cell) { return plan.sized || some_rank_prints(printed, cell); };
  result.rank_hbm = is_known(&PrintedRank::hbm);
  result.rank_ddr = is_known(&PrintedRank::ddr);
  const bool is_bytes = printed.releases.front() >= Release::v0_1_1;
  result.column_bytes = is_bytes && is_known(&PrintedRank::input) && is_known(&PrintedRank::output);
  const auto total = [](const PrintedRank& row) { return row.perf.total; };
  result.rank_perf = is_bytes && (plan.perf.known || some_rank_prints(printed, total));
}

}  // namespace

std::string_view why_not_rebuilt(const Plan& plan) {
  if (plan.empty) return "the planner found no plan";
  if (plan.tables.empty())
    return "the log has no rows of the table of parameters, which the planner prints with its debug output";
  if (plan.releases.back() < Release::v0_3_0) return "releases before v0.3.0 print too little of the tables";
  return "the log has not all that the sizes of shards rest on";
}

Reconstruction reconstruct(const PrintedPlan& printed, const Plan& plan, const Filter& filter,
                           const ReconstructOptions& options) {
  Reconstruction result;
  result.sized = plan.sized;
  if (!plan.sized) result.why_not_sized = why_not_rebuilt(plan);
  find_known_columns(printed, plan, result);
  for (const PlanTable& table : plan.tables) {
    if (filter.keeps_row(printed.tables.rows[table.row])) result.tables.push_back(row_of(printed, plan, table, filter));
  }
  for (const PlanRank& rank : plan.ranks)
    if (rank.known && filter.keeps_rank(rank.rank)) result.ranks.push_back(&rank);
  sort_rows(result.tables, options.sort);
  if (options.sort == SortKey::hbm)
    std::ranges::stable_sort(result.ranks, std::ranges::greater{}, [](const PlanRank* r) { return r->hbm.high; });
  result.tables_hidden = cut(result.tables, options.top);
  result.ranks_hidden = cut(result.ranks, options.top);
  return result;
}

}  // namespace shardstats
