#include "shardstats/log/render.h"

#include <algorithm>
#include <numeric>

#include "log/cells.h"
#include "log/columns.h"
#include "log/lists.h"
#include "log/match.h"
#include "log/text.h"
#include "shardstats/limits.h"

namespace shardstats {
namespace {

using namespace log_detail;

void pad(std::string& out, std::size_t written, std::size_t width) {
  if (written < width) out.append(width - written, ' ');
}

// The texts of a table's cells one after the other, and what they need to be justified.
struct CellTexts {
  std::string bytes;
  std::vector<std::size_t> ends;        // of each cell in `bytes`
  std::vector<std::size_t> characters;  // of each cell

  void end_cell() {
    const std::size_t start = ends.empty() ? 0 : ends.back();
    ends.push_back(bytes.size());
    characters.push_back(shardstats::characters(std::string_view(bytes).substr(start)));
  }
  std::string_view operator[](std::size_t cell) const {
    const std::size_t start = cell == 0 ? 0 : ends[cell - 1];
    return std::string_view(bytes).substr(start, ends[cell] - start);
  }
};

bool is_lost(const PrintedRank& row) { return row.lost; }
bool is_lost(const PrintedTable&) { return false; }

template <class Row>
CellTexts cell_texts(const ColumnTable<Row>& table) {
  CellTexts cells;
  for (const PrintedColumn& column : table.columns) {
    cells.bytes += column.header.text;
    cells.end_cell();
  }
  for (const PrintedColumn& column : table.columns) {
    cells.bytes.append(dashes_of(column, table.kOfRanks), '-');
    cells.end_cell();
  }
  auto odd = table.odd.begin();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (is_lost(table.rows[row])) continue;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (odd != table.odd.end() && odd->row == row && odd->column == column)
        cells.bytes += (odd++)->cell.text;
      else
        cells_of<Row>(table.columns[column].id).write(table.rows[row], cells.bytes);
      cells.end_cell();
    }
  }
  return cells;
}

// Column widths are those of the longest cell, header and rule included (section 1.4).
std::vector<std::size_t> column_widths(const CellTexts& cells, std::size_t columns) {
  std::vector<std::size_t> widths(columns);
  for (std::size_t i = 0; i < cells.ends.size(); ++i)
    widths[i % columns] = std::max(widths[i % columns], cells.characters[i] + kColumnGap);
  return widths;
}

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

bool is_too_large(std::size_t width, std::size_t rows) { return width > kLargestBlock / (rows + 2); }

template <class Row>
std::size_t row_width(const ColumnTable<Row>& table) {
  return sum_of(column_widths(cell_texts(table), table.columns.size()));
}

// The words "rank" and "ranks" follow from the list behind them.
std::string fill(std::string_view pattern, std::span<const Cell> slots) {
  std::string text;
  std::size_t next = 0;
  while (!pattern.empty()) {
    const PatternPiece piece = next_piece(pattern);
    if (!piece.slot)
      text += piece.text;
    else if (piece.text == "ranks")
      text += next < slots.size() && ranks_in(slots[next].text) > 1 ? "ranks" : "rank";
    else if (next < slots.size())
      text += slots[next++].text;
  }
  return text;
}

// The oldest release that the block may be of; without the head, which tells old ones, the newest.
Release layout_of(const PrintedPlan& plan) {
  return plan.find(LineId::summary) != nullptr ? plan.releases.front() : plan.releases.back();
}

class Renderer {
 public:
  Renderer(const PrintedPlan& plan, std::string& out)
      : plan_(plan),
        out_(out),
        indent_(static_cast<std::size_t>(nested_indent(layout_of(plan)))),
        inner_(plan.width - 2) {}

  // A box has two borders, whatever became of them in the log.
  bool render() {
    const std::size_t start = out_.size();
    if (plan_.lines.empty() || plan_.lines.front().id != LineId::border) border();
    for (const PrintedLine& line : plan_.lines) render_line(line);
    if (plan_.lines.size() < 2 || plan_.lines.back().id != LineId::border) border();
    if (is_too_large_) out_.resize(start);
    return !is_too_large_;
  }

 private:
  void render_line(const PrintedLine& line) {
    switch (line.id) {
      case LineId::border:
        return border();
      case LineId::divider:
        centred(std::string(inner_ - 2, '-'));
        break;
      case LineId::rank_table:
        render_table(plan_.ranks);
        break;
      case LineId::parameter_table:
        render_table(plan_.tables);
        break;
      default:
        render_text(line);
    }
  }

  void border() { out_.append(plan_.width, '#').push_back('\n'); }

  void render_text(const PrintedLine& line) {
    const LineForm& form = line_forms()[line.form];
    const bool has_newer_unit = line.newer_unit != 0 && !is_unknown(line.id);
    const std::string in_newer_unit =
        has_newer_unit ? in_unit(form.pattern, newer_units()[line.newer_unit - 1u]) : std::string();
    const std::string text = fill(has_newer_unit ? in_newer_unit : form.pattern, plan_.slots_of(line));
    switch (form.frame) {
      case Frame::centred:
        return centred(text);
      case Frame::nested:
        return framed(text, indent_, inner_);
      case Frame::wide:
        return framed(text, 1, inner_ + 1);
      default:
        return framed(text, 1, inner_);
    }
  }

  // '#', blanks, the text padded so that everything between the marks is `inner` wide, '#'. Longer texts overflow.
  void framed(std::string_view text, std::size_t blanks, std::size_t inner) {
    out_.push_back('#');
    out_.append(blanks, ' ').append(text);
    pad(out_, blanks + characters(text), inner);
    out_.append("#\n");
  }

  void centred(std::string_view text) {
    const std::size_t length = characters(text);
    framed(text, length < inner_ ? (inner_ - length) / 2 : 0, inner_);
  }

  template <class Row>
  void render_table(const ColumnTable<Row>& table) {
    const std::size_t count = table.columns.size();
    const CellTexts cells = cell_texts(table);
    const std::vector<std::size_t> widths = column_widths(cells, count);
    is_too_large_ = is_too_large_ || is_too_large(std::max(inner_, sum_of(widths)), table.rows.size());
    if (is_too_large_) return;
    for (std::size_t i = 0; i < cells.ends.size(); i += count) {
      out_.append("# ");
      std::size_t written = 1;
      for (std::size_t column = 0; column < count; ++column) {
        pad(out_, cells.characters[i + column], widths[column]);
        out_.append(cells[i + column]);
        written += widths[column];
      }
      pad(out_, written, inner_);
      out_.append("#\n");
    }
  }

  const PrintedPlan& plan_;
  std::string& out_;
  std::size_t indent_;
  std::size_t inner_;  // columns between the '#' marks
  bool is_too_large_ = false;
};

}  // namespace

bool render(const PrintedPlan& plan, std::string& out) {
  constexpr std::size_t kNarrowest = 4;  // "# #" and one character: less is no box
  if (plan.width < kNarrowest || plan.releases.empty()) return true;
  return Renderer(plan, out).render();
}

std::size_t needed_width(const PrintedPlan& plan) {
  constexpr std::size_t kLeast = 90, kAroundRank = 8, kAroundTable = 6;
  std::size_t width = kLeast;
  if (plan.ranks.printed) width = std::max(width, row_width(plan.ranks) + kAroundRank);
  if (plan.tables.printed) width = std::max(width, row_width(plan.tables) + kAroundTable);
  return width;
}

}  // namespace shardstats
