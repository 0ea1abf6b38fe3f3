#include "infer/row_split.h"

#include <algorithm>
#include <utility>

#include "infer/bucket_rows.h"
#include "infer/row_lines.h"
#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {
namespace {

// All parts together are the whole.
bool make_whole(std::vector<RealInterval>& shares) {
  RealInterval sum{};
  for (const RealInterval share : shares) sum = sum + share;
  for (RealInterval& share : shares) {
    const RealInterval others = without(sum, share), left{1 - others.high, 1 - others.low};
    if (!share.overlaps(left)) return false;
    share = narrowed(share, left);
  }
  return true;
}

// May each part of it be cut to whole buckets? Other tables than these are not taken to have buckets on devices with
// capacities of their own.
bool may_have_buckets(const TableInputs& table, SplitRows how) {
  return how != SplitRows::by_memory && has_virtual_kernel(table);
}

// What the memory of each rank leaves of the share that its part of every row-wise table has; empty: none that all
// parts could have.
std::vector<RealInterval> shares_of(const PlanInputs& plan, SplitRows how, const std::vector<RowLine>& lines) {
  const std::size_t ranks = plan.ranks.size();
  std::vector<RealInterval> shares(ranks, {0, 1});
  for (const RowLine& line : lines) {
    RealInterval rows{};
    double cut = 0;  // bytes that whole buckets, whole rows and whole bytes can differ from the share
    for (const auto& [t, bytes] : line.tables) {
      const TableInputs& table = plan.tables[t];
      const double of_rows = static_cast<double>(ranks) * bytes.high / static_cast<double>(table.rows);
      rows = rows + bytes;
      cut += (may_have_buckets(table, how) ? bytes.high : of_rows) + static_cast<double>(kRoundings);
    }
    if (rows.low <= 0) continue;
    RealInterval& share = shares[line.rank];
    share = narrowed(share,
                     {std::max(line.left.low - cut, 0.0) / rows.high, std::max(line.left.high + cut, 0.0) / rows.low});
  }
  return make_whole(shares) ? shares : std::vector<RealInterval>{};
}

// Of each part of a table that all devices have these shares of.
std::vector<RealInterval> rows_by_memory(const TableInputs& table, SplitRows how,
                                         const std::vector<RealInterval>& shares) {
  std::vector<RealInterval> parts = rows_of_parts(table.rows, shares);
  if (!may_have_buckets(table, how)) return parts;
  const double least_of_last = parts.back().low;
  for (RealInterval& part : parts) part.low = 0;
  parts.back() = {least_of_last, static_cast<double>(table.rows)};  // what the others are cut by
  return parts;
}

// Devices with capacities of their own give all tables the same shares, which say nothing of buckets; where both may
// be, both are within the bounds. Empty: neither.
RowsByTable rows_of_tables(const PlanInputs& plan, const Outcome& outcome, const std::vector<RowLine>& lines) {
  const SplitRows how = outcome.rows.how;
  RowsByTable rows = rows_in_buckets(plan, outcome, lines);
  const std::vector<RealInterval> shares = shares_of(plan, how, lines);
  if (shares.empty()) return rows;
  const bool by_buckets = !rows.empty();
  rows.resize(plan.tables.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (!is_row_wise(plan.tables[t])) continue;
    const std::vector<RealInterval> parts = rows_by_memory(plan.tables[t], how, shares);
    if (by_buckets)
      std::ranges::transform(rows[t], parts, rows[t].begin(), [](auto a, auto b) { return hull(a, b); });
    else
      rows[t] = parts;
  }
  return rows;
}

bool is_narrower(RealInterval now, RealInterval before) {
  constexpr double kNarrower = 0.9;  // of its width: what makes another round worth it
  return now.high - now.low < kNarrower * (before.high - before.low);
}

std::optional<RowSplit> narrowed_by_memory(const PlanInputs& plan, const Outcome& outcome,
                                           const std::vector<RowLine>& lines) {
  std::vector<RealInterval> shares = shares_of(plan, outcome.rows.how, lines);
  const auto& before = outcome.rows.shares;
  for (std::size_t k = 0; k < shares.size(); ++k)
    if (is_narrower(shares[k], before ? (*before)[k] : RealInterval{0, 1}))
      return RowSplit{outcome.rows.how, std::make_shared<const std::vector<RealInterval>>(std::move(shares)), nullptr};
  return std::nullopt;
}

std::optional<RowSplit> narrowed_by_table(const PlanInputs& plan, const Outcome& outcome,
                                          const std::vector<RowLine>& lines) {
  RowsByTable rows = rows_of_tables(plan, outcome, lines);
  if (rows.empty()) return std::nullopt;
  bool is_any_narrower = false;
  RowsByTable by_row;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (by_row.size() <= table.row) by_row.resize(table.row + 1);
    for (std::size_t k = 0; k < rows[t].size() && !is_any_narrower; ++k) {
      const RealInterval all{0, static_cast<double>(table.rows)};
      is_any_narrower = is_narrower(rows[t][k], outcome.rows.by_table ? (*outcome.rows.by_table)[table.row][k] : all);
    }
    by_row[table.row] = std::move(rows[t]);
  }
  if (!is_any_narrower) return std::nullopt;
  return RowSplit{outcome.rows.how, nullptr, std::make_shared<const RowsByTable>(std::move(by_row))};
}

