// Memory cells of ranks and tables.
#include <algorithm>
#include <map>
#include <optional>

#include "analysis/byte_columns.h"
#include "analysis/corrections.h"

namespace shardstats::analysis {
namespace {

constexpr std::size_t kMostListed = 8;  // ranks of a line that are looked at

// Disputed cells whose printed text is such a value.
int lines_that_show(const Report& report, RealInterval bytes, Format format) {
  return static_cast<int>(std::ranges::count_if(report.findings, [&](const Finding& f) {
    const auto printed = bytes_printed_as(f.where.text, format, kGiB);
    return printed && real(*printed).overlaps(bytes);
  }));
}

// ---- a sum over all ranks ------------------------------------------------------------------------------------------

// Only the sum is wrong: then that rank is whose right value other lines show.
void add_rank_of_sum(const Disputed& disputed, const ByteColumn& column, Corrections& corrections) {
  const Expectation& total = disputed.plan.all_ranks.*column.expected_total;
  if (!total.contradicted) return;
  const auto& rows = disputed.printed.ranks.rows;
  const Format form = disputed.printed.format_of(column.numbers);
  RealInterval sum{};
  for (const PrintedRank& row : rows) {
    const auto printed = column.printed_in(disputed.printed, row);
    if (!printed) return;
    sum = sum + real(*printed);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Cell& printed = rows[r].*column.cell;
    const RealInterval others = sum - real(*column.printed_in(disputed.printed, rows[r]));
    const RealInterval right{real(total.bytes).low - others.high, real(total.bytes).high - others.low};
    if (right.high < 0) continue;
    const auto text = [&](double bytes) { return format(std::max(bytes, 0.0) / static_cast<double>(kGiB), form); };
    const std::string low = text(right.low), high = text(right.high);
    Correction& correction = low == high ? corrections.add_text(printed, low, &PrintedPlan::ranks, r, column.cell)
                                         : corrections.add_removal(printed, &PrintedPlan::ranks, r, column.cell);
    correction.against = -lines_that_show(disputed.report, right, form);
  }
}

// ---- lines that name the rank --------------------------------------------------------------------------------------

// Where a line prints HBM, and where the ranks that have it.
struct HbmLine {
  LineId id;
  std::size_t value, ranks;
};
constexpr HbmLine kHbmLines[] = {
    {LineId::peak_memory_pressure, 0, 1}, {LineId::max_hbm, 0, 1},         {LineId::min_hbm, 0, 1},
    {LineId::low_median_hbm, 0, 1},       {LineId::high_median_hbm, 0, 1},
};

// The memory of a rank is not what disputed lines print for it.
void add_rank_of_lines(const Disputed& disputed, Corrections& corrections) {
  const PrintedPlan& printed = disputed.printed;
  const auto& rows = printed.ranks.rows;
  const Format form = printed.format_of(RoundedNumbers::rank_memory);
  const auto is_disputed = [&](const Cell& cell) {
    return std::ranges::any_of(disputed.report.findings, [&](const Finding& f) {
      return f.severity == Severity::error && f.where.place == cell.place;
    });
  };
  for (const HbmLine& line : kHbmLines) {
    const Cell value = printed.slot(line.id, line.value);
    const auto bytes = bytes_printed_as(value.text, printed.format_of(RoundedNumbers::lines), kGiB);
    std::vector<int> ranks;
    if (!bytes || !is_disputed(value) || !parse_ranks(printed.slot(line.id, line.ranks).text, ranks, kMostListed))
      continue;
    for (const int rank : ranks) {
      const auto r = static_cast<std::size_t>(rank);
      if (r >= rows.size() || !rows[r].hbm || corrections.has(rows[r].hbm)) continue;
      const std::string text = format(middle(real(*bytes)) / static_cast<double>(kGiB), form);
      if (text == rows[r].hbm.text) continue;
      Correction& correction = corrections.add_text(rows[r].hbm, text, &PrintedPlan::ranks, r, &PrintedRank::hbm);
      correction.against = -lines_that_show(disputed.report, real(*bytes), printed.format_of(RoundedNumbers::lines));
    }
  }
}

// ---- storage of tables ---------------------------------------------------------------------------------------------

// The errors that a wrong storage of a table may cause: on its row, its kernel and its ranks.
struct Disputes {
  int all = 0;
  bool on_row = false;
};
Disputes disputes_of(const Disputed& disputed, const PlanTable& table) {
  const std::string_view kernel = disputed.printed.tables.rows[table.row].kernel.text;
  Disputes found;
  for (const Finding& f : disputed.report.findings) {
    if (f.severity != Severity::error) continue;
    const bool on_row = f.table == table.row;
    found.on_row |= on_row;
    found.all +=
        on_row || (!f.kernel.empty() && f.kernel == kernel) || (f.rank && disputed.plan.shards_on(table, *f.rank) > 0);
  }
  return found;
}

}  // namespace

void add_rank_memory(const Disputed& disputed, Corrections& corrections) {
  add_rank_of_sum(disputed, kRankHbm, corrections);
  add_rank_of_sum(disputed, kRankDdr, corrections);
  add_rank_of_lines(disputed, corrections);
  std::ranges::stable_sort(corrections.all(), {}, &Correction::against);
}

void add_misleading_ranks(const Disputed& disputed, Corrections& corrections) {
  const PrintedPlan& printed = disputed.printed;
  for (const Finding& finding : disputed.report.findings)
    for (std::size_t r = 0; r < printed.ranks.rows.size(); ++r)
      for (const ByteColumn& column : kByteColumns)
        if (const Cell& cell = printed.ranks.rows[r].*column.cell; cell && cell.place == finding.where.place)
          corrections.add_removal(cell, &PrintedPlan::ranks, r, column.cell);
  if (!disputed.options.alternatives) return;
  // Bounds rest on the others, too.
  for (std::size_t r = 0; r < printed.ranks.rows.size(); ++r)
    for (const ByteColumn& column : kByteColumns)
      if (const Cell& cell = printed.ranks.rows[r].*column.cell; cell && !corrections.has(cell))
        corrections.add_removal(cell, &PrintedPlan::ranks, r, column.cell).against = 1;
}

void add_misleading_tables(const Disputed& disputed, Corrections& corrections) {
  const Plan& plan = disputed.plan;
  const auto kind = [](const PlanTable& t) { return std::pair(t.choice.element_size, t.choice.optimizer); };
  std::map<std::pair<double, Optimizer>, int> tables_with;
  for (const PlanTable& table : plan.tables) ++tables_with[kind(table)];
  const auto by_count = [](const auto& entry) { return entry.second; };
  const auto usual = std::ranges::max_element(tables_with, {}, by_count);
  const auto departs = [&](const PlanTable* table) { return kind(*table) != usual->first; };
  std::vector<const PlanTable*> tables;
  for (const PlanTable& table : plan.tables) tables.push_back(&table);
  std::stable_partition(tables.begin(), tables.end(), departs);
  for (const PlanTable* table : tables) {
    const PrintedTable& row = disputed.printed.tables.rows[table->row];
    const Disputes disputes = disputes_of(disputed, *table);
    if (disputes.all == 0) continue;
    for (const auto cell : {&PrintedTable::hbm, &PrintedTable::ddr, &PrintedTable::ssd}) {
      // Another memory than HBM is seldom printed with enough digits to show in anything but its own row.
      if (!(row.*cell) || (cell != &PrintedTable::hbm && !disputes.on_row)) continue;
      Correction& correction = corrections.add_removal(row.*cell, &PrintedPlan::tables, table->row, cell);
      correction.against = -disputes.all;
    }
  }
  std::ranges::stable_sort(corrections.all(), {}, &Correction::against);
}

}  // namespace shardstats::analysis
