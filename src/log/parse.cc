// Reads a block line by line: the two column tables by their headers and rules, all other lines by the patterns of
// layout.h. Nothing is dropped: what no pattern fits is kept as an unknown line, column or odd cell, and reported.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "input/box.h"
#include "log/cells.h"
#include "log/columns.h"
#include "log/foreign.h"
#include "log/frame.h"
#include "log/lists.h"
#include "log/match.h"
#include "log/mend_lines.h"
#include "log/mend_rows.h"
#include "log/text.h"
#include "shardstats/limits.h"
#include "shardstats/log/fingerprint.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

using namespace log_detail;

constexpr std::size_t kShortestDivider = 20;
constexpr std::size_t kHeadLines = 32;   // in which the summary is looked for
constexpr std::size_t kMostStray = 3;    // lines in a row between the rows of a table
constexpr std::size_t kSafeDigits = 18;  // of a whole number that fits 64 bits whatever they are
// Of whole numbers that are below a bound whatever the digits are.
constexpr std::size_t kDigitsOfTable = 14, kDigitsOfFeatures = 6;
static_assert(kLargestTable >= 100'000'000'000'000 && kMostFeatures >= 1'000'000);

bool same_section(Section form, Section current) {
  if (form == Section::perf_imbalance)
    return current == Section::perf_imbalance || current == Section::hbm_imbalance || current == Section::ddr_imbalance;
  return form == current;
}

constexpr std::string_view kTooLarge = "this number is larger than those which are read; nothing is checked against it";

// What a whole number of the line may be at most.
std::int64_t most_of(LineId id) {
  return id == LineId::world_size ? kMostRanks : id == LineId::batch_size ? kLargestBatch : INT64_MAX;
}

std::size_t form_of(LineId id) {
  const auto forms = line_forms();
  return static_cast<std::size_t>(std::ranges::find(forms, id, &LineForm::id) - forms.begin());
}

// The forms of lines whose text may begin with a character, in their order, by that character: few of all there are.
class FormsByStart {
 public:
  FormsByStart() {
    const auto forms = line_forms();
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const std::string_view pattern = forms[f].pattern;
      if (pattern.empty()) continue;
      const bool is_any = pattern.front() == '{';
      for (std::size_t c = 0; c < sets_.size(); ++c)
        if (is_any || c == static_cast<unsigned char>(pattern.front()))
          sets_[c].at(f / 64) |= std::uint64_t{1} << (f % 64);
    }
  }
  // Calls visit(index of a form) until it returns true; whether it did.
  template <class Visit>
  bool any(char start, Visit visit) const {
    const Set& set = sets_[static_cast<unsigned char>(start)];
    for (std::size_t word = 0; word < set.size(); ++word)
      for (std::uint64_t left = set[word]; left != 0; left &= left - 1)
        if (visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)))) return true;
    return false;
  }

 private:
  using Set = std::array<std::uint64_t, 2>;  // a bit each
  std::array<Set, 256> sets_{};
};

// What was undone or left out, as it is reported.
struct MendingNote {
  Mending what;
  std::string_view rule;
  std::string_view message;
  Severity severity = Severity::note;
};
constexpr std::array kMendingNotes = {
    MendingNote{Mending::prefix, "log.prefix", "the lines stand behind the prefix of a logger, which was taken off"},
    MendingNote{Mending::suffix, "log.suffix", "text behind the right border of the lines was taken off"},
    MendingNote{Mending::encoding, "log.encoding", "the log was UTF-16; places are those of its UTF-8 form"},
    MendingNote{Mending::mark, "log.encoding", "a byte order mark was taken out"},
    MendingNote{Mending::colours, "log.colours", "escape sequences of a terminal were taken out"},
    MendingNote{Mending::blanks, "log.blanks", "tabs, non-breaking blanks or NUL bytes were replaced"},
    MendingNote{Mending::escapes, "log.escapes",
                "the lines were taken out of strings of JSON or Python, or out of HTML"},
    MendingNote{Mending::beside, "log.missing_lines",
                "lines of the block stand beside the strings of this line; they were left out", Severity::error},
    MendingNote{Mending::wrapped, "log.wrapped", "lines were broken at the width of a terminal and joined again"},
    MendingNote{Mending::glued, "log.glued", "several lines stand on one and were cut apart"},
    MendingNote{Mending::interleaved, "log.interleaved", "the lines of several processes are mixed and were sorted"},
    MendingNote{Mending::foreign, "log.foreign_lines", "lines that do not belong to the block were left out"},
    MendingNote{Mending::frame, "log.no_frame", "the '#' on both sides is gone; the text was read without it"},
};

