#include "log/mend_lines.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace shardstats::log_detail {

namespace {

// How often the planner prints such a line.
enum class Often : std::uint8_t {
  any,         // the frame, tables, what is unknown; a Top 5 list may have several tables of one name
  once,        // in a block
  in_section,  // once under each heading of an imbalance
  by_name,     // once for each kernel or tier
};

Often how_often(LineId id) {
  switch (id) {
    case LineId::border:
    case LineId::blank:
    case LineId::title:
    case LineId::divider:
    case LineId::rank_table:
    case LineId::parameter_table:
    case LineId::top_perf_table:
    case LineId::top_hbm_table:
    case LineId::unknown_centred:
    case LineId::unknown_plain:
    case LineId::unknown_nested:
      return Often::any;
    case LineId::total_variation:
    case LineId::total_distance:
    case LineId::chi_divergence:
    case LineId::kl_divergence:
      return Often::in_section;
    case LineId::kernel_count:
    case LineId::kernel_weights:
    case LineId::kernel_optimizer:
    case LineId::kernel_storage:
    case LineId::kernel_constraint:
    case LineId::tier:
      return Often::by_name;
    default:
      return Often::once;
  }
}

bool begins_section(LineId id) {
  return id == LineId::blank || id == LineId::perf_imbalance_heading || id == LineId::hbm_imbalance_heading ||
         id == LineId::ddr_imbalance_heading;
}

// Lines with one key are one line that stands there several times.
struct LineKey {
  LineId id;
  std::uint32_t section;
  std::string_view name;
  std::uint32_t line;  // index; no part of the key

  auto key() const { return std::tuple(id, section, name); }
};

// Sorted, so that equal keys are neighbours, in the order of their lines.
std::vector<LineKey> line_keys(const PrintedPlan& plan) {
  std::vector<LineKey> keys;
  keys.reserve(plan.lines.size());
  std::uint32_t section = 0;
  for (std::uint32_t i = 0; i < plan.lines.size(); ++i) {
    const PrintedLine& line = plan.lines[i];
    section += begins_section(line.id);
    const Often often = how_often(line.id);
    if (often == Often::any) continue;
    const bool has_name = often == Often::by_name && line.slot_count > 0;
    keys.push_back({line.id, often == Often::in_section ? section : 0,
                    has_name ? plan.slots_of(line).front().text : std::string_view(), i});
  }
  std::ranges::sort(keys, {}, [](const LineKey& key) { return std::tuple(key.key(), key.line); });
  return keys;
}

void report_repeated(DraftPlan& plan, const PrintedLine& first, const PrintedLine& again) {
  const auto a = plan.slots_of(first), b = plan.slots_of(again);
  const auto other = std::ranges::mismatch(b, a, {}, &Cell::text, &Cell::text).in1;
  if (other == b.end())
    plan.report(DiagnosticKind::repeated_line, {{}, again.place});
  else
    plan.report(DiagnosticKind::contradicting_line, *other);
}

void leave_out_repeated(DraftPlan& plan) {
  const std::vector<LineKey> keys = line_keys(plan);
  std::vector<std::uint32_t> repeated;
  for (std::size_t first = 0, i = 1; i < keys.size(); ++i) {
    if (keys[i].key() != keys[first].key()) {
      first = i;
      continue;
    }
    report_repeated(plan, plan.lines[keys[first].line], plan.lines[keys[i].line]);
    repeated.push_back(keys[i].line);
  }
  if (repeated.empty()) return;
  std::ranges::sort(repeated);
  std::vector<PrintedLine> kept;
  for (std::uint32_t line = 0; line < plan.lines.size(); ++line)
    if (!std::ranges::binary_search(repeated, line)) kept.push_back(plan.lines[line]);
  plan.lines = std::move(kept);
}

// Headings with lines of one form below, in the order in which they stand. Where the last line of the first section is
// printed, those above it are its own.
struct Following {
  LineId heading, next, last = LineId::blank;
};
constexpr Following kFollowing[] = {{LineId::perf_imbalance_heading, LineId::hbm_imbalance_heading},
                                    {LineId::hbm_imbalance_heading, LineId::ddr_imbalance_heading},
                                    {LineId::kernel_weights_heading, LineId::kernel_optimizer_heading},
                                    {LineId::planning_heading, LineId::dense_heading, LineId::planning_percent},
                                    {LineId::dense_heading, LineId::kjt_heading, LineId::kjt_storage}};

// An imbalance is printed where some rank has memory of the kind; the number of one rank alone may be wrong.
bool is_always_printed(LineId heading, const PrintedPlan& plan) {
  const bool is_hbm = heading == LineId::hbm_imbalance_heading;
  if (!is_hbm && heading != LineId::ddr_imbalance_heading) return true;
  const auto has_memory = [is_hbm](const PrintedRank& row) {
    const std::string_view text = is_hbm ? row.hbm.text : row.ddr.text;
    return text.find_first_of("123456789") != std::string_view::npos;
  };
  return std::ranges::count_if(plan.ranks.rows, has_memory) > 1;
}

bool is_next_lost(const Following& following, const PrintedPlan& plan) {
  const bool has_last = following.last != LineId::blank && plan.find(following.last);
  return plan.find(following.heading) && !has_last && !plan.find(following.next) &&
         is_always_printed(following.next, plan);
}

// Where the next heading is lost, lines that stand below a heading may be those of the next one.
void leave_unread(DraftPlan& plan, const Following& following) {
  if (!is_next_lost(following, plan)) return;
  const auto heading = std::ranges::find(plan.lines, following.heading, &PrintedLine::id);
  const auto is_below = [](const PrintedLine& line) {
    return line.id == LineId::blank || line_forms()[line.form].section != Section::none;
  };
  const auto end = std::find_if_not(heading + 1, plan.lines.end(), is_below);
  if (end == plan.lines.end() || is_unknown(end->id)) return;  // cut off, or a heading in other words
  const auto first = std::find_if(heading + 1, end, [](const PrintedLine& line) { return line.id != LineId::blank; });
  if (first == end) return;
  plan.report(DiagnosticKind::no_next_heading, {{}, first->place});
  for (auto line = first; line != end; ++line)
    if (line->id != LineId::blank) line->id = LineId::unknown_plain;
}

// Of two lines the first is the one that the heading announces, unless one stands there twice.
bool has_two_storages(const PrintedPlan& plan) {
  const auto is_storage = [](const PrintedLine& line) { return line.id == LineId::dense_storage; };
  const auto first = std::ranges::find_if(plan.lines, is_storage);
  return std::any_of(first, plan.lines.end(), [&](const PrintedLine& line) {
    return is_storage(line) &&
           !std::ranges::equal(plan.slots_of(line), plan.slots_of(*first), {}, &Cell::text, &Cell::text);
  });
}

}  // namespace

bool lacks_heading(const PrintedPlan& plan) {
  return std::ranges::any_of(kFollowing, [&](const Following& following) { return is_next_lost(following, plan); });
}

void mend_lines(DraftPlan& plan) {
  const bool tells_dense = has_two_storages(plan);
  leave_out_repeated(plan);
  for (const Following& following : kFollowing)
    if (following.heading != LineId::dense_heading || !tells_dense) leave_unread(plan, following);
}

}  // namespace shardstats::log_detail
