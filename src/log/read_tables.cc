#include "log/read_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "log/cells.h"
#include "log/columns.h"
#include "log/foreign.h"
#include "log/lists.h"
#include "log/text.h"
#include "shardstats/ascii.h"
#include "shardstats/limits.h"

namespace shardstats::log_detail {
namespace {

constexpr std::size_t kMostStray = 3;  // lines in a row between the rows of a table

// How the cells of a row are read, by column.
template <class Row>
struct ColumnReader {
  ColumnId id;
  bool has_bound;  // of its numbers
  decltype(ColumnCells<Row>::read) read;
};
template <class Row>
using RowReader = std::vector<ColumnReader<Row>>;
template <class Row>
RowReader<Row> row_reader(const std::vector<PrintedColumn>& columns) {
  RowReader<Row> reader;
  reader.reserve(columns.size());
  for (const PrintedColumn& column : columns)
    reader.push_back({column.id, has_bound(column.id), cells_of<Row>(column.id).read});
  return reader;
}

std::string_view header_text(const PrintedColumn& column) { return column.header.text; }

bool begins_header(std::string_view text) {
  return std::ranges::any_of(column_forms(), [=](const ColumnForm& form) { return form.header.starts_with(text); });
}

std::vector<PrintedColumn> read_columns(const BoxLine& header, ColumnEdges& edges) {
  std::vector<PrintedColumn> columns;
  const std::span<const CutCell> cells = edges.cut_header(without_frame(header.text), is_closed(header));
  for (std::size_t c = 0; c < cells.size(); ++c)
    columns.push_back({edges.id(c), cell_at(header, cells[c].text),
                       static_cast<std::uint16_t>(std::min(edges.dashes(c), kWidestBox))});
  return columns;
}

// Where a cell of the row ends.
std::size_t end_in(std::string_view row, std::string_view cell) {
  return static_cast<std::size_t>(cell.data() + cell.size() - row.data());
}

// What stands in the box behind the end of the last cell, if anything does.
inline Cell rest_behind(const BoxLine& line, std::string_view row, std::size_t end) {
  return end < row.size() ? cell_at(line, trim_left(row.substr(end))) : Cell();
}

// The blank line below a table, with a word below none of its headers or with any text behind them all.
bool has_no_cell(std::span<const CutCell> cells) {
  const auto is_there = [](const CutCell& cell) { return !cell.text.empty(); };
  const auto word = std::ranges::find_if(cells, is_there);
  if (word == cells.end()) return true;
  return std::ranges::count_if(cells, is_there) == 1 && !word->whole && word->text.find(' ') == std::string_view::npos;
}

bool is_list_beyond(ColumnId id, std::string_view text) {
  return (id == ColumnId::batch_sizes && is_batch_list_beyond(text)) ||
         (id == ColumnId::ranks && is_rank_list_beyond(text));
}

// The rule row below a header, without the column that was cut off in its first dashes.
std::string_view rule_below(const BoxLine& line, const BoxFrame& frame) {
  const std::string_view rule = line.text;
  const std::size_t dashes = rule.size() - (rule.find_last_not_of('-') + 1);
  return dashes < kShortestRule && frame.reaches_cut(line) ? trim_right(rule.substr(0, rule.size() - dashes)) : rule;
}

// Where the first cell of a row starts and the last one ends.
struct CellsOfRow {
  std::size_t start = 0, end = 0;
};

// Whose a line is that has the shape of a row.
enum class LineOf : std::uint8_t { table, others, end };

// Reads one table from its header on. Local to this file, so that what is done for each row is inlined.
template <class Row>
class OneTable {
 public:
  OneTable(TablesSoFar& tables, std::size_t at, ColumnTable<Row>& table, std::vector<Cell>& texts)
      : tables_(tables),
        lines_(tables.block.lines),
        frame_(tables.frame),
        plan_(tables.plan),
        header_(lines_[at]),
        table_(table),
        texts_(texts),
        at_(at),
        edges_(rule_below(lines_[at + 1], frame_), kIsRankTable, tables.block.is_plain) {}

  // How many lines it has; 0: the first one is no header.
  std::size_t read() {
    const std::size_t first = at_;
    if (frame_.cut() != 0) edges_.cut_off_at(frame_.cut());
    if (!read_header()) return 0;
    for (const BoxLine& line : std::span(lines_).subspan(at_, 2)) frame_.check_padding(line);
    at_ += 2;
    if (table_.rows.empty()) {
      const std::size_t rows = count_rows();
      table_.rows.reserve(rows);
      texts_.reserve(rows);
    }
    reader_ = row_reader<Row>(table_.columns);
    read_rows();
    return at_ - first;
  }

