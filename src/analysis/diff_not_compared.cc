// What diff does not compare, since a log does not print it or has lost some of it.
#include <algorithm>

#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "shardstats/log/lost_columns.h"

namespace shardstats::analysis {
namespace {

// What diff compares, and the line that shows whether a log prints it.
struct ComparedPart {
  std::string_view name;
  LineId line;
};
constexpr std::string_view kTables = "tables";
constexpr ComparedPart kComparedParts[] = {{"ranks", LineId::rank_table},
                                           {kTables, LineId::parameter_table},
                                           {"batch_size", LineId::batch_size},
                                           {"kernel_count", LineId::kernel_count_heading},
                                           {"kernel_storage", LineId::kernel_storage_heading},
                                           {"critical_path", LineId::critical_path_sum},
                                           {"reserved", LineId::reserved_hbm},
                                           {"planning", LineId::planning_memory},
                                           {"dense", LineId::dense_storage},
                                           {"kjt", LineId::kjt_storage}};

bool has_lost_tables(const DiffSide& side) {
  return side.printed.tables.printed && !has_all_tables(side.printed, side.plan);
}
bool has_lost_kernels(const DiffSide& side) {
  const bool counts = !side.printed.tables.printed && side.printed.find(LineId::kernel_count_heading) != nullptr;
  return counts && !counts_all_kernels(side);
}
bool has_lost_rows_of_ranks(const DiffSide& side) { return side.printed.ranks.printed && !has_all_ranks(side.printed); }
bool has_unread_memory(const DiffSide& side) {
  const Format form = side.printed.format_of(RoundedNumbers::rank_memory);
  const auto is_unread = [form](const Cell& cell) { return cell && !bytes_printed_as(cell.text, form, kGiB); };
  return std::ranges::any_of(side.printed.ranks.rows,
                             [&](const PrintedRank& row) { return is_unread(row.hbm) || is_unread(row.ddr); });
}
bool has_lost_cells(const DiffSide& side) {
  if (has_unread_memory(side)) return true;
  using K = DiagnosticKind;
  constexpr DiagnosticKind kKinds[] = {K::malformed_cell, K::cut_lines, K::large_number};
  return std::ranges::any_of(kKinds, [&](DiagnosticKind kind) { return side.printed.is_rule_reported(kind); });
}
// What an unknown column holds is not read, and the one that it may stand for is missing.
bool lacks_columns(const DiffSide& side) {
  const auto has_lost = [&](bool of_ranks) { return !lost_columns(side.printed, of_ranks).empty(); };
  return side.printed.is_rule_reported(DiagnosticKind::unknown_column) || has_lost(true) || has_lost(false);
}
bool has_lost_an_end(const DiffSide& side) {
  return side.printed.is_reported(DiagnosticKind::no_opening_border) ||
         side.printed.is_reported(DiagnosticKind::no_closing_border);
}

struct LostPart {
  std::string_view name;
  bool (*is_lost)(const DiffSide& side);
};
constexpr LostPart kLostParts[] = {{"ranks", has_lost_rows_of_ranks},
                                   {kTables, has_lost_tables},
                                   {"kernel_count", has_lost_kernels},
                                   {"cells", has_lost_cells},
                                   {"columns", lacks_columns}};

}  // namespace

std::vector<NotCompared> not_compared(const DiffSide& base, const DiffSide& next) {
  std::vector<NotCompared> parts;
  if (next.growth != nullptr) return parts;  // a changed plan has what its log has
  for (const ComparedPart& part : kComparedParts) {
    const bool before = base.printed.find(part.line) == nullptr, after = next.printed.find(part.line) == nullptr;
    // Of what neither has, tables alone are what a reader may expect.
    if (before != after || (before && part.name == kTables)) parts.push_back({part.name, false, before, after});
  }
  for (const LostPart& part : kLostParts)
    if (const bool before = part.is_lost(base), after = part.is_lost(next); before || after)
      parts.push_back({part.name, true, before, after});
  // Nothing tells what stood beyond a lost end, unless the other log does.
  const auto is_open = [&](const DiffSide& side, bool NotCompared::*lacks) {
    return has_lost_an_end(side) && std::ranges::none_of(parts, lacks);
  };
  const bool before = is_open(base, &NotCompared::before), after = is_open(next, &NotCompared::after);
  if (before || after) parts.push_back({"lines", true, before, after});
  return parts;
}

}  // namespace shardstats::analysis

namespace shardstats {

bool PlanDiff::compares_all() const {
  return std::ranges::none_of(not_compared,
                              [](const NotCompared& part) { return part.partly || part.before != part.after; });
}

}  // namespace shardstats
