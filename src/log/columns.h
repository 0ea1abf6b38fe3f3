// Cuts the rows of a column table into cells by the right edges of the rule row (log-format.md section 1.4).
// Private to src/log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardstats::log_detail {

inline constexpr std::size_t kMostColumns = 64;

// "   -----   ----------": dash runs of at least 3, at least two of them, and nothing else.
bool is_rule_row(std::string_view box_line);

// A cell as cut from a row. `whole`: it ends at its column's edge and keeps its distance from the cell before.
struct CutCell {
  std::string_view text;
  bool whole = true;
};

class ColumnEdges {
 public:
  // `rule`: the box line with the dashes.
  explicit ColumnEdges(std::string_view rule);

  std::size_t count() const { return count_; }
  std::size_t dashes(std::size_t column) const { return dashes_[column]; }

  // `row`: the box line without its closing '#' and padding; `closed`: it had one, so it was not cut off. One cell for
  // each column, valid until the next call. Where cells were shifted, the gaps count if they give all columns.
  std::span<const CutCell> cut(std::string_view row, bool closed);

  // Is it the line of a row? Those are indented by at least four blanks, other lines with so many end earlier.
  bool is_row(std::string_view row) const;

 private:
  using Offsets = std::array<std::size_t, kMostColumns>;

  // The edges in bytes of a row that has other than ASCII characters.
  Offsets byte_edges(std::string_view row) const;
  bool cut_at(const Offsets& right, std::string_view row);
  bool cut_at_gaps(std::string_view row);

  Offsets right_{};  // in characters of the box line, just behind the cell
  Offsets dashes_{};
  std::size_t count_ = 0;
  std::array<CutCell, kMostColumns> cells_{};
};

}  // namespace shardstats::log_detail
