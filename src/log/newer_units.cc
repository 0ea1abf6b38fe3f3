#include "log/newer_units.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "log/columns.h"
#include "shardstats/ascii.h"
#include "shardstats/log/layout.h"

namespace shardstats {
namespace {

using namespace log_detail;

// At the start of the line: its slots are its numbers.
Cell unit_of(const NewerUnit& unit, const PrintedLine& line) {
  const std::size_t blank = unit.newer.starts_with(' ') ? 1 : 0;
  return {unit.newer.substr(blank), line.place};
}

// The first number of the line that has the unit.
Cell number_of(const DraftPlan& plan, const NewerUnit& unit, const PrintedLine& line) {
  const auto slots = plan.slots_of(line);
  Cell first;
  each_slot(line_forms()[line.form].pattern, [&](std::size_t slot, std::string_view kind) {
    if (kind == "r3" && !first) first = slots[slot];
  });
  if (first) return first;
  if (slots.empty()) return unit_of(unit, line);
  const Cell& whole = slots.front();
  std::size_t end = whole.text.find(unit.newer);
  while (end == 0 || (end != std::string_view::npos && !is_digit(whole.text[end - 1])))
    end = whole.text.find(unit.newer, end + 1);  // of a name or a word
  if (end == std::string_view::npos) return whole;
  const std::size_t start = whole.text.rfind(' ', end - 1) + 1;
  return {whole.text.substr(start, end - start),
          {whole.place.line, whole.place.column + static_cast<std::uint32_t>(start)}};
}

bool has_unit(const PrintedLine& line, const NewerUnit& unit) {
  return line.newer_unit != 0 && &newer_units()[line.newer_unit - 1u] == &unit;
}

void report_unit_of_lines(DraftPlan& plan, const NewerUnit& unit) {
  const auto first = std::ranges::find_if(plan.lines, [&](const PrintedLine& line) { return has_unit(line, unit); });
  if (first == plan.lines.end()) return;
  if (plan.may_be_newer() && is_unit_changed(plan.lines, unit))
    return plan.report(unit.is_same ? DiagnosticKind::newer_unit_of_lines : DiagnosticKind::unknown_unit_of_lines,
                       unit_of(unit, *first));
  const bool lacks_blank = unit.newer == unit.known.substr(1);
  for (const PrintedLine& line : plan.lines)
    if (has_unit(line, unit))
      plan.report(lacks_blank ? DiagnosticKind::no_blank_before_unit : DiagnosticKind::wrong_unit,
                  number_of(plan, unit, line));
}

template <class Row>
void report_units_of_headers(DraftPlan& plan, const ColumnTable<Row>& table) {
  for (const PrintedColumn& column : table.columns)
    if (column.id != ColumnId::unknown && form_of_header(column.header.text, table.kOfRanks) == nullptr)
      plan.report(plan.may_be_newer() ? DiagnosticKind::newer_unit_of_column : DiagnosticKind::wrong_unit_of_column,
                  column.header);
}

void report_unit_of_storage(DraftPlan& plan, std::ptrdiff_t in_gib) {
  if (in_gib == 0) return;
  const auto& table = plan.tables;
  const auto column = std::ranges::find(table.columns, ColumnId::storage, &PrintedColumn::id);
  if (column != table.columns.end() && plan.may_be_newer() && 2 * in_gib > std::ssize(table.rows))
    return plan.report(DiagnosticKind::newer_unit_of_storage, column->header);
  for (const PrintedTable& row : table.rows)
    if (row.in_gib) plan.report(DiagnosticKind::wrong_unit, row.hbm);
}

}  // namespace

bool is_unit_changed(std::span<const PrintedLine> lines, const NewerUnit& unit) {
  constexpr std::size_t kFewest = 4;
  std::size_t newer = 0, known = 0;
  for (const PrintedLine& line : lines) {
    if (has_unit(line, unit))
      ++newer;
    else if (line.newer_unit == 0 && line_forms()[line.form].pattern.find(unit.known) != std::string_view::npos)
      ++known;
  }
  return newer >= kFewest && newer > known;
}

void log_detail::report_newer_units(DraftPlan& plan, const TableHints& tables) {
  const auto has_one = [](const PrintedLine& line) { return line.newer_unit != 0; };
  if (std::ranges::any_of(plan.lines, has_one))
    for (const NewerUnit& unit : newer_units()) report_unit_of_lines(plan, unit);
  report_units_of_headers(plan, plan.ranks);
  report_units_of_headers(plan, plan.tables);
  report_unit_of_storage(plan, tables.in_gib);
}

}  // namespace shardstats