 private:
  static constexpr bool kIsRankTable = ColumnTable<Row>::kOfRanks;

  bool read_header() {
    std::vector<PrintedColumn> columns = read_columns(header_, edges_);
    // Where the header was lost, the line above the rule is something else.
    if (std::ranges::count(columns, ColumnId::unknown, &PrintedColumn::id) * 2 > std::ssize(columns)) return false;
    if (table_.printed) {
      if (!std::ranges::equal(table_.columns, columns, {}, header_text, header_text)) return false;
      plan_.report(DiagnosticKind::repeated_table, start_of(header_));
      return true;
    }
    table_.printed = true;
    table_.place = header_.place;
    table_.columns = std::move(columns);
    report_unknown();
    for (const PrintedColumn& column : table_.columns)
      frame_.check_decoration(lines_[at_ + 1], column.dashes, dashes_of(column, kIsRankTable));
    if (edges_.is_squeezed()) plan_.report(DiagnosticKind::squeezed, start_of(header_));
    plan_.add_line(form_of(kIsRankTable ? LineId::rank_table : LineId::parameter_table), header_);
    return true;
  }

  // The last column of lines that were cut off may be a known one; a squeezed header of several words is cut apart.
  void report_unknown() {
    for (const PrintedColumn& column : table_.columns) {
      const bool is_last = &column == &table_.columns.back();
      if (column.id != ColumnId::unknown || (frame_.cut() != 0 && is_last)) continue;
      if (is_last && !is_closed(header_) && begins_header(column.header.text))
        plan_.report(DiagnosticKind::cut_headers, column.header);
      else
        plan_.report(DiagnosticKind::unknown_column, column.header);
    }
    if (frame_.cut() != 0 || edges_.is_squeezed() || !is_closed(header_)) return;
    const std::string_view row = without_frame(header_.text);
    if (const Cell rest = rest_behind(header_, row, end_in(row, table_.columns.back().header.text)))
      plan_.report(DiagnosticKind::header_without_dashes, rest);
  }

  std::size_t count_rows() const {
    std::size_t end = at_;
    while (end < lines_.size() && edges_.is_row(lines_[end].text)) ++end;
    return end - at_;
  }

  void read_rows() {
    for (; at_ < lines_.size(); ++at_) {
      const BoxLine& line = lines_[at_];
      const std::string_view row = without_frame(line.text);
      const bool closed = is_closed(line);
      if (!edges_.is_row(row) || (edges_.is_squeezed() && !closed && is_closed(header_))) {
        if (!is_stray()) break;
        report_stray(line);
        continue;
      }
      if (is_full(line)) continue;
      frame_.check_padding(line);
      CellsOfRow cells;
      const LineOf kind = read_row(line, row, cells);
      if (kind == LineOf::others) continue;
      if (kind == LineOf::end && is_repeated_rule(line)) continue;
      if (kind == LineOf::end) break;
      if constexpr (!kIsRankTable) {
        tables_.hints.add(table_.rows.back());
        tables_.ranks_in_lists.add(table_.rows.back());
      }
      if (const Cell rest = closed ? rest_behind(line, row, cells.end) : Cell())
        plan_.report(DiagnosticKind::behind_last_column, rest);
      texts_.push_back(cell_at(line, row.substr(cells.start)));
    }
  }

  bool is_full(const BoxLine& line) {
    if (std::ssize(table_.rows) < (kIsRankTable ? kMostRanks : kMostTables)) return false;
    plan_.report_once(kIsRankTable ? DiagnosticKind::many_rank_rows : DiagnosticKind::many_table_rows, start_of(line));
    return true;
  }

  // A line between two rows that is none: one without its right '#', or any where a row without a fault follows.
  bool is_stray() {
    const std::size_t end = std::min(at_ + 1 + kMostStray, lines_.size());
    for (std::size_t i = at_ + 1; i < end; ++i)
      if (edges_.is_row(without_frame(lines_[i].text)))
        return (!LineText(lines_[at_]).text.empty() && !is_closed(lines_[at_])) || has_good_cells_only(lines_[i]);
    return false;
  }

  bool has_good_cells_only(const BoxLine& line) {
    const std::string_view row = without_frame(line.text);
    Row ignored;
    return edges_.are_whole(row) && read_good_cells(line, row, ignored) == reader_.size();
  }

