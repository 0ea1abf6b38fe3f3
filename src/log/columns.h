// Cuts the rows of a column table into cells by the right edges of the rule row (log-format.md section 1.4), or, where
// every run of blanks was squeezed to one, by what the cells of each column look like. Private to src/log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardstats/log/layout.h"
#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

inline constexpr std::size_t kMostColumns = 64;

// "   -----   ----------": dash runs of at least 3, at least two of them, and nothing else. Squeezed: one blank each.
bool is_rule_row(std::string_view box_line);
bool is_squeezed_rule_row(std::string_view box_line);
// How many dashes the planner prints below the header; as many as there are, where no release has it.
std::size_t dashes_of(const PrintedColumn& column, bool rank_table);

// A cell as cut from a row. `whole`: it ends at its column's edge and keeps its distance from the cell before.
struct CutCell {
  std::string_view text;
  bool whole = true;
};

// One cell for each column, valid until the next cut. `whole`: all of them surely are.
struct CutRow {
  std::span<const CutCell> cells;
  bool whole = false;
};

class ColumnEdges {
 public:
  // `rule`: the box line with the dashes.
  ColumnEdges(std::string_view rule, bool rank_table);

  std::size_t count() const { return count_; }
  // What the header names; unknown if no release prints it.
  ColumnId id(std::size_t column) const { return ids_[column]; }
  bool is_squeezed() const { return is_squeezed_; }
  std::size_t dashes(std::size_t column) const { return dashes_[column]; }

  // `row`: the box line without its closing '#' and padding; `closed`: it had one, so it was not cut off. Where cells
  // were shifted, the gaps count if they give all columns.
  CutRow cut(std::string_view row, bool closed);
  // The header row. Must come before the rows, since squeezed cells are told by their columns.
  std::span<const CutCell> cut_header(std::string_view row, bool closed);

  // Lines were cut off at `right`, an offset into the box line: a cell that ends there is not whole.
  void cut_off_at(std::size_t right) { cut_off_ = right; }

  // Is it the line of a row? Those are indented by at least four blanks, other lines with so many end earlier.
  bool is_row(std::string_view row) const;

 private:
  using Offsets = std::array<std::size_t, kMostColumns>;

  // The bytes around the edges that lie in one word of marks: those to look at, and which of them are printed where
  // every cell ends at its edge and keeps its distance to the one before.
  struct EdgeMarks {
    std::uint64_t looked_at = 0, printed = 0;
  };

  void mark_edges();
  // The edges in bytes of a row that has other than ASCII characters.
  Offsets byte_edges(std::string_view row) const;
  // What the bytes of a row are like.
  struct RowMarks {
    bool is_ascii = true;  // as far as the last edge
    bool is_whole = true;  // every cell is there, ends at its edge and keeps its distance
  };
  RowMarks mark(std::string_view row);
  // Of the first printed byte from `at` on; there is one.
  std::size_t next_printed(std::size_t at) const;
  void cut_whole(std::string_view row);
  bool cut_at(const Offsets& right, std::string_view row);
  bool cut_at_gaps(std::string_view row);
  void cut_squeezed(std::string_view row);
  void cut_squeezed_header(std::string_view row);

  bool rank_table_ = false;
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
