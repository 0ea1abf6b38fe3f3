// Cuts the rows of a column table into cells by the right edges of the rule row (log-format.md section 1.4), or, where
// every run of blanks was squeezed to one, by what the cells of each column look like. Private to src/log.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "log/marks.h"
#include "shardstats/log/layout.h"
#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

inline constexpr std::size_t kMostColumns = 64;
inline constexpr std::size_t kShortestRule = 3;  // dashes below a header

// "   -----   ----------": dash runs of at least 3, at least two of them, and nothing else. Squeezed: one blank each.
bool is_rule_row(std::string_view box_line);
bool is_squeezed_rule_row(std::string_view box_line);
inline bool is_rule(std::string_view box_line) { return is_rule_row(box_line) || is_squeezed_rule_row(box_line); }
// The form of exactly this header, or null.
const ColumnForm* form_of_header(std::string_view header, bool rank_table);
// How many dashes the planner prints below the header; as many as there are, where no release has it.
std::size_t dashes_of(const PrintedColumn& column, bool rank_table);

// A cell as cut from a row. `whole`: it ends at its column's edge and keeps its distance from the cell before.
struct CutCell {
  std::string_view text;
  bool whole = true;
};

// The first byte from `at` on that is printed, by the marks of a row; there is one.
inline std::size_t first_printed(const std::uint64_t* marks, std::size_t at) {
  std::size_t word = at / kMarks;
  const std::uint64_t rest = marks[word] >> (at % kMarks);
  if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
  while (marks[++word] == 0) {
  }
  return word * kMarks + static_cast<std::size_t>(std::countr_zero(marks[word]));
}

// Cells of a row, each from the first printed byte behind the edge of the one before to its own edge.
class WholeCells {
 public:
  WholeCells(const char* row, const std::uint64_t* marks, const std::size_t* edge)
      : row_(row), marks_(marks), edge_(edge) {}
  std::string_view next() {
    const std::size_t start = first_printed(marks_, left_);
    left_ = *edge_++;
    return {row_ + start, left_ - start};
  }

 private:
  const char* row_;
  const std::uint64_t* marks_;
  const std::size_t* edge_;
  std::size_t left_ = 1;
};

class ColumnEdges {
 public:
  // `rule`: the box line with the dashes. `are_ascii`: all rows are known to be.
  ColumnEdges(std::string_view rule, bool rank_table, bool are_ascii);

  std::size_t count() const { return count_; }
  // What the header names; unknown if no release prints it.
  ColumnId id(std::size_t column) const { return ids_[column]; }
  bool is_squeezed() const { return is_squeezed_; }
  std::size_t dashes(std::size_t column) const { return dashes_[column]; }

  // Is every cell of the row there, ends at its edge and keeps its distance from the one before? `row`: the box line
  // without its closing '#' and padding.
  bool are_whole(std::string_view row);
  // The cells of the row that was last found to have whole ones, one after the other.
  WholeCells whole_cells(std::string_view row) const { return {row.data(), printed_.data(), right_.data()}; }
  // Where the cells of that row start and end.
  std::size_t start_of_whole() const { return first_printed(printed_.data(), 1); }
  std::size_t end_of_whole() const { return right_[count_ - 1]; }
  // Any row: one cell for each column, valid until the next cut. `closed`: it had its '#', so it was not cut off. Where
  // cells were shifted, the gaps count if they give all columns.
  std::span<const CutCell> cut(std::string_view row, bool closed);
  // The header row. Must come before the rows, since squeezed cells are told by their columns.
  std::span<const CutCell> cut_header(std::string_view row, bool closed);

  // Lines were cut off at `right`, an offset into the box line: a cell that ends there is not whole.
  void cut_off_at(std::size_t right) { cut_off_ = right; }

  // Is it the line of a row? Those are indented by at least four blanks, other lines with so many end earlier.
  bool is_row(std::string_view row) const {
    if (is_squeezed_) return row.starts_with("# ") && row.size() > 2;
    return row.starts_with("#    ") && row.size() > right_[0] - dashes_[0];
  }

 private:
  using Offsets = std::array<std::size_t, kMostColumns>;

  // The bytes around the edges that lie in one word of marks: those to look at, and which of them are printed where
  // every cell ends at its edge and keeps its distance to the one before.
  struct EdgeMarks {
    std::uint64_t looked_at = 0, printed = 0;
  };

  void mark_edges();
  // The edges in bytes of a row that may have other than ASCII characters.
  Offsets byte_edges(std::string_view row) const;
  bool cut_at(const Offsets& right, std::string_view row);
  bool cut_at_gaps(std::string_view row);
  void cut_squeezed(std::string_view row);
  void cut_squeezed_header(std::string_view row);

  bool rank_table_ = false;
  bool are_ascii_ = false;
  bool is_squeezed_ = false;
  std::size_t cut_off_ = std::string_view::npos;
  std::array<ColumnId, kMostColumns> ids_{};
  Offsets right_{};  // in characters of the box line, just behind the cell
  Offsets dashes_{};
  std::size_t count_ = 0;
  std::vector<EdgeMarks> edge_marks_;
  std::vector<std::uint64_t> printed_;  // marks of the row
  std::array<CutCell, kMostColumns> cells_{};
};

}  // namespace shardstats::log_detail
