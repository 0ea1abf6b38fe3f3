// Reads a block line by line: the two column tables by their headers and rules, all other lines by the patterns of
// layout.h. Nothing is dropped: what no pattern fits is kept as an unknown line, column or odd cell, and reported.

#include <algorithm>
#include <array>

#include "log/cells.h"
#include "log/match.h"
#include "log/text.h"
#include "shardstats/log/fingerprint.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

using namespace log_detail;

constexpr std::size_t kMostColumns = 64;

bool same_section(Section form, Section current) {
  if (form == Section::perf_imbalance)
    return current == Section::perf_imbalance || current == Section::hbm_imbalance || current == Section::ddr_imbalance;
  return form == current;
}

bool is_rule_row(std::string_view inner) {
  return inner.find("---   ") != std::string_view::npos && inner.find_first_not_of("- ") == std::string_view::npos;
}

// The right edge of each column (in characters of the box line) and the left end of the area it may use.
struct Edges {
  std::array<std::size_t, kMostColumns> right{};
  std::array<std::uint16_t, kMostColumns> dashes{};
  std::size_t count = 0;
  std::size_t left(std::size_t column) const { return column == 0 ? 1 : right[column - 1]; }
};

Edges edges_of(std::string_view rule) {
  Edges edges;
  std::size_t run = 0;
  for (std::size_t i = 1; i <= rule.size() && edges.count < kMostColumns; ++i) {
    if (i < rule.size() && rule[i] == '-') {
      ++run;
    } else if (run > 0) {
      edges.right[edges.count] = i;
      edges.dashes[edges.count++] = static_cast<std::uint16_t>(run);
      run = 0;
    }
  }
  return edges;
}

const ColumnForm* column_form(std::string_view header, bool rank_table) {
  for (const ColumnForm& form : column_forms())
    if (form.rank_table == rank_table && form.header == header) return &form;
  return nullptr;
}

class BlockParser {
 public:
  explicit BlockParser(const Block& block) : block_(block) {}

  PrintedPlan parse() {
    plan_.line = block_.lines.empty() ? 0 : block_.lines.front().place.line;
    read_width();
    for (at_ = 0; at_ < block_.lines.size(); ++at_) read_line(block_.lines[at_]);
    check_frame();
    check_rank_rows();
    plan_.releases = release_candidates(plan_, block_.closed);
    return std::move(plan_);
  }

 private:
  void report(std::string_view rule, Severity severity, Cell where, std::string_view message) {
    plan_.diagnostics.push_back({rule, severity, where, message});
  }

  void read_width() {
    for (const BoxLine& line : block_.lines) {
      const std::string_view text = trim_right(line.text);
      if (text.find_first_not_of('#') != std::string_view::npos) continue;
      plan_.width = text.size();
      return;
    }
    for (const BoxLine& line : block_.lines) plan_.width = std::max(plan_.width, characters(trim_right(line.text)));
  }

  PrintedLine& add_line(LineId id, const BoxLine& line) {
    PrintedLine& added = plan_.lines.emplace_back();
    added.id = id;
    added.place = line.place;
    added.first_slot = static_cast<std::uint32_t>(plan_.slots.size());
    return added;
  }

  void read_line(const BoxLine& line) {
    const std::string_view all = trim_right(line.text);
    if (all.size() > 2 && all.find_first_not_of('#') == std::string_view::npos) {
      add_line(LineId::border, line);
      return;
    }
    const std::string_view inner = inner_text(line.text);
    const std::string_view text = trim_left(inner);
    if (text.empty()) {
      add_line(LineId::blank, line);
      section_ = Section::none;
      return;
    }
    if (starts_table()) return;
    if (text.find_first_not_of('-') == std::string_view::npos && text.size() > 20) {
      add_line(LineId::divider, line);
      return;
    }
    read_text_line(line, inner, text);
  }

