#include "report/columns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "report/width.h"
#include "report/words.h"

namespace shardstats {
namespace {

constexpr std::size_t kBetweenColumns = 2;  // in front of each column
constexpr std::size_t kBelowTitles = 2;     // of what is below a name, besides
constexpr std::size_t kLeastTitle = 20;     // columns that the end of a name needs to be of use

std::size_t columns_taken(std::span<const std::size_t> widths) {
  return std::accumulate(widths.begin(), widths.end(), kBetweenColumns * widths.size());
}

// The cells from `begin` to `end`, as far as the row has them; that of column `left` to the left, others to the right.
std::string cells_text(const std::vector<std::string>& row, const std::vector<std::size_t>& widths, std::size_t begin,
                       std::size_t end, std::size_t left = 0) {
  std::string line;
  for (std::size_t i = begin; i < std::min(end, row.size()); ++i) {
    const std::string cell = with_its_end(row[i], widths[i], "...");
    line += std::string(kBetweenColumns, ' ') + (i == left ? padded(cell, widths[i]) : right_aligned(cell, widths[i]));
  }
  return line;
}

// Where the lines end that the columns from `begin` on need, if `taken` columns come before them there.
std::vector<std::size_t> line_ends(std::span<const std::size_t> widths, std::size_t begin, std::size_t taken,
                                   std::size_t most) {
  std::vector<std::size_t> ends;
  std::size_t used = taken;
  for (std::size_t i = begin; i < widths.size(); ++i) {
    if (used > taken && used + kBetweenColumns + widths[i] > most) {
      ends.push_back(i);
      used = taken;
    }
    used += kBetweenColumns + widths[i];
  }
  ends.push_back(widths.size());
  return ends;
}

void add_line(std::string line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  if (!line.empty()) out += line + "\n";
}

}  // namespace

Widths widths_of(const Rows& rows) {
  Widths widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

std::vector<std::size_t> Columns::even_ends(const Widths& widths, std::size_t taken, std::size_t most) const {
  std::vector<std::size_t> even = line_ends(widths, titles_, taken, most);
  for (std::size_t less = most; less > taken; --less) {
    std::vector<std::size_t> shorter = line_ends(widths, titles_, taken, less);
    if (shorter.size() > even.size()) break;
    even = std::move(shorter);
  }
  return even;
}

void Columns::write_broken_rows(Widths widths, std::size_t most, std::string& out) const {
  for (std::size_t i = 0; i < titles_; ++i) widths[i] = std::min(widths[i], most - kBetweenColumns);
  const std::vector<std::size_t> title_ends = line_ends(std::span(widths).first(titles_), 0, 0, most);
  const std::vector<std::size_t> ends = even_ends(widths, kBelowTitles, most);
  for (const auto& row : rows_) {
    std::size_t begin = 0;
    for (const std::size_t end : title_ends) {
      add_line(cells_text(row, widths, begin, end, begin), out);
      begin = end;
    }
    for (const std::size_t end : ends) {
      add_line(std::string(kBelowTitles, ' ') + cells_text(row, widths, begin, end), out);
      begin = end;
    }
  }
}

void Columns::write_broken_table(const Widths& widths, std::size_t most, std::string& out) const {
  std::size_t begin = titles_;
  for (const std::size_t end : even_ends(widths, columns_taken(std::span(widths).first(titles_)), most)) {
    if (begin > titles_) out += "\n";
    for (const auto& row : rows_)
      if (begin == titles_ || row.size() > begin)
        add_line(cells_text(row, widths, 0, titles_) + cells_text(row, widths, begin, end), out);
    begin = end;
  }
}

void Columns::write(const TextStyle& style, std::string& out) const {
  const auto most = style.terminal ? static_cast<std::size_t>(style.width) : std::numeric_limits<std::size_t>::max();
  Widths widths = widths_of(rows_);
  const std::size_t whole = columns_taken(widths), excess = whole - std::min(whole, most);
  const bool fits = excess == 0 || widths.front() >= kLeastTitle + excess;
  if (!fits)
    return columns_taken(std::span(widths).first(titles_)) > most / 2 ? write_broken_rows(std::move(widths), most, out)
                                                                      : write_broken_table(widths, most, out);
  widths.front() -= excess;
  for (const auto& row : rows_) add_line(cells_text(row, widths, 0, row.size()), out);
}

}  // namespace shardstats