// What is wrong with the compressed log, as it is reported.
struct FaultNote {
  ContentFault fault;
  Severity severity;
  std::string_view message;
};
constexpr std::array kFaultNotes = {
    FaultNote{ContentFault::ends_early, Severity::error, "the compressed log ends early: what followed is lost"},
    FaultNote{ContentFault::broken, Severity::error,
              "the compressed log is broken or ends early: what followed could not be decompressed"},
    FaultNote{ContentFault::checksum, Severity::error,
              "the checksum of the compressed log does not match: all of it may be wrong, and what followed is lost"},
    FaultNote{ContentFault::trailing, Severity::note, "what stands behind the compressed log was left out"},
};

// May a number of the column be larger than those which are read?
bool has_bound(ColumnId id) {
  return id == ColumnId::rank || id == ColumnId::emb_dim || id == ColumnId::hash_size || id == ColumnId::features ||
         id == ColumnId::ranks;
}

// How the cells of a row are read, by column.
template <class Row>
struct ColumnReader {
  ColumnId id;
  bool has_bound;  // of its numbers: see is_beyond()
  CellRead<Row> read;
};
template <class Row>
using RowReader = std::vector<ColumnReader<Row>>;
template <class Row>
RowReader<Row> row_reader(const std::vector<PrintedColumn>& columns) {
  RowReader<Row> reader;
  reader.reserve(columns.size());
  for (const PrintedColumn& column : columns)
    reader.push_back({column.id, has_bound(column.id), cell_read<Row>(column.id)});
  return reader;
}

// Where the first cell of a row starts and the last one ends.
struct CellsOfRow {
  std::size_t start, end;
};

class BlockParser {
 public:
  explicit BlockParser(const Block& block) : block_(block) {}

  PrintedPlan parse() {
    plan_.line = block_.lines.empty() ? 0 : block_.lines.front().place.line;
    plan_.transcript = block_.transcript;
    report_fault();
    report_mendings();
    frame_.measure();
    plan_.width = frame_.width();
    for (at_ = 0; at_ < block_.lines.size(); ++at_) read_line(block_.lines[at_]);
    frame_.check_borders();
    check_rank_rows();
    check_table_rows();
    mend_lines(plan_);
    plan_.releases = release_candidates(plan_, hints_, block_.closed);
    return std::move(plan_);
  }

 private:
  void report(std::string_view rule, Severity severity, Cell where, std::string_view message) {
    plan_.diagnostics.push_back({rule, severity, where, message});
  }

  // At the last line that was decompressed, or at the whole block where nothing is sure.
  void report_fault() {
    if (block_.lines.empty()) return;
    const bool is_everywhere = block_.fault == ContentFault::checksum;
    const BoxLine& line = is_everywhere ? block_.lines.front() : block_.lines.back();
    for (const FaultNote& note : kFaultNotes)
      if (note.fault == block_.fault)
        report("log.compression", note.severity, cell_at(line, line.text.substr(0, 1)), note.message);
  }

