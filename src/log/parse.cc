// Reads a block line by line: the two column tables by read_tables.h, all other lines by the patterns of layout.h.
// Nothing is dropped: what no pattern fits is kept as an unknown line, column or odd cell, and reported.

#include <algorithm>
#include <optional>

#include "log/columns.h"
#include "log/draft_plan.h"
#include "log/foreign.h"
#include "log/frame.h"
#include "log/match.h"
#include "log/mend_lines.h"
#include "log/newer_forms.h"
#include "log/newer_units.h"
#include "log/read_tables.h"
#include "log/repeats.h"
#include "log/report_damage.h"
#include "log/text.h"
#include "shardstats/limits.h"
#include "shardstats/log/fingerprint.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

using namespace log_detail;

constexpr std::size_t kHeadLines = 32;  // in which the summary is looked for
constexpr std::size_t kNoForm = std::string_view::npos;
constexpr SlotTexts kWholeLine = {.texts = {}, .count = 1};

bool has_return(std::string_view text) { return text.find('\r') != std::string_view::npos; }

bool same_section(Section form, Section current) {
  if (form == Section::perf_imbalance)
    return current == Section::perf_imbalance || current == Section::hbm_imbalance || current == Section::ddr_imbalance;
  return form == current;
}

// What a whole number of the line may be at most.
std::int64_t most_of(LineId id) {
  switch (id) {
    case LineId::world_size:
      return kMostRanks;
    case LineId::batch_size:
      return kLargestBatch;
    case LineId::kernel_constraints:
    case LineId::kernel_constraint:
    case LineId::kernel_count:
      return kMostTables;
    default:
      return INT64_MAX;
  }
}

class BlockParser {
 public:
  explicit BlockParser(const Block& block) : block_(block) {}

  PrintedPlan parse() {
    plan_.line = block_.lines.front().place.line;
    plan_.transcript = block_.transcript;
    report_damage(block_, plan_);
    frame_.measure();
    plan_.width = frame_.width();
    for (at_ = 0; at_ < block_.lines.size(); ++at_) read_line(block_.lines[at_]);
    frame_.check_borders();
    mend_tables(tables_);
    mend_lines(plan_);
    plan_.releases = release_candidates(plan_, tables_.hints, block_.closed);
    report_newer_units(plan_, tables_.hints);
    find_newer_forms(plan_);
    return std::move(plan_);
  }

 private:
  void read_line(const BoxLine& line) {
    if (const std::size_t length = border_length(line)) {
      plan_.add_line(form_of(LineId::border), line);
      return frame_.check_decoration(line, length, plan_.width);
    }
    const LineText split(line);
    if (split.text.empty()) {
      if (frame_.is_cut_blank(line)) report_cut_row(line);
      plan_.add_line(form_of(LineId::blank), line);
      frame_.check_padding(line);
      section_ = Section::none;
    } else if (const std::size_t lines = read_table(tables_, at_); lines != 0) {
      at_ += lines - 1;
    } else if (is_divider(split.text)) {
      plan_.add_line(form_of(LineId::divider), line);
      frame_.check_decoration(line, split.text.size() + kAroundDivider, plan_.width);
      frame_.check_padding(line);
    } else {
      read_text(line, split);
      const bool is_wide = !plan_.lines.empty() && line_forms()[plan_.lines.back().form].frame == Frame::wide;
      frame_.check_padding(line, is_wide ? 1 : 0);
    }
  }

  void read_text(const BoxLine& line, const LineText& split) {
    SlotTexts slots;
    const bool is_whole = !frame_.reaches_cut(line) && !has_return(split.text);
    const std::size_t form = is_whole ? known_form(split.text, slots) : kNoForm;
    const bool may_be_any = form == kNoForm || line_forms()[form].pattern == "{text}";
    if (is_whole && may_be_any && read_in_newer_unit(line, split)) return;
    if (form == kNoForm)
      read_unknown(line, split);
    else if (frame_.lacks_border(line) && ends_in_value(form, line.text))
      read_cut_value(line, split, form);
    else
      read_known(line, form, slots);
  }

