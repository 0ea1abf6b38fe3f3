#include "log/draft_plan.h"

#include <algorithm>

#include "log/text.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::log_detail {

std::size_t form_of(LineId id) {
  const auto forms = line_forms();
  return static_cast<std::size_t>(std::ranges::find(forms, id, &LineForm::id) - forms.begin());
}

void DraftPlan::report_once(DiagnosticKind kind, const Cell& where) {
  if (std::ranges::find(reported_once_, kind) != reported_once_.end()) return;
  reported_once_.push_back(kind);
  report(kind, where);
}

void DraftPlan::check_long(const Cell& cell, std::int64_t most, DiagnosticKind beyond) {
  if (!is_whole_number(cell.text)) return;
  if (!parse_integer(cell.text, most)) report_once(beyond, cell);
}

PrintedLine& DraftPlan::add_line(std::size_t form, const BoxLine& from) {
  PrintedLine& added = lines.emplace_back();
  added.id = line_forms()[form].id;
  added.form = static_cast<std::uint16_t>(form);
  added.place = from.place;
  added.first_slot = static_cast<std::uint32_t>(slots.size());
  return added;
}

}  // namespace shardstats::log_detail