  void report_mendings() {
    if (block_.lines.empty()) return;
    // A label alone may stand in anybody's line; with the frame around it, it is the planner's.
    const auto lost = std::ranges::find_if(block_.foreign, [](const BoxLine& line) {
      const std::string_view text = trim_right(line.text);
      return is_closed(line) && text.find('#') + 1 < text.size() && input_detail::labels_in(text) > 0;
    });
    if (lost != block_.foreign.end())
      report("log.foreign_lines", Severity::error, cell_at(*lost, lost->text),
             "this line of a planner block was left out: it does not stand in the same box");
    const BoxLine& first = block_.lines.front();
    for (const MendingNote& note : kMendingNotes)
      for (const Mended& mended : block_.mended)
        if (mended.what == note.what)
          report(note.rule, note.severity, {first.text.substr(0, 1), mended.first}, note.message);
    if (block_.twin && block_.twin->same)
      report("log.twin", Severity::note, cell_at(first, first.text.substr(0, 1)),
             "several processes logged this plan at the same time, line for line");
    else if (block_.twin)
      report("log.twin", Severity::warning, cell_at(first, first.text.substr(0, 1)),
             "several processes logged a plan at the same time, and their lines differ");
  }

  PrintedLine& add_line(LineId id, const BoxLine& line) {
    PrintedLine& added = plan_.lines.emplace_back();
    added.id = id;
    added.form = static_cast<std::uint16_t>(form_of(id));
    added.place = line.place;
    added.first_slot = static_cast<std::uint32_t>(plan_.slots.size());
    return added;
  }

  void read_line(const BoxLine& line) {
    if (is_border(trim_right(line.text))) {
      add_line(LineId::border, line);
      frame_.check_decoration(line, trim_right(line.text).size(), plan_.width);
      return;
    }
    const LineText split(line);
    if (split.text.empty()) {
      add_line(LineId::blank, line);
      frame_.check_padding(line, plan_.width);
      section_ = Section::none;
    } else if (starts_table()) {
      return;
    } else if (split.text.size() > kShortestDivider && is_dashes(split.text)) {
      add_line(LineId::divider, line);
      frame_.check_decoration(line, split.text.size() + kAroundDivider, plan_.width);
      frame_.check_padding(line, plan_.width);
    } else {
      if (frame_.reaches_cut(line) || !read_known(line, split.text)) read_unknown(line, split);
      const bool is_wide = !plan_.lines.empty() && line_forms()[plan_.lines.back().form].frame == Frame::wide;
      frame_.check_padding(line, plan_.width + is_wide);
    }
  }

  bool is_open(const LineForm& form) const {
    return !form.pattern.empty() && !is_unknown(form.id) &&
           (form.section == Section::none || same_section(form.section, section_));
  }

  bool read_known(const BoxLine& line, std::string_view text) {
    static const FormsByStart kForms;
    SlotTexts slots;
    return kForms.any(text.front(), [&](std::size_t f) {
      const LineForm& form = line_forms()[f];
      slots.count = 0;
      if (!is_open(form) || !matches(text, form.pattern, slots)) return false;
      if (form.id == LineId::title && has_title()) return false;
      if (form.frame == Frame::nested && has_more_than_name(slots)) return false;
      take_slots(line, form.id, f, slots);
      if (form.opens != Section::none) section_ = form.opens;
      return true;
    });
  }

  // Where it stands again, it is no title: the planner prints one in front of each box.
  bool has_title() const { return plan_.find(LineId::title) != nullptr; }

  // Names in nested lines are words; the cells of a row that got there are further apart, and "fused: HBM" is the start
  // of a line whose heading is lost.
  static bool has_more_than_name(const SlotTexts& slots) {
    return slots.count > 0 && (slots.texts[0].find("   ") != std::string_view::npos ||
                               slots.texts[0].find(": HBM") != std::string_view::npos);
  }

  void take_slots(const BoxLine& line, LineId id, std::size_t form, const SlotTexts& slots) {
    PrintedLine& added = add_line(id, line);
    added.form = static_cast<std::uint16_t>(form);
    added.slot_count = static_cast<std::uint16_t>(slots.count);
    for (std::size_t i = 0; i < slots.count; ++i) {
      plan_.slots.push_back(cell_at(line, slots.texts[i]));
      check_size(plan_.slots.back(), most_of(id), kTooLarge);
    }
  }