  bool is_open(const LineForm& form) const {
    return !form.pattern.empty() && !is_unknown(form.id) &&
           (form.section == Section::none || same_section(form.section, section_));
  }

  // The form of a line that is known, but for its unit if there is one, and what fills its slots; or kNoForm.
  std::size_t known_form(std::string_view text, SlotTexts& slots, const NewerUnit* unit = nullptr) const {
    for (const LineForm& form : line_forms()) {
      slots.count = 0;
      if (!may_match(text, form.pattern) || !is_open(form)) continue;
      const std::string in_newer_unit = unit == nullptr ? std::string() : in_unit(form.pattern, *unit);
      if (!matches(text, unit == nullptr ? form.pattern : in_newer_unit, slots)) continue;
      // Where it stands again, it is no title: the planner prints one in front of each box.
      if (form.id == LineId::title && plan_.find(LineId::title) != nullptr) continue;
      if (form.frame == Frame::nested && has_more_than_name(slots)) continue;
      return static_cast<std::size_t>(&form - line_forms().data());
    }
    return kNoForm;
  }

  void read_known(const BoxLine& line, std::size_t form, const SlotTexts& slots) {
    add_line(line, form, slots);
    if (line_forms()[form].opens != Section::none) section_ = line_forms()[form].opens;
  }

  // A line that is known but for its unit. Where that is of another size, its numbers are not read.
  bool read_in_newer_unit(const BoxLine& line, const LineText& split) {
    if (was_mended(block_, Mending::frame) || frame_.lacks_border(line)) return false;
    for (const NewerUnit& unit : newer_units()) {
      if (split.text.find(unit.newer) == std::string_view::npos) continue;
      SlotTexts slots, name = kWholeLine;
      const std::size_t form = known_form(split.text, slots, &unit);
      if (form == kNoForm) continue;
      if (slots.count > 0 && line_forms()[form].pattern.starts_with("{text}")) name.add(slots.texts[0]);
      if (unit.is_same)
        read_known(line, form, slots);
      else
        add_unknown(line, split, name);
      PrintedLine& added = plan_.lines.back();
      if (!unit.is_same) added.like = line_forms()[form].id;
      added.newer_unit = static_cast<std::uint8_t>(&unit - newer_units().data() + 1);
      return true;
    }
    return false;
  }

  // Of which more may have followed: a list that has its closing bracket is whole, and so is what has blanks behind it.
  static bool ends_in_value(std::size_t form, std::string_view box_line) {
    return line_forms()[form].pattern.ends_with('}') && !box_line.ends_with(']') && !box_line.ends_with(' ');
  }

  // It is not read: "1" may be the start of "1024".
  void read_cut_value(const BoxLine& line, const LineText& split, std::size_t form) {
    add_unknown(line, split, kWholeLine);
    plan_.lines.back().like = line_forms()[form].id;
    plan_.report(DiagnosticKind::cut_value, cell_at(line, split.text.substr(split.text.rfind(' ') + 1)));
  }

  // Of a rank or a kernel, of which nothing else may tell that there are more.
  void report_cut_row(const BoxLine& line) {
    const LineId above = plan_.lines.empty() ? LineId::border : plan_.lines.back().id;
    if (above == LineId::rank_table)
      plan_.report(DiagnosticKind::rank_may_be_lost, cell_at(line, line.text));
    else if (above == LineId::kernel_count || above == LineId::kernel_count_heading)
      plan_.report(DiagnosticKind::kernel_may_be_lost, cell_at(line, line.text));
  }

  // Below the heading of a list with a line for each kernel.
  bool is_in_kernels() const {
    return section_ == Section::kernel_count || section_ == Section::kernel_storage ||
           section_ == Section::kernel_weights || section_ == Section::kernel_optimizer;
  }

