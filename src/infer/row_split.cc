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
  return how != SplitRows::by_memory && table.kernel != nullptr && table.kernel->speed == KernelSpeed::virtual_table;
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

// Whole rows of each part of a table, as `shares` bounds them.
std::vector<RealInterval> rows_of_parts(std::int64_t rows, const std::vector<RealInterval>& shares) {
  constexpr double kRounding = 1e-12;  // relative; far above that of the planner's products
  const auto all = static_cast<double>(rows);
  std::vector<RealInterval> parts;
  for (const RealInterval share : shares) {  // each is cut to whole rows, the last one takes the rest
    const RealInterval exact = share * exactly(all);
    const std::size_t cut = parts.size() + 1 == shares.size() ? parts.size() : 0;
    parts.push_back({std::max(std::floor(exact.low * (1 - kRounding)), 0.0),
                     std::min(std::floor(exact.high * (1 + kRounding)) + static_cast<double>(cut), all)});
  }
  return parts;
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

// By TableInputs::row. Devices with capacities of their own give all tables the same shares, which say nothing of
// buckets; where both may be, both are within the bounds. Empty: neither explains the lines.
RowsByTable rows_of_tables(const PlanInputs& plan, SplitRows how, const std::vector<RowLine>& lines) {
  const RowsByTable in_buckets = how == SplitRows::by_memory ? RowsByTable{} : rows_in_buckets(plan, how, lines);
  const std::vector<RealInterval> shares = shares_of(plan, how, lines);
  if (in_buckets.empty() && shares.empty()) return {};
  RowsByTable rows;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (rows.size() <= table.row) rows.resize(table.row + 1);
    if (!is_row_wise(table)) continue;
    std::vector<RealInterval>& parts = rows[table.row];
    if (!shares.empty()) parts = rows_by_memory(table, how, shares);
    if (in_buckets.empty()) continue;
    if (parts.empty()) parts = in_buckets[t];
    std::ranges::transform(parts, in_buckets[t], parts.begin(), [](auto a, auto b) { return hull(a, b); });
  }
  return rows;
}

bool is_narrower(RealInterval now, RealInterval before) {
  constexpr double kNarrower = 0.9;  // of its width: what makes another round worth it
  return now.high - now.low < kNarrower * (before.high - before.low);
}

bool is_any_narrower(const PlanInputs& plan, const RowsByTable& now, const RowsByTable* before) {
  return std::ranges::any_of(plan.tables, [&](const TableInputs& table) {
    const std::vector<RealInterval>& parts = now[table.row];
    const RealInterval all{0, static_cast<double>(table.rows)};
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (is_narrower(parts[k], before != nullptr ? (*before)[table.row][k] : all)) return true;
    return false;
  });
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
  RowsByTable rows = rows_of_tables(plan, outcome.rows.how, row_lines(plan, outcome));
  if (rows.empty() || !is_any_narrower(plan, rows, outcome.rows.by_table.get())) return std::nullopt;
  return RowSplit{outcome.rows.how, std::make_shared<const RowsByTable>(std::move(rows))};
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
    (*all)[t] = std::move(split);
  }
  outcome.parts = std::move(all);
  return outcome;
}

}  // namespace shardstats::infer_detail