  // Kept with its indentation, so that it can be printed again.
  void read_unknown(const BoxLine& line, const LineText& split) {
    // Without a frame nothing tells the lines of others from those of the box.
    if (was_mended(block_, Mending::frame)) {
      if (!foreign_reported_)
        report("log.foreign_lines", Severity::note, cell_at(line, split.text),
               "lines that do not belong to the block were left out");
      foreign_reported_ = true;
      return;
    }
    const std::size_t inner = plan_.width < 2 ? 0 : plan_.width - 2, length = characters(split.text);
    const bool centred = split.indent > 4 && length < inner && split.indent == (inner - length) / 2;
    const LineId id = centred                              ? LineId::unknown_centred
                      : split.indent == indent_of_nested() ? LineId::unknown_nested
                                                           : LineId::unknown_plain;
    SlotTexts slots;
    slots.texts[slots.count++] = id == LineId::unknown_plain && split.indent > 1 ? split.row.substr(2) : split.text;
    take_slots(line, id, form_of(id), slots);
    if (frame_.reaches_cut(line)) return;
    for (const LineForm& form : line_forms()) {
      const std::string_view value = is_open(form) ? damaged_value(split.text, form.pattern) : std::string_view();
      if (value.empty()) continue;
      report("log.malformed_cell", Severity::error, cell_at(line, value),
             "this value does not have the form that the planner prints in this line");
      return;
    }
    report("log.unknown_line", Severity::warning, cell_at(line, split.text),
           "a line that no known release prints; it is kept but not checked");
  }

  std::size_t indent_of_nested() const {
    // The summary stands above all else.
    const auto head = std::span(plan_.lines).first(std::min(plan_.lines.size(), kHeadLines));
    const auto summary = std::ranges::find(head, LineId::summary, &PrintedLine::id);
    return static_cast<std::size_t>(
        nested_indent(summary == head.end() ? Release::main_branch : line_forms()[summary->form].since));
  }

  // Without the column that was cut off in its first dashes.
  std::string_view rule_below() const {
    const BoxLine& line = block_.lines[at_ + 1];
    const std::string_view rule = line.text;
    const std::size_t dashes = rule.size() - (rule.find_last_not_of('-') + 1);
    return dashes < kShortestRule && frame_.reaches_cut(line) ? trim_right(rule.substr(0, rule.size() - dashes)) : rule;
  }

  // A header row is recognised by the rule row below it.
  bool starts_table() {
    if (at_ + 1 >= block_.lines.size()) return false;
    const std::string_view rule = rule_below();
    if (!is_rule(rule)) return false;
    const bool rank_table = LineText(block_.lines[at_]).text.starts_with("Rank ");
    return rank_table ? read_table(plan_.ranks, LineId::rank_table) : read_table(plan_.tables, LineId::parameter_table);
  }