  // Names in nested lines are words, but for a table's that has a run of blanks in its row, too; the cells of a row
  // that got there are further apart, "fused: HBM" is the start of a line whose heading is lost, and what ends in a
  // colon is a heading itself.
  bool has_more_than_name(const SlotTexts& slots) const {
    const std::string_view name = slots.texts[0];
    if (name.find(": HBM") != std::string_view::npos || name.ends_with(':')) return true;
    const auto has_name = [name](const PrintedTable& row) { return is_named(row.fqn.text, name); };
    return name.find(kGap) != std::string_view::npos && std::ranges::none_of(plan_.tables.rows, has_name);
  }

  void add_line(const BoxLine& line, std::size_t form, const SlotTexts& slots) {
    PrintedLine& added = plan_.add_line(form, line);
    added.slot_count = static_cast<std::uint16_t>(slots.count);
    for (std::size_t i = 0; i < slots.count; ++i) {
      plan_.slots.push_back(cell_at(line, slots.texts[i]));
      plan_.check_size(plan_.slots.back(), most_of(added.id), DiagnosticKind::large_number);
    }
  }

  void leave_out(const BoxLine& line, std::string_view text) {
    if (has_cells_of_rank(text)) return plan_.report(DiagnosticKind::other_box, cell_at(line, text));
    plan_.report_once(DiagnosticKind::foreign, cell_at(line, text));
  }

  // Kept with its indentation, so that it can be printed again.
  void read_unknown(const BoxLine& line, const LineText& split) {
    // Without a frame nothing tells the lines of others from those of the box.
    if (was_mended(block_, Mending::frame)) return leave_out(line, split.text);
    const LineId above = plan_.lines.empty() ? LineId::border : plan_.lines.back().id;
    const bool is_cut = frame_.reaches_cut(line);
    SlotTexts slots = kWholeLine;
    const LineId like = is_cut || !is_closed(line) ? LineId::blank : known_but_for_words(split.text, slots);
    const LineId id = add_unknown(line, split, slots);
    plan_.lines.back().like = like;
    is_in_unknown_table_ = is_in_unknown_table_ && is_unknown(above);
    if (is_cut || report_damaged(line, split.text, like)) return;
    report_unknown(line, split.text, above);
    if (id == LineId::unknown_plain && split.text.ends_with(':')) section_ = Section::none;  // another one begins
  }

  // Says what is wrong with a line whose form is known. Returns whether it is one.
  bool report_damaged(const BoxLine& line, std::string_view text, LineId like) {
    if (has_return(text)) {
      plan_.report(DiagnosticKind::carriage_return, cell_at(line, text));
      return true;
    }
    if (is_in_kernels() && frame_.lacks_border(line) && is_cut_in_kernel(text)) {
      plan_.report(DiagnosticKind::cut_kernel, cell_at(line, text));
      if (section_ == Section::kernel_count) plan_.lines.back().like = LineId::kernel_count;
      return true;
    }
    if (like != LineId::blank) {
      plan_.report(DiagnosticKind::unknown_words, cell_at(line, text));
      return true;
    }
    for (const LineForm& form : line_forms()) {
      const std::string_view value = is_open(form) ? damaged_value(text, form.pattern) : std::string_view();
      if (value.empty()) continue;
      plan_.report(DiagnosticKind::malformed_value, cell_at(line, value));
      return true;
    }
    return false;
  }

  // Of no known form: what was lost around it, or that no release prints it.
  void report_unknown(const BoxLine& line, std::string_view text, LineId above) {
    const bool has_dashes = is_rule(line.text);
    if (has_dashes && is_unknown(above)) is_in_unknown_table_ = true;
    if (has_dashes ? !is_unknown(above) : is_row_without_table(text))
      report_stray_row(line, text, DiagnosticKind::no_headers);
    else if (is_row_below_table(text))
      report_stray_row(line, text, DiagnosticKind::row_below_ranks);
    else if (above == LineId::blank && is_of_closed_section(text))
      plan_.report(DiagnosticKind::no_heading, cell_at(line, text));
    else
      plan_.report(DiagnosticKind::unknown_line, cell_at(line, text));
  }