  // Has it cells, and none with the form of its column? Any word may be the name of a table.
  bool has_bad_cells_only(const BoxLine& line, std::span<const CutCell> cells) const {
    Row ignored;
    bool has_bad = false;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c].text.empty() || reader_[c].id == ColumnId::fqn) continue;
      if (cells[c].whole && reader_[c].read(cells[c].text, line, ignored)) return false;
      has_bad = true;
    }
    return has_bad;
  }

  void report_stray(const BoxLine& line) {
    const LineText split(line);
    if (split.row.starts_with("#    ") || (edges_.is_squeezed() && begins_as_row_of_rank(split.text)))
      plan_.report(DiagnosticKind::short_row, cell_at(line, split.text));
    else
      plan_.report(DiagnosticKind::foreign_in_table, cell_at(line, split.text));
  }

  bool is_repeated_rule(const BoxLine& line) {
    if (!is_rule(line.text)) return false;
    plan_.report(DiagnosticKind::repeated_dashes, cell_at(line, trim_left(line.text.substr(1))));
    return true;
  }

  // Most rows have no odd cell. `all` is set for a row of the table.
  LineOf read_row(const BoxLine& line, std::string_view row, CellsOfRow& all) {
    Row& into = table_.rows.emplace_back();
    const bool are_whole = edges_.are_whole(row);
    const std::size_t good = are_whole ? read_good_cells(line, row, into) : 0;
    all = are_whole ? CellsOfRow{edges_.start_of_whole(), edges_.end_of_whole()}
                    : CellsOfRow{skip_blanks(row, 1), row.size()};
    if (good < reader_.size()) {
      const std::span<const CutCell> cells = edges_.cut(row, is_closed(line));
      if (const LineOf whose = whose_is(line, cells, are_whole); whose != LineOf::table) {
        table_.rows.pop_back();
        return whose;
      }
      read_odd_row(line, cells, good);
      const std::string_view last = cells.back().text;
      if (!last.empty()) all.end = end_in(row, last);
    }
    // The readers of cells take the bytes of a line for neighbours, which those of a transcript need not be.
    if (line.transcript != nullptr)
      each_cell(into, [&](Cell& cell) {
        if (cell.text.data() != nullptr) cell = cell_at(line, cell.text);  // empty ones have a place, too
      });
    return LineOf::table;
  }

  // Whose a line with an odd cell is. `are_whole`: its cells stand where those of a row do.
  LineOf whose_is(const BoxLine& line, std::span<const CutCell> cells, bool are_whole) {
    if (is_rule(line.text) || (ends_table() && has_no_cell(cells))) return LineOf::end;
    // The sums of all rows are kept as a line that nobody knows.
    if (ends_table() && is_closed(line) && is_of_all_rows(cells)) return LineOf::end;
    if (are_whole || may_be_cut_off() || !has_bad_cells_only(line, cells)) return LineOf::table;
    if (stands_for_blank_line()) return LineOf::end;
    plan_.report(DiagnosticKind::malformed_row, cell_at(line, trim_left(without_frame(line.text).substr(1))));
    return LineOf::others;
  }

  // "Total" and its like below the last row, where the number of a rank or the sharding type of a table should be.
  bool is_of_all_rows(std::span<const CutCell> cells) const {
    constexpr std::array<std::string_view, 10> kWords = {"total", "totals",  "sum", "all", "overall",
                                                         "mean",  "average", "avg", "max", "min"};
    const std::string_view name = cells.front().text;
    const auto is_name = [&](std::string_view word) { return equal_without_case(name, word); };
    if (std::ranges::none_of(kWords, is_name)) return false;
    if (kIsRankTable) return true;
    const auto sharding = std::ranges::find(reader_, ColumnId::sharding, &ColumnReader<Row>::id);
    return sharding != reader_.end() && cells[static_cast<std::size_t>(sharding - reader_.begin())].text.empty();
  }

  bool ends_table() const { return at_ + 1 < lines_.size() && !edges_.is_row(without_frame(lines_[at_ + 1].text)); }
  bool may_be_cut_off() const { return frame_.cut() != 0 || at_ + 1 == lines_.size(); }
  // The planner prints one below the last row, and text below that.
  bool stands_for_blank_line() const { return ends_table() && !LineText(lines_[at_ + 1]).text.empty(); }

  // Up to the first cell that does not have the form of its column; how many. Kept apart, so that what it needs stays
  // in registers.
  [[gnu::noinline]] std::size_t read_good_cells(const BoxLine& line, std::string_view row, Row& into) {
    WholeCells cells = edges_.whole_cells(row);
    for (const ColumnReader<Row>& column : reader_) {
      const bool is_good =
          column.read(cells.next(), line, into) && !(column.has_bound && tables_.bounds.is_beyond(column.id, into));
      if (!is_good) return static_cast<std::size_t>(&column - reader_.data());
    }
    return reader_.size();
  }

  // From the first odd cell on.
  void read_odd_row(const BoxLine& line, std::span<const CutCell> cells, std::size_t first) {
    const auto row = static_cast<std::uint32_t>(table_.rows.size() - 1);
    Row& into = table_.rows.back();
    const bool lacks_end = frame_.lacks_border(line);  // cells that may be empty are lost, too
    Cell first_lost;
    for (std::size_t c = first; c < cells.size(); ++c) {
      const Cell cell = cell_at(line, cells[c].text);
      const ColumnId id = reader_[c].id;
      const bool is_behind_lost = first_lost.place != Place{} && !first_lost;
      const bool is_lost = cell.text.empty() && (lacks_end || is_behind_lost);
      const bool is_read = cells[c].whole && !is_lost && reader_[c].read(cell.text, line, into);
      if (is_read && !tables_.bounds.is_beyond(id, into)) continue;
      table_.odd.push_back({row, static_cast<std::uint16_t>(c), cell});
      if (id == ColumnId::unknown || is_read) continue;
      if (frame_.cut() != 0 && !cells[c].whole) continue;
      if (cells[c].whole && cell && is_list_beyond(id, cell.text))
        plan_.report_once(DiagnosticKind::large_in_list, cell);
      else if (cells[c].whole && cell)
        plan_.report(DiagnosticKind::malformed_cell, cell);
      else if (first_lost.place == Place{})
        first_lost = cell;
    }
    // One cell that is missing or out of place mostly takes all that follow with it, so the row is reported once.
    if (first_lost.place != Place{})
      plan_.report(first_lost ? DiagnosticKind::cut_row : DiagnosticKind::missing_cells,
                   first_lost ? first_lost : start_of(line));
  }

  TablesSoFar& tables_;
  const std::vector<BoxLine>& lines_;
  BoxFrame& frame_;
  DraftPlan& plan_;
  const BoxLine& header_;
  ColumnTable<Row>& table_;
  std::vector<Cell>& texts_;
  std::size_t at_;
  ColumnEdges edges_;
  RowReader<Row> reader_;
};