  template <class Row>
  bool read_table(ColumnTable<Row>& table, LineId id) {
    const BoxLine& header = block_.lines[at_];
    ColumnEdges edges(rule_below(), id == LineId::rank_table);
    if (frame_.cut() != 0) edges.cut_off_at(frame_.cut());
    std::vector<PrintedColumn> columns = read_columns(header, edges);
    // Where the header was lost, the line above the rule is something else.
    if (std::ranges::count(columns, ColumnId::unknown, &PrintedColumn::id) * 2 > std::ssize(columns)) return false;
    if (!table.printed) {
      table.printed = true;
      table.place = header.place;
      table.columns = std::move(columns);
      report_unknown(header, table.columns, edges.is_squeezed());
      for (const PrintedColumn& column : table.columns)
        frame_.check_decoration(block_.lines[at_ + 1], column.dashes, dashes_of(column, id == LineId::rank_table));
      if (edges.is_squeezed())
        report("log.squeezed", Severity::note, cell_at(header, header.text.substr(0, 1)),
               "runs of blanks were squeezed to one; the cells of this table were told by their form");
      add_line(id, header);
    } else if (std::ranges::equal(table.columns, columns, {}, header_text, header_text)) {
      report("log.duplicate_table", Severity::error, cell_at(header, header.text.substr(0, 1)),
             "this column table stands twice in the block; the rows of both were read");
    } else {
      return false;
    }
    for (const BoxLine& line : std::span(block_.lines).subspan(at_, 2)) frame_.check_padding(line, plan_.width);
    at_ += 2;
    std::vector<Cell>& texts = id == LineId::rank_table ? rank_rows_ : table_rows_;
    if (table.rows.empty()) {
      const std::size_t rows = count_rows(edges);
      table.rows.reserve(rows);
      texts.reserve(rows);
    }
    const RowReader<Row> reader = row_reader<Row>(table.columns);
    for (; at_ < block_.lines.size(); ++at_) {
      const BoxLine& line = block_.lines[at_];
      const std::string_view row = without_frame(line.text);
      const bool closed = is_closed(line);
      if (!edges.is_row(row) || (edges.is_squeezed() && !closed && is_closed(header))) {
        if (!is_stray(edges)) break;
        report_stray(line);
        continue;
      }
      if (is_full(table, id, line)) continue;
      frame_.check_padding(line, plan_.width);
      const std::optional<CellsOfRow> cells = read_row(line, row, edges, reader, table);
      if (!cells && is_repeated_rule(line)) continue;
      if (!cells) break;
      look_at(table.rows.back());
      if (closed) report_rest(line, row, cells->end);
      texts.push_back(cell_at(line, row.substr(cells->start)));
    }
    --at_;
    return true;
  }

  template <class Row>
  bool is_full(const ColumnTable<Row>& table, LineId id, const BoxLine& line) {
    const bool rank_table = id == LineId::rank_table;
    if (std::ssize(table.rows) < (rank_table ? kMostRanks : kMostTables)) return false;
    report_bound(cell_at(line, line.text.substr(0, 1)), rank_table ? "the rank table has more rows than are read"
                                                                   : "the parameter table has more rows than are read");
    return true;
  }

  // Only the first of each message: what is beyond a bound may be so a million times.
  void report_bound(Cell where, std::string_view message) {
    if (std::ranges::find(bounds_reported_, message.data()) != bounds_reported_.end()) return;
    bounds_reported_.push_back(message.data());
    report("log.bounds", Severity::error, where, message);
  }

  // A number of the log that does not fit, so that nothing is checked against it.
  void check_size(const Cell& cell, std::int64_t most, std::string_view message) {
    const bool is_short = cell.text.size() <= kSafeDigits && most == INT64_MAX;
    if (is_short || skip_digits(cell.text, 0) != cell.text.size() || cell.text.empty()) return;
    if (!parse_integer(cell.text, most)) report_bound(cell, message);
  }

  // A line without its right '#' between two rows.
  bool is_stray(const ColumnEdges& edges) const {
    const std::size_t end = std::min(at_ + 1 + kMostStray, block_.lines.size());
    for (std::size_t i = at_ + 1; i < end; ++i)
      if (edges.is_row(without_frame(block_.lines[i].text)))
        return !LineText(block_.lines[at_]).text.empty() && !is_closed(block_.lines[at_]);
    return false;
  }

  void report_stray(const BoxLine& line) {
    const LineText split(line);
    if (split.row.starts_with("#    "))
      report("log.malformed_cell", Severity::error, cell_at(line, split.text),
             "this line is too short for a row of the table around it; it was left out");
    else
      report("log.foreign_lines", Severity::note, cell_at(line, split.text),
             "this line does not belong to the table around it; it was left out");
  }

  // What stands behind the last cell of a closed row but in the box.
  void report_rest(const BoxLine& line, std::string_view row, std::size_t end) {
    if (end >= row.size()) return;
    report("log.malformed_cell", Severity::error, cell_at(line, trim_left(row.substr(end))),
           "this text stands behind the last column of the table");
  }

  std::size_t count_rows(const ColumnEdges& edges) const {
    std::size_t end = at_;
    while (end < block_.lines.size() && edges.is_row(block_.lines[end].text)) ++end;
    return end - at_;
  }