  void read_text_line(const BoxLine& line, std::string_view inner, std::string_view text) {
    const auto forms = line_forms();
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const LineForm& form = forms[f];
      if (form.pattern.empty() || form.id >= LineId::unknown_centred) continue;
      if (form.section != Section::none && !same_section(form.section, section_)) continue;
      SlotTexts slots;
      if (!matches(text, form.pattern, slots)) continue;
      take_slots(line, form.id, f, slots);
      if (form.opens != Section::none) section_ = form.opens;
      return;
    }
    read_unknown(line, inner, text);
  }

  void take_slots(const BoxLine& line, LineId id, std::size_t form, const SlotTexts& slots) {
    PrintedLine& added = add_line(id, line);
    added.form = static_cast<std::uint16_t>(form);
    added.slot_count = static_cast<std::uint16_t>(slots.count);
    for (std::size_t i = 0; i < slots.count; ++i) plan_.slots.push_back(cell_at(line, slots.texts[i]));
  }

  Cell cell_at(const BoxLine& line, std::string_view text) const {
    return {text, line.place_of(static_cast<std::size_t>(text.data() - line.text.data()))};
  }

  void read_unknown(const BoxLine& line, std::string_view inner, std::string_view text) {
    const std::size_t indent = inner.size() - text.size();
    const LineId id = indent == 1                  ? LineId::unknown_plain
                      : indent == 3 || indent == 4 ? LineId::unknown_nested
                                                   : LineId::unknown_centred;
    const auto forms = line_forms();
    const auto form = std::find_if(forms.begin(), forms.end(), [&](const LineForm& f) { return f.id == id; });
    SlotTexts slots;
    slots.texts[slots.count++] = text;
    take_slots(line, id, static_cast<std::size_t>(form - forms.begin()), slots);
    report("log.unknown_line", Severity::warning, cell_at(line, text),
           "a line that no known release prints; it is kept but not checked");
  }

  // A header row is recognised by the rule row below it.
  bool starts_table() {
    if (at_ + 1 >= block_.lines.size()) return false;
    const BoxLine &header = block_.lines[at_], &rule = block_.lines[at_ + 1];
    if (rule.text.size() < 8 || rule.text.substr(0, 4) != "#   ") return false;  // rows are indented by three blanks
    if (!is_rule_row(inner_text(rule.text))) return false;
    const Edges edges = edges_of(rule.text);
    const bool rank_table = trim_left(inner_text(header.text)).starts_with("Rank ");
    if (rank_table)
      read_table(header, rule, edges, plan_.ranks, LineId::rank_table);
    else
      read_table(header, rule, edges, plan_.tables, LineId::parameter_table);
    return true;
  }

  template <class Row>
  void read_table(const BoxLine& header, const BoxLine& rule, const Edges& edges, ColumnTable<Row>& table, LineId id) {
    add_line(id, header);
    if (table.printed)
      report("log.duplicate_table", Severity::error, cell_at(header, header.text.substr(0, 1)),
             "this column table stands twice in the block; the rows of both were read");
    if (!table.printed) {
      table.printed = true;
      table.place = header.place;
      read_columns(header, edges, id == LineId::rank_table, table.columns);
      rule_size_ = trim_right(rule.text).size();
    }
    std::size_t i = at_ + 2;
    for (; i < block_.lines.size(); ++i) {
      const BoxLine& line = block_.lines[i];
      if (inner_text(line.text).empty() || !is_row(line, edges)) break;
      read_row(line, edges, table);
    }
    at_ = i - 1;
  }

  // Rows are indented by at least three blanks more than other lines; a border is none.
  static bool is_row(const BoxLine& line, const Edges& edges) {
    return line.text.size() > edges.left(0) + 3 &&
           line.text.substr(1, 3).find_first_not_of(' ') == std::string_view::npos;
  }

  void read_columns(const BoxLine& header, const Edges& edges, bool rank_table, std::vector<PrintedColumn>& columns) {
    for (std::size_t c = 0; c < edges.count; ++c) {
      const Cell cell = cell_text(header, header.text, edges, c);
      const ColumnForm* form = column_form(cell.text, rank_table);
      columns.push_back({form == nullptr ? ColumnId::unknown : form->id, cell, edges.dashes[c]});
      if (form == nullptr)
        report("log.unknown_column", Severity::warning, cell,
               "a column that no known release prints; its cells are kept but not checked");
    }
  }

  // Cells are right-justified; at least three blanks stand in front of each. The first column may hold anything.
  Cell cell_text(const BoxLine& line, std::string_view text, const Edges& edges, std::size_t column) const {
    std::size_t left = edges.left(column), right = edges.right[column];
    if (wide_characters_) {
      left = byte_of_character(text, left);
      right = byte_of_character(text, right);
    }
    right = std::min(right, text.size());
    if (left >= right) return {};
    const std::string_view area = text.substr(left, right - left);
    if (area.back() == ' ') return {};
    std::size_t start = 0;
    if (column == 0) {
      start = leading_blanks(area);
    } else {
      for (std::size_t i = area.size(); i > 0 && start == 0; --i)
        if (area[i - 1] == ' ' && i >= 3 && area[i - 2] == ' ' && area[i - 3] == ' ') start = i;
    }
    return {area.substr(start), line.place_of(left + start)};
  }

  template <class Row>
  void read_row(const BoxLine& line, const Edges& edges, ColumnTable<Row>& table) {
    const std::string_view text = trim_right(line.text);
    wide_characters_ = text.size() != rule_size_ && characters(text) != text.size();
    const auto row = static_cast<std::uint32_t>(table.rows.size());
    Row& into = table.rows.emplace_back();
    for (std::size_t c = 0; c < table.columns.size() && c < edges.count; ++c) {
      const Cell cell = cell_text(line, text, edges, c);
      const ColumnId id = table.columns[c].id;
      if (id != ColumnId::unknown && read_cell(id, cell, into)) continue;
      if (id == ColumnId::unknown || cell) table.odd.push_back({row, static_cast<std::uint16_t>(c), cell});
      if (id != ColumnId::unknown)
        report("log.malformed_cell", Severity::error, cell ? cell : cell_at(line, text.substr(0, 1)),
               cell ? "this cell does not have the form of its column" : "a cell of this row is missing");
    }
    wide_characters_ = false;
  }

  void check_frame() {
    const Cell first =
        block_.lines.empty() ? Cell{} : cell_at(block_.lines.front(), block_.lines.front().text.substr(0, 1));
    const Cell last =
        block_.lines.empty() ? Cell{} : cell_at(block_.lines.back(), block_.lines.back().text.substr(0, 1));
    if (!block_.opened)
      report("log.no_opening_border", Severity::error, first,
             "the block has no opening border; its start may be missing");
    if (!block_.closed)
      report("log.no_closing_border", Severity::error, last,
             "the block has no closing border: it was cut off after this line");
  }

  void check_rank_rows() {
    std::int64_t expected = 0;
    for (const PrintedRank& row : plan_.ranks.rows) {
      const auto number = parse_integer(row.rank.text, 1 << 30);
      if (number && *number != expected)
        report("log.rank_rows", Severity::error, row.rank,
               *number < expected ? "this rank stands twice or out of order"
                                  : "rows of ranks are missing before this one");
      expected = number.value_or(expected) + 1;
    }
  }

  const Block& block_;
  PrintedPlan plan_;
  std::size_t at_ = 0;
  Section section_ = Section::none;
  std::size_t rule_size_ = 0;
  bool wide_characters_ = false;
};

}  // namespace

