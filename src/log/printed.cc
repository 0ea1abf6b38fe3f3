#include "shardstats/log/printed.h"

#include <algorithm>

namespace shardstats {

namespace {

// Kept apart, so that what it needs is not saved and restored for each name that ends otherwise.
[[gnu::noinline]] bool ends_in_parts(std::string_view fqn, std::string_view name) {
  if (!fqn.ends_with(name)) return false;
  return fqn.size() == name.size() || fqn[fqn.size() - name.size() - 1] == '.';
}

}  // namespace

bool is_named(std::string_view fqn, std::string_view name) {
  // Names of tables mostly differ in their last characters.
  const bool may_end_so = name.empty() || (!fqn.empty() && fqn.back() == name.back());
  return may_end_so && ends_in_parts(fqn, name);
}

const PrintedLine* PrintedPlan::find(LineId id) const {
  const auto found = std::ranges::find(lines, id, &PrintedLine::id);
  return found == lines.end() ? nullptr : &*found;
}

Cell PrintedPlan::slot(LineId id, std::size_t i) const {
  const auto slot_of = [&](const PrintedLine& of, std::size_t at) {
    return at < of.slot_count ? slots[of.first_slot + at] : Cell{};
  };
  if (const PrintedLine* found = find(id)) return slot_of(*found, i);
  const auto like = std::ranges::find(lines, id, &PrintedLine::like);
  if (id == LineId::blank || like == lines.end()) return {};
  return slot_of(*like, i + 1);  // behind the whole line
}

std::optional<ByteInterval> PrintedPlan::bytes_in(LineId id, std::size_t i) const {
  return bytes_printed_as(slot(id, i).text, format_of(RoundedNumbers::lines), kGiB);
}

bool PrintedPlan::is_reported(DiagnosticKind kind) const {
  return std::ranges::find(diagnostics, kind, &Diagnostic::kind) != diagnostics.end();
}

bool PrintedPlan::is_rule_reported(DiagnosticKind kind) const {
  return std::ranges::find(diagnostics, diagnostic_form(kind).rule, &Diagnostic::rule) != diagnostics.end();
}

bool PrintedPlan::is_empty() const {
  constexpr std::size_t kPossiblePlans = 1;  // slot of the summary
  return !ranks.printed && (find(LineId::world_size) != nullptr || slot(LineId::summary, kPossiblePlans).text == "0");
}

}  // namespace shardstats