  static std::string_view header_text(const PrintedColumn& column) { return column.header.text; }

  static std::vector<PrintedColumn> read_columns(const BoxLine& header, ColumnEdges& edges) {
    std::vector<PrintedColumn> columns;
    const std::span<const CutCell> cells = edges.cut_header(without_frame(header.text), is_closed(header));
    for (std::size_t c = 0; c < cells.size(); ++c)
      columns.push_back({edges.id(c), cell_at(header, cells[c].text),
                         static_cast<std::uint16_t>(std::min(edges.dashes(c), kWidestBox))});
    return columns;
  }

  // The last column of lines that were cut off may be a known one; a squeezed header of several words is cut apart.
  void report_unknown(const BoxLine& header, const std::vector<PrintedColumn>& columns, bool is_squeezed) {
    for (const PrintedColumn& column : columns)
      if (column.id == ColumnId::unknown && !(frame_.cut() != 0 && &column == &columns.back()))
        report("log.unknown_column", Severity::warning, column.header,
               "a column that no known release prints, or prints once; its cells are kept but not checked");
    if (frame_.cut() != 0 || is_squeezed || !is_closed(header)) return;
    const std::string_view row = without_frame(header.text), last = columns.back().header.text;
    const std::string_view rest =
        trim_left(row.substr(static_cast<std::size_t>(last.data() + last.size() - row.data())));
    if (!rest.empty())
      report("log.unknown_column", Severity::warning, cell_at(header, rest),
             "a header behind those that have dashes below; what it names is not read");
  }

  // What is asked of all rows together.
  void look_at(const PrintedRank&) {}
  void look_at(const PrintedTable& row) {
    hints_.add(row);
    ranks_in_lists_.add(row);
  }

  // Most rows have no odd cell. nullopt: it is no row.
  template <class Row>
  std::optional<CellsOfRow> read_row(const BoxLine& line, std::string_view row, ColumnEdges& edges,
                                     const RowReader<Row>& reader, ColumnTable<Row>& table) {
    Row& into = table.rows.emplace_back();
    const bool are_whole = edges.are_whole(row);
    const std::size_t good = are_whole ? read_good_cells(line, row, edges, reader, into) : 0;
    CellsOfRow all = are_whole ? CellsOfRow{edges.start_of_whole(), edges.end_of_whole()}
                               : CellsOfRow{skip_blanks(row, 1), row.size()};
    if (good < reader.size()) {
      const std::span<const CutCell> cells = edges.cut(row, is_closed(line));
      if (is_rule(line.text) || (ends_table(edges) && has_no_cell(cells))) {
        table.rows.pop_back();
        return std::nullopt;
      }
      read_odd_row(line, cells, good, reader, table);
      const std::string_view last = cells.back().text;
      if (!last.empty()) all.end = static_cast<std::size_t>(last.data() + last.size() - row.data());
    }
    // The readers of cells take the bytes of a line for neighbours, which those of a transcript need not be.
    if (line.transcript != nullptr)
      each_cell(into, [&](Cell& cell) {
        if (cell.text.data() != nullptr) cell = cell_at(line, cell.text);  // empty ones have a place, too
      });
    return all;
  }

  static bool is_rule(std::string_view box_line) { return is_rule_row(box_line) || is_squeezed_rule_row(box_line); }

  bool is_repeated_rule(const BoxLine& line) {
    if (!is_rule(line.text)) return false;
    report("log.repeated_lines", Severity::error, cell_at(line, trim_left(line.text.substr(1))),
           "the line below the headers of the table stands here again");
    return true;
  }

  // The blank line below a table, with a word below none of its headers or with any text behind them all.
  static bool has_no_cell(std::span<const CutCell> cells) {
    const auto is_there = [](const CutCell& cell) { return !cell.text.empty(); };
    const auto word = std::ranges::find_if(cells, is_there);
    if (word == cells.end()) return true;
    return std::ranges::count_if(cells, is_there) == 1 && !word->whole &&
           word->text.find(' ') == std::string_view::npos;
  }
  bool ends_table(const ColumnEdges& edges) const {
    return at_ + 1 < block_.lines.size() && !edges.is_row(without_frame(block_.lines[at_ + 1].text));
  }

