#include "log/mend_lines.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

namespace shardstats::log_detail {
namespace {

using L = LineId;

// The frame, tables, what is unknown; a Top 5 list may have several tables of one name.
constexpr LineId kAnyTimes[] = {L::border,          L::blank,           L::title,          L::divider,
                                L::rank_table,      L::parameter_table, L::top_perf_table, L::top_hbm_table,
                                L::unknown_centred, L::unknown_plain,   L::unknown_nested};
// Once under each heading of an imbalance.
constexpr LineId kOnceInSection[] = {L::total_variation, L::total_distance, L::chi_divergence, L::kl_divergence};
// Once for each kernel or tier.
constexpr LineId kOnceByName[] = {L::kernel_count,   L::kernel_weights,    L::kernel_optimizer,
                                  L::kernel_storage, L::kernel_constraint, L::tier};
constexpr LineId kSectionStarts[] = {L::blank, L::perf_imbalance_heading, L::hbm_imbalance_heading,
                                     L::ddr_imbalance_heading};

bool is_in(std::span<const LineId> ids, LineId id) { return std::ranges::find(ids, id) != ids.end(); }

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
    section += is_in(kSectionStarts, line.id);
    if (is_in(kAnyTimes, line.id)) continue;
    const bool has_name = line.slot_count > 0 && is_in(kOnceByName, line.id);
    keys.push_back({line.id, is_in(kOnceInSection, line.id) ? section : 0,
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