const PrintedLine* PrintedPlan::find(LineId id) const {
  for (const PrintedLine& candidate : lines)
    if (candidate.id == id) return &candidate;
  return nullptr;
}

Cell PrintedPlan::slot(LineId id, std::size_t i) const {
  const PrintedLine* found = find(id);
  return found == nullptr || i >= found->slot_count ? Cell{} : slots[found->first_slot + i];
}

std::vector<ShardCount> shard_counts(const Cell& shards) {
  std::vector<ShardCount> counts;
  const std::string_view text = shards.text;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t colon = text.find(": ", at);
    if (colon == std::string_view::npos) return {};
    const std::size_t end = std::min(text.find(' ', colon + 2), text.size());
    const auto cell = [&](std::size_t from, std::size_t to) {
      return Cell{text.substr(from, to - from),
                  {shards.place.line, shards.place.column + static_cast<std::uint32_t>(from)}};
    };
    counts.push_back({cell(at, colon), cell(colon + 2, end)});
    if (!parse_integer(counts.back().count.text)) return {};
    at = end + 1;
  }
  return counts;
}

bool parse_ranks(std::string_view text, std::vector<int>& ranks, std::size_t limit) {
  constexpr std::int64_t kHighestRank = 1 << 24;
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    if (text.empty()) return true;
  }
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto first = parse_integer(text.substr(0, dash), kHighestRank);
    const auto last = parse_integer(text.substr(dash + 1), kHighestRank);
    if (!first || !last || *last <= *first || static_cast<std::size_t>(*last - *first) >= limit) return false;
    for (std::int64_t rank = *first; rank <= *last; ++rank) ranks.push_back(static_cast<int>(rank));
    return true;
  }
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto rank = parse_integer(text.substr(0, comma), kHighestRank);
    if (!rank || ranks.size() >= limit) return false;
    ranks.push_back(static_cast<int>(*rank));
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
    text = trim_left(text);
  }
}

bool parse_batch_sizes(std::string_view text, std::vector<std::int64_t>& sizes, std::size_t limit) {
  if (text == "n/a") return true;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view run = trim_left(trim_right(text.substr(0, comma)));
    const std::size_t star = std::min(run.find('*'), run.size());
    const auto size = parse_integer(trim_right(run.substr(0, star)), std::int64_t{1} << 40);
    const auto count = star == run.size() ? 1 : parse_integer(trim_left(run.substr(star + 1)), 1 << 20);
    if (!size || !count || sizes.size() + static_cast<std::size_t>(*count) > limit) return false;
    sizes.insert(sizes.end(), static_cast<std::size_t>(*count), *size);
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

PrintedPlan parse(const Block& block) { return BlockParser(block).parse(); }

}  // namespace shardstats