  // Up to the first cell that does not have the form of its column; how many. Kept apart, so that what it needs stays
  // in registers.
  template <class Row>
  [[gnu::noinline]] std::size_t read_good_cells(const BoxLine& line, std::string_view row, const ColumnEdges& edges,
                                                const RowReader<Row>& reader, Row& into) {
    WholeCells cells = edges.whole_cells(row);
    for (const ColumnReader<Row>& column : reader) {
      const bool is_good = column.read(cells.next(), line, into) && !(column.has_bound && is_beyond(column.id, into));
      if (!is_good) return static_cast<std::size_t>(&column - reader.data());
    }
    return reader.size();
  }

  // From the first odd cell on.
  template <class Row>
  void read_odd_row(const BoxLine& line, std::span<const CutCell> cells, std::size_t first,
                    const RowReader<Row>& reader, ColumnTable<Row>& table) {
    const auto row = static_cast<std::uint32_t>(table.rows.size() - 1);
    Row& into = table.rows.back();
    Cell first_lost;
    for (std::size_t c = first; c < cells.size(); ++c) {
      const Cell cell = cell_at(line, cells[c].text);
      const ColumnId id = reader[c].id;
      const bool is_read = cells[c].whole && reader[c].read(cell.text, line, into);
      if (is_read && !is_beyond(id, into)) continue;
      table.odd.push_back({row, static_cast<std::uint16_t>(c), cell});
      if (id == ColumnId::unknown || is_read) continue;
      if (frame_.cut() != 0 && !cells[c].whole) continue;
      if (cells[c].whole && cell && is_list_beyond(id, cell.text))
        report_bound(cell, "a number of this cell is larger than those which are read");
      else if (cells[c].whole && cell)
        report("log.malformed_cell", Severity::error, cell, "this cell does not have the form of its column");
      else if (first_lost.place == Place{})
        first_lost = cell;
    }
    // One cell that is missing or out of place mostly takes all that follow with it, so the row is reported once.
    if (first_lost.place != Place{})
      report("log.malformed_cell", Severity::error, first_lost ? first_lost : cell_at(line, line.text.substr(0, 1)),
             first_lost ? "from this cell on the row is cut off or does not stand below its headers"
                        : "cells of this row are missing");
  }

  static bool is_list_beyond(ColumnId id, std::string_view text) {
    return (id == ColumnId::batch_sizes && is_batch_list_beyond(text)) ||
           (id == ColumnId::ranks && is_rank_list_beyond(text));
  }

  bool is_beyond(ColumnId id, PrintedRank& row) {
    if (id == ColumnId::rank) check_size(row.rank, kMostRanks - 1, "a rank that is larger than those which are read");
    return false;
  }

  // Once its rows and columns are read. A product has no more digits than its factors.
  void check_elements(const PrintedTable& row) {
    if (row.hash_size.text.size() + row.emb_dim.text.size() <= kDigitsOfTable) return;
    check_size(row.hash_size, INT64_MAX, kTooLarge);
    const auto cols = parse_integer(row.emb_dim.text);
    if (cols && *cols > 0)
      check_size(row.hash_size, kLargestTable / *cols, "a table of more elements than are rebuilt");
  }

  bool is_beyond(ColumnId id, PrintedTable& row) {
    switch (id) {
      case ColumnId::emb_dim:
        check_size(row.emb_dim, INT64_MAX, kTooLarge);
        check_size(row.cw_dim, INT64_MAX, kTooLarge);
        return false;
      case ColumnId::hash_size:
        check_elements(row);
        return false;
      case ColumnId::features:
        if (row.features.text.size() > kDigitsOfFeatures)
          check_size(row.features, kMostFeatures, "more features than are read");
        return false;
      case ColumnId::ranks:
        return has_shards_beyond(row);
      default:
        return false;
    }
  }