// Compares the table's own cells anew, now that more is known of its rows; returns how many more are contradicted.
std::int64_t compare_again(const Setting& setting, const TableInputs& table, const TableParts& parts,
                           TableState& state) {
  const Options before = state.options;
  if (before.empty()) return 0;
  const std::int64_t known = count(state.contradicted);
  LeastContradicted best(state);
  for (std::size_t v = 0; v < parts.size(); ++v) {
    const CellTest contradicted(setting, table, parts[v]);
    for (const Option option : before)
      if (option.variant == v) best.look_at(option, contradicted(combo_of(option.combo)));
  }
  return best.cells() - known;
}

}  // namespace

std::optional<RowSplit> narrowed_rows(const PlanInputs& plan, const Outcome& outcome) {
  constexpr std::size_t kMostParts = 32'768;  // of all tables: each is looked at by itself, some times over
  if (!outcome.rows.hidden() || plan.missing) return std::nullopt;
  // Rows of each table by itself explain nearly all; what they do not is not for them, and would be looked at in vain.
  if (outcome.rows.how != SplitRows::by_memory && outcome.contradictions > 0) return std::nullopt;
  std::size_t parts = 0;
  for (const TableInputs& table : plan.tables) {
    if (!is_row_wise(table)) continue;
    if (!is_everywhere(table, plan.ranks.size())) return std::nullopt;  // part k is on rank k (3.5)
    parts += plan.ranks.size();
  }
  if (parts > kMostParts) return std::nullopt;
  const std::vector<RowLine> lines = row_lines(plan, outcome);
  return outcome.rows.how == SplitRows::by_memory ? narrowed_by_memory(plan, outcome, lines)
                                                  : narrowed_by_table(plan, outcome, lines);
}

Outcome with_rows(const PlanInputs& plan, Outcome outcome, const RowSplit& rows) {
  outcome.rows = rows;
  auto all = std::make_shared<std::vector<TableParts>>(*outcome.parts);
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    if (!is_row_wise(plan.tables[t])) continue;
    const auto combos = combos_of(outcome.tables[t].options, (*all)[t].size());
    TableParts split;
    for (std::size_t v = 0; v < combos.size(); ++v) {
      const Parts& parts = std::as_const(*all)[t][v];
      split.push_back(make_parts(outcome.setting, plan.tables[t], parts.variant, rows, combos[v], &parts.lookups));
    }
    outcome.contradictions += compare_again(outcome.setting, plan.tables[t], split, outcome.tables[t]);
    (*all)[t] = std::move(split);
  }
  outcome.parts = std::move(all);
  return outcome;
}

}  // namespace shardstats::infer_detail