// A newer release may have another column in front.
bool is_rank_header(std::string_view header) {
  return header.starts_with("Rank ") || header.find("HBM (GB) ") != std::string_view::npos ||
         header.find("HBM (GiB) ") != std::string_view::npos;
}

// A table that stops at its rule row; where the block was cut off, that is reported already.
template <class Row>
bool lacks_rows(const ColumnTable<Row>& table, const Block& block) {
  return table.printed && table.rows.empty() && block.closed;
}

}  // namespace

// A header row is recognised by the rule row below it.
std::size_t read_table(TablesSoFar& tables, std::size_t at) {
  const auto& lines = tables.block.lines;
  if (at + 1 >= lines.size() || !is_rule(rule_below(lines[at + 1], tables.frame))) return 0;
  return is_rank_header(LineText(lines[at]).text) ? OneTable(tables, at, tables.plan.ranks, tables.rank_rows).read()
                                                  : OneTable(tables, at, tables.plan.tables, tables.table_rows).read();
}

void mend_tables(TablesSoFar& tables) {
  DraftPlan& plan = tables.plan;
  if (lacks_rows(plan.ranks, tables.block))
    plan.report(DiagnosticKind::no_rank_rows, plan.ranks.columns.front().header);
  tables.ranks_in_lists.add_lines(plan);
  mend_rank_rows(tables.rank_rows, tables.ranks_in_lists, plan);
  tables.bounds.check_unplaced();
  const PrintedLine* heading = plan.find(LineId::parameter_info);
  if (lacks_rows(plan.tables, tables.block))
    plan.report(DiagnosticKind::no_table_rows, plan.tables.columns.front().header);
  else if (heading != nullptr && !plan.tables.printed && tables.block.closed)
    plan.report(DiagnosticKind::no_parameter_table, {"Parameter Info:", heading->place});
  mend_table_rows(tables.table_rows, plan);
}

}  // namespace shardstats::log_detail
