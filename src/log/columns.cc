#include "log/columns.h"

#include <algorithm>

#include "log/text.h"

namespace shardstats::log_detail {
namespace {

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

// Few lines do, so that most need not be trimmed.
bool starts_with_dash(std::string_view box_line) {
  const std::size_t first = skip_blanks(box_line, 1);
  return first < box_line.size() && box_line[first] == '-';
}

// Dash runs and nothing else, the first of them not before `least`.
bool has_only_rules(std::string_view row, std::size_t least) {
  std::size_t at = skip_blanks(row, 1), runs = 0;
  if (at < least) return false;
  while (at < row.size()) {
    const std::size_t end = std::min(row.find_first_not_of('-', at), row.size());
    if (end - at < kShortestRule) return false;
    ++runs;
    at = skip_blanks(row, end);
  }
  return runs > 1;
}

bool begins_with_sharding(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  return std::ranges::any_of(kShardingNames, [word](std::string_view name) { return name == word; });
}

// Length of the cell of a column at the start of what is left of a squeezed row.
std::size_t squeezed_length(ColumnId id, std::string_view text) {
  const auto up_to = [text](std::size_t at) { return std::min(at, text.size()); };
  std::size_t end = up_to(text.find(' '));
  switch (id) {
    case ColumnId::shards:
    case ColumnId::batch_sizes:
      return text.size();
    case ColumnId::storage:
      return up_to(text.find(')')) + (text.find(')') < text.size() ? 1 : 0);
    case ColumnId::hbm:
    case ColumnId::ddr:
    case ColumnId::perf:
    case ColumnId::table_perf:
    case ColumnId::emb_dim:
      if (text.substr(end).starts_with(" (")) end = std::min(up_to(text.find(')', end)) + 1, text.size());
      return end;
    case ColumnId::fqn:  // a name may have blanks; the sharding type follows it
      while (end < text.size() && !begins_with_sharding(text.substr(end + 1))) end = up_to(text.find(' ', end + 1));
      return end < text.size() ? end : up_to(text.find(' '));
    case ColumnId::ranks:
      return text.starts_with('[') && text.find(']') < text.size() ? text.find(']') + 1 : end;
    default:
      return end;
  }
}

bool begins_longer_header(std::string_view header, bool rank_table) {
  return std::ranges::any_of(column_forms(rank_table), [=](const ColumnForm& form) {
    return form.header.size() > header.size() && form.header.starts_with(header);
  });
}

// "HBM (GiB)" is "HBM (GB)".
ColumnId column_id(std::string_view header, bool rank_table) {
  if (const ColumnForm* known = form_of_header(header, rank_table)) return known->id;
  for (const NewerUnit& unit : newer_units()) {
    const std::string_view newer = unit.newer.substr(1);
    const std::size_t at = header.find(newer);
    if (!unit.is_same || !unit.newer.starts_with(' ') || at == std::string_view::npos) continue;
    const std::string in_known = std::string(header).replace(at, newer.size(), unit.known.substr(1));
    const ColumnForm* known = form_of_header(in_known, rank_table);
    return known == nullptr ? ColumnId::unknown : known->id;
  }
  return ColumnId::unknown;
}

}  // namespace

const ColumnForm* form_of_header(std::string_view header, bool rank_table) {
  const auto forms = column_forms(rank_table);
  const auto form = std::ranges::find(forms, header, &ColumnForm::header);
  return form == forms.end() ? nullptr : &*form;
}

std::size_t dashes_of(const PrintedColumn& column, bool rank_table) {
  if (column.id == ColumnId::unknown) return column.dashes;  // also one that lost its header
  const ColumnForm* form = form_of_header(column.header.text, rank_table);
  return form != nullptr && form->id == column.id ? static_cast<std::size_t>(form->dashes) : column.dashes;
}

bool is_rule_row(std::string_view box_line) {
  return starts_with_dash(box_line) && has_only_rules(without_frame(box_line), 1 + kColumnGap);
}

bool is_squeezed_rule_row(std::string_view box_line) {
  if (!box_line.starts_with("# -")) return false;
  const std::string_view row = without_frame(box_line);
  return row.starts_with("# -") && row.find("  ") == std::string_view::npos && has_only_rules(row, 2);
}

ColumnEdges::ColumnEdges(std::string_view rule, bool rank_table, bool are_ascii)
    : rank_table_(rank_table), are_ascii_(are_ascii), is_squeezed_(is_squeezed_rule_row(rule)) {
  for (std::size_t at = rule.find('-'); at != std::string_view::npos && count_ < kMostColumns;
       at = rule.find('-', right_[count_++])) {
    right_[count_] = std::min(rule.find_first_not_of('-', at), rule.size());
    dashes_[count_] = right_[count_] - at;
  }
  mark_edges();
}

void ColumnEdges::mark_edges() {
  const std::size_t words = count_ == 0 ? 0 : right_[count_ - 1] / kMarks + 1;
  edge_marks_.resize(words);
  printed_.resize(words);
  const auto look_at = [&](std::size_t at, bool printed) {
    const std::uint64_t bit = std::uint64_t{1} << (at % kMarks);
    edge_marks_[at / kMarks].looked_at |= bit;
    if (printed) edge_marks_[at / kMarks].printed |= bit;
  };
  std::size_t left = 1;
  for (std::size_t c = 0; c < count_; ++c) {
    for (std::size_t gap = 0; gap < kColumnGap; ++gap) look_at(left + gap, false);
    left = right_[c];
    look_at(left - 1, true);
    look_at(left, false);
  }
}

bool ColumnEdges::are_whole(std::string_view row) {
  if (is_squeezed_ || cut_off_ <= row.size()) return false;
  const std::size_t words = edge_marks_.size(), whole = std::min(row.size() / kMarks, words);
  if (!are_ascii_ && !is_ascii(row.substr(0, words * kMarks))) return false;
  std::uint64_t other = 0;
  const auto take = [&](std::size_t word, std::uint64_t printed) {
    printed_[word] = printed;
    other |= (printed & edge_marks_[word].looked_at) ^ edge_marks_[word].printed;
  };
  for (std::size_t word = 0; word < whole; ++word) take(word, marks_of(row.data() + word * kMarks));
  for (std::size_t word = whole; word < words; ++word) take(word, marks_at(row, word * kMarks));
  return other == 0;
}

std::span<const CutCell> ColumnEdges::cut(std::string_view row, bool closed) {
  if (is_squeezed_) {
    cut_squeezed(row);
  } else if (const Offsets edges = byte_edges(row); !cut_at(edges, row)) {
    // At the end of a row that was cut off stands a piece of a cell, which the gaps would take for a whole one.
    if (!closed || !cut_at_gaps(row)) cut_at(edges, row);
  }
  return {cells_.data(), count_};
}

std::span<const CutCell> ColumnEdges::cut_header(std::string_view row, bool closed) {
  if (is_squeezed_)
    cut_squeezed_header(row);
  else
    cut(row, closed);
  for (std::size_t c = 0; c < count_; ++c) {
    const ColumnId id = column_id(cells_[c].text, rank_table_);
    const bool stands_twice = std::find(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(c), id) !=
                              ids_.begin() + static_cast<std::ptrdiff_t>(c);
    ids_[c] = stands_twice ? ColumnId::unknown : id;
  }
  // No table of any release ends in "Input": it is a piece of "Input (MB)", and below it stand pieces of numbers.
  if (!closed && count_ > 0 && begins_longer_header(cells_[count_ - 1].text, rank_table_))
    ids_[count_ - 1] = ColumnId::unknown;
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
  if (cut_off_ <= row.size())
    for (std::size_t c = 0; c < count_; ++c) cells_[c].whole = cells_[c].whole && right[c] < cut_off_;
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

void ColumnEdges::cut_squeezed(std::string_view row) {
  std::size_t at = std::min<std::size_t>(2, row.size());
  for (std::size_t c = 0; c < count_; ++c) {
    const std::size_t length = squeezed_length(ids_[c], row.substr(at));
    const bool is_last = c + 1 == count_, ends = at + length == row.size() || row[at + length] == ' ';
    cells_[c] = {row.substr(at, is_last ? row.size() - at : length), is_last || ends};
    at = std::min(at + length + (ends ? 1 : 0), row.size());
  }
}

// Headers have blanks too: at each place the longest known one counts; a word that begins none is an unknown column.
void ColumnEdges::cut_squeezed_header(std::string_view row) {
  std::size_t at = std::min<std::size_t>(2, row.size());
  for (std::size_t c = 0; c < count_; ++c) {
    const std::string_view rest = row.substr(at);
    std::size_t length = 0;
    for (const ColumnForm& form : column_forms(rank_table_))
      if (rest.starts_with(form.header)) length = std::max(length, form.header.size());
    if (length == 0) length = std::min(rest.find(' '), rest.size());
    cells_[c] = {rest.substr(0, length), true};
    at = std::min(at + length + 1, row.size());
  }
}

}  // namespace shardstats::log_detail