  bool is_row_without_table(std::string_view text) const {
    if (is_in_unknown_table_) return false;
    return (!plan_.ranks.printed && has_cells_of_rank(text)) || (!plan_.tables.printed && has_cells_of_table(text));
  }

  // Where blanks are squeezed, an empty line ends the rank table. A newer release may sum up the rows there.
  bool is_row_below_table(std::string_view text) const {
    return plan_.ranks.printed && is_digit(text.front()) && has_cells_of_rank(text);
  }

  // Says it once: below are more such rows.
  void report_stray_row(const BoxLine& line, std::string_view text, DiagnosticKind kind) {
    if (!is_stray_row_reported_) plan_.report(kind, cell_at(line, text));
    is_stray_row_reported_ = true;
  }

  // As a line that is not known, and which of these it is. `slots`: the first one is for the whole line.
  LineId add_unknown(const BoxLine& line, const LineText& split, SlotTexts slots) {
    const std::size_t inner = plan_.width < 2 ? 0 : plan_.width - 2, length = characters(split.text);
    const bool centred = split.indent > 4 && length < inner && split.indent == (inner - length) / 2;
    const LineId id = centred                              ? LineId::unknown_centred
                      : split.indent == indent_of_nested() ? LineId::unknown_nested
                                                           : LineId::unknown_plain;
    slots.texts[0] = id == LineId::unknown_plain && split.indent > 1 ? split.row.substr(2) : split.text;
    add_line(line, form_of(id), slots);
    return id;
  }

  // Then adds its values to the slots; blank: there is none.
  LineId known_but_for_words(std::string_view text, SlotTexts& slots) const {
    for (const LineForm& form : line_forms()) {
      SlotTexts with_values = slots;
      if (!is_open(form) || !has_new_words(text, form.pattern, with_values)) continue;
      slots = with_values;
      return form.id;
    }
    return LineId::blank;
  }

  // One that begins with words of its own: what stands below the headings of lists may have any.
  bool is_of_closed_section(std::string_view text) const {
    return std::ranges::any_of(line_forms(), [&](const LineForm& form) {
      SlotTexts slots;
      return form.section != Section::none && !form.pattern.starts_with('{') && !is_open(form) &&
             matches(text, form.pattern, slots);
    });
  }

  std::size_t indent_of_nested() const {
    // The summary stands above all else.
    const auto head = std::span(plan_.lines).first(std::min(plan_.lines.size(), kHeadLines));
    const auto summary = std::ranges::find(head, LineId::summary, &PrintedLine::id);
    return static_cast<std::size_t>(
        nested_indent(summary == head.end() ? Release::main_branch : line_forms()[summary->form].since));
  }

  const Block& block_;
  DraftPlan plan_;
  BoxFrame frame_{block_, plan_};
  TablesSoFar tables_{block_, frame_, plan_};
  std::size_t at_ = 0;
  Section section_ = Section::none;
  bool is_stray_row_reported_ = false;
  bool is_in_unknown_table_ = false;  // below a row of dashes that has headers of its own
};

}  // namespace

PrintedPlan parse(const Block& block) {
  const std::optional<Block> own = log_detail::without_foreign(block);
  PrintedPlan plan = BlockParser(own ? *own : block).parse();
  const auto is_note = [](const Diagnostic& found) { return found.severity == Severity::note; };
  if (std::ranges::all_of(plan.diagnostics, is_note)) return plan;
  // Equal measures of two imbalances are no lines that stand twice where the heading between them is lost.
  if (log_detail::lacks_heading(plan)) return plan;
  const auto once = log_detail::without_repeated_runs(own ? *own : block);
  if (!once) return plan;
  plan = BlockParser(once->block).parse();
  for (const BoxLine& line : once->again)
    plan.diagnostics.push_back({diagnostic_form(DiagnosticKind::repeated_run), Cell{{}, line.place}});
  return plan;
}

}  // namespace shardstats
