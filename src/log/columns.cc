#include "log/columns.h"

#include <algorithm>

#include "log/text.h"

namespace shardstats::log_detail {
namespace {

constexpr std::size_t kShortestRule = 3;
constexpr std::string_view kGap = "   ";
static_assert(kGap.size() == kColumnGap);

bool ends_cell(std::string_view row, std::size_t right) { return right == row.size() || row[right] == ' '; }

// The cell between two edges: what stands there, and whether it ends at the right one and keeps its distance to the
// left.
CutCell cell_between(std::string_view row, std::size_t left, std::size_t right) {
  const std::size_t end = std::min(right, row.size());
  const std::size_t start = left < end ? skip_blanks(row, left) : end;
  if (start >= end) return {row.substr(end, 0), true};
  const std::string_view text = trim_right(row.substr(start, end - start));
  return {text, start + text.size() == right && start >= left + kColumnGap && ends_cell(row, right)};
}

}  // namespace

bool is_rule_row(std::string_view box_line) {
  const std::string_view row = without_frame(box_line);
  std::size_t at = skip_blanks(row, 1), runs = 0;
  if (at < 1 + kColumnGap) return false;
  while (at < row.size()) {
    const std::size_t end = std::min(row.find_first_not_of('-', at), row.size());
    if (end - at < kShortestRule) return false;
    ++runs;
    at = skip_blanks(row, end);
  }
  return runs > 1;
}

ColumnEdges::ColumnEdges(std::string_view rule) {
  for (std::size_t at = rule.find('-'); at != std::string_view::npos && count_ < kMostColumns;
       at = rule.find('-', right_[count_++])) {
    right_[count_] = std::min(rule.find_first_not_of('-', at), rule.size());
    dashes_[count_] = right_[count_] - at;
  }
}

bool ColumnEdges::is_row(std::string_view row) const {
  return row.starts_with("#    ") && row.size() > right_[0] - dashes_[0];
}

std::span<const CutCell> ColumnEdges::cut(std::string_view row, bool closed) {
  const bool ascii = is_ascii(row);
  const auto cut_at_edges = [&] { return ascii ? cut_at(right_, row) : cut_at(byte_edges(row), row); };
  // At the end of a row that was cut off stands a piece of a cell, which the gaps would take for a whole one.
  if (!cut_at_edges() && !(closed && cut_at_gaps(row))) cut_at_edges();
  return {cells_.data(), count_};
}

ColumnEdges::Offsets ColumnEdges::byte_edges(std::string_view row) const {
  Offsets edges{};
  std::size_t column = 0, character = 0;
  for (std::size_t i = 0; i < row.size() && column < count_; ++i) {
    if (is_continuation(row[i])) continue;
    if (character++ == right_[column]) edges[column++] = i;
  }
  // What lies behind the end stays behind it by as many bytes as characters.
  for (; column < count_; ++column) edges[column] = row.size() + (right_[column] - std::min(right_[column], character));
  return edges;
}

bool ColumnEdges::cut_at(const Offsets& right, std::string_view row) {
  bool whole = true;
  std::size_t left = 1;
  for (std::size_t c = 0; c < count_; ++c) {
    cells_[c] = cell_between(row, left, right[c]);
    whole = whole && cells_[c].whole;
    left = right[c];
  }
  return whole;
}

bool ColumnEdges::cut_at_gaps(std::string_view row) {
  std::size_t column = 0;
  std::size_t at = skip_blanks(row, 1);
  while (at < row.size()) {
    if (column == count_) return false;
    const std::size_t end = std::min(row.find(kGap, at), row.size());
    cells_[column++] = {row.substr(at, end - at), true};
    at = skip_blanks(row, end);
  }
  return column == count_;
}

}  // namespace shardstats::log_detail