  // The cell is taken out of the row if all shards together were too many.
  bool has_shards_beyond(PrintedTable& row) {
    const std::int64_t more = ranks_in(row.ranks.text);
    if (more <= kMostShards - shards_) {
      shards_ += more;
      return false;
    }
    report_bound(row.ranks, "from this list on the tables have more shards than are read");
    row.ranks = {};
    return true;
  }

  // A table that stops at its rule row; where the block was cut off, that is reported already.
  template <class Row>
  bool lacks_rows(const ColumnTable<Row>& table) const {
    return table.printed && table.rows.empty() && block_.closed;
  }

  void check_rank_rows() {
    if (lacks_rows(plan_.ranks))
      report("log.rank_rows", Severity::error, plan_.ranks.columns.front().header, "the rank table has no rows");
    ranks_in_lists_.add_lines(plan_);
    mend_rank_rows(rank_rows_, ranks_in_lists_, plan_);
  }

  // Where no rank is printed, the shards follow from the world size.
  void check_unplaced() {
    const auto world_size = parse_integer(plan_.slot(LineId::world_size).text, kMostRanks);
    if (plan_.ranks.printed || !world_size) return;
    for (const PrintedTable& row : plan_.tables.rows) {
      shards_ += most_shards(row, *world_size);
      if (shards_ <= kMostShards) continue;
      report_bound(row.emb_dim, "from this table on the tables have more shards than are rebuilt");
      return;
    }
  }

  void check_table_rows() {
    check_unplaced();
    const PrintedLine* heading = plan_.find(LineId::parameter_info);
    if (lacks_rows(plan_.tables))
      report("log.malformed_cell", Severity::error, plan_.tables.columns.front().header,
             "the parameter table has no rows");
    else if (heading != nullptr && !plan_.tables.printed && block_.closed)
      report("log.malformed_cell", Severity::error, {"Parameter Info:", heading->place},
             "the parameter table that this line announces is missing");
    mend_table_rows(table_rows_, plan_);
  }

  const Block& block_;
  PrintedPlan plan_;
  BoxFrame frame_{block_, plan_.diagnostics};
  std::size_t at_ = 0;
  Section section_ = Section::none;
  bool foreign_reported_ = false;
  std::vector<const char*> bounds_reported_;  // their messages
  std::int64_t shards_ = 0;                   // of the tables so far
  TableHints hints_;
  RanksInLists ranks_in_lists_;
  std::vector<Cell> rank_rows_, table_rows_;  // their texts, without frame and padding
};

}  // namespace

bool is_named(std::string_view fqn, std::string_view name) {
  // Names of tables mostly differ in their last characters.
  const bool may_end_so = name.empty() || (!fqn.empty() && fqn.back() == name.back());
  if (!may_end_so || !fqn.ends_with(name)) return false;
  return fqn.size() == name.size() || fqn[fqn.size() - name.size() - 1] == '.';
}

const PrintedLine* PrintedPlan::find(LineId id) const {
  const auto found = std::ranges::find(lines, id, &PrintedLine::id);
  return found == lines.end() ? nullptr : &*found;
}

Cell PrintedPlan::slot(LineId id, std::size_t i) const {
  const PrintedLine* found = find(id);
  return found == nullptr || i >= found->slot_count ? Cell{} : slots[found->first_slot + i];
}

bool PrintedPlan::is_reported(std::string_view rule) const {
  return std::ranges::find(diagnostics, rule, &Diagnostic::rule) != diagnostics.end();
}

bool PrintedPlan::is_empty() const {
  constexpr std::size_t kPossiblePlans = 1;  // slot of the summary
  return !ranks.printed && (find(LineId::world_size) != nullptr || slot(LineId::summary, kPossiblePlans).text == "0");
}

PrintedPlan parse(const Block& block) {
  const std::optional<Block> own = log_detail::without_foreign(block);
  return BlockParser(own ? *own : block).parse();
}

}  // namespace shardstats
