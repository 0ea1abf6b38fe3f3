#include "shardstats/log/render.h"

#include <algorithm>

#include "log/cells.h"
#include "log/match.h"
#include "log/text.h"

namespace shardstats {
namespace {

using namespace log_detail;

constexpr std::size_t kColumnGap = 3;

void pad(std::string& out, std::size_t written, std::size_t width) {
  if (written < width) out.append(width - written, ' ');
}

class Renderer {
 public:
  Renderer(const PrintedPlan& plan, std::string& out)
      : plan_(plan), out_(out), indent_(static_cast<std::size_t>(nested_indent(plan.releases.front()))) {}

  void render() {
    for (const PrintedLine& line : plan_.lines) render_line(line);
  }

 private:
  void render_line(const PrintedLine& line) {
    switch (line.id) {
      case LineId::border:
        out_.append(plan_.width, '#').push_back('\n');
        return;
      case LineId::blank:
        framed("", 0, plan_.width - 2);
        return;
      case LineId::divider:
        centred(std::string(plan_.width - 4, '-'));
        return;
      case LineId::rank_table:
        render_table(plan_.ranks);
        return;
      case LineId::parameter_table:
        render_table(plan_.tables);
        return;
      default:
        break;
    }
    const LineForm& form = line_forms()[line.form];
    const std::string text = fill(form.pattern, plan_.slots_of(line));
    switch (form.frame) {
      case Frame::centred:
        centred(text);
        return;
      case Frame::nested:
        framed(text, indent_, plan_.width - 2);
        return;
      case Frame::wide:
        framed(text, 1, plan_.width - 1);
        return;
      default:
        framed(text, 1, plan_.width - 2);
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
    const std::size_t inner = plan_.width - 2, length = characters(text);
    framed(text, length < inner ? (inner - length) / 2 : 0, inner);
  }

  // The words "rank" and "ranks" follow from the list behind them.
  static std::string fill(std::string_view pattern, std::span<const Cell> slots) {
    std::string text;
    std::size_t next = 0;
    while (!pattern.empty()) {
      const PatternPiece piece = next_piece(pattern);
      if (!piece.slot)
        text += piece.text;
      else if (piece.text == "ranks")
        text += next < slots.size() && rank_list_size(slots[next].text) > 1 ? "ranks" : "rank";
      else if (next < slots.size())
        text += slots[next++].text;
    }
    return text;
  }

  // Column widths are those of the longest cell, header and rule included (section 1.4).
  template <class Row>
  void render_table(const ColumnTable<Row>& table) {
    std::vector<std::vector<std::string>> rows(table.rows.size() + 2);
    for (const PrintedColumn& column : table.columns) {
      rows[0].emplace_back(column.header.text);
      rows[1].emplace_back(dashes(column), '-');
    }
    auto odd = table.odd.begin();
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::string& text = rows[r + 2].emplace_back();
        if (odd != table.odd.end() && odd->row == r && odd->column == c)
          text = (odd++)->cell.text;
        else
          write_cell(table.columns[c].id, table.rows[r], text);
      }
    std::vector<std::size_t> widths(table.columns.size());
    for (const auto& row : rows)
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters(row[c]) + kColumnGap);
    for (const auto& row : rows) {
      std::string text;
      for (std::size_t c = 0; c < row.size(); ++c) {
        pad(text, characters(row[c]), widths[c]);
        text += row[c];
      }
      framed(text, 1, plan_.width - 2);
    }
  }

  static std::size_t dashes(const PrintedColumn& column) {
    for (const ColumnForm& form : column_forms())
      if (form.id == column.id && form.header == column.header.text) return static_cast<std::size_t>(form.dashes);
    return characters(column.header.text) + 2;
  }

  const PrintedPlan& plan_;
  std::string& out_;
  std::size_t indent_;
};

}  // namespace

void render(const PrintedPlan& plan, std::string& out) {
  if (plan.width < 4) return;
  Renderer(plan, out).render();
}

}  // namespace shardstats
