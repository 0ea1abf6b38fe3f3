#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <vector>

#include "fuzz/fuzz.h"

// Absent in a replay, which does not mutate.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t max_size);

namespace shardstats::fuzz {
namespace {

constexpr std::array<std::string_view, 10> kPrefixes = {
    "INFO: ",
    "[rank0]: ",
    "[rank1]: ",
    "2024-05-01 12:00:00,123 INFO stats.py:277 ",
    "I0501 12:00:00.000000 1234 stats.py:277] ",
    "# ",
    "\x1b[32m",
    "  ",
    "{\"m\": \"",
    "\t",
};
constexpr std::array<std::string_view, 16> kNumbers = {"0",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "-1",
                                                       "99999999999999999999",
                                                       "1e+308",
                                                       "1e999",
                                                       "nan",
                                                       "inf",
                                                       "0.0",
                                                       "4294967296",
                                                       "0-16777215",
                                                       "None",
                                                       "1048576",
                                                       "512 * 1048576",
                                                       "0-1"};

class LogMutator {
 public:
  LogMutator(std::string_view log, unsigned seed) : random_(seed) {
    for (std::size_t start = 0; start <= log.size();) {
      const std::size_t end = std::min(log.find('\n', start), log.size());
      lines_.emplace_back(log.substr(start, end - start));
      start = end + 1;
    }
  }

  std::string mutated() {
    using Change = void (LogMutator::*)();
    constexpr std::array<Change, 14> kChanges = {
        &LogMutator::swap_lines,    &LogMutator::double_line,  &LogMutator::drop_line,    &LogMutator::swap_cells,
        &LogMutator::double_cell,   &LogMutator::drop_cell,    &LogMutator::change_digit, &LogMutator::change_number,
        &LogMutator::widen_column,  &LogMutator::prefix_lines, &LogMutator::wrap_lines,   &LogMutator::glue_lines,
        &LogMutator::double_region, &LogMutator::escape_lines,
    };
    for (std::size_t times = 1 + below(3); times > 0; --times) (this->*kChanges[below(kChanges.size())])();
    std::string log;
    for (std::size_t i = 0; i < lines_.size(); ++i) log.append(i == 0 ? "" : "\n").append(lines_[i]);
    return log;
  }

 private:
  // A number in [0, count), 0 for no choice.
  std::size_t below(std::size_t count) { return count < 2 ? 0 : random_() % count; }
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& texts) {
    return texts[below(N)];
  }
  std::size_t line() { return below(lines_.size()); }

  // Where the words of a line start and end; most cells are one word.
  struct Span {
    std::size_t start, end;
  };
  static std::vector<Span> cells_of(const std::string& text) {
    std::vector<Span> cells;
    for (std::size_t at = text.find_first_not_of(' '); at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      cells.push_back({at, end});
      at = text.find_first_not_of(' ', end);
    }
    return cells;
  }

  void swap_lines() { std::swap(lines_[line()], lines_[line()]); }
  void double_line() {
    const std::string copy = lines_[line()];
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line()), copy);
  }
  void drop_line() {
    if (lines_.size() > 1) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(line()));
  }
  void double_region() {
    const std::size_t start = line(), count = std::min(1 + below(8), lines_.size() - start);
    const std::vector<std::string> copy(lines_.begin() + static_cast<std::ptrdiff_t>(start),
                                        lines_.begin() + static_cast<std::ptrdiff_t>(start + count));
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line()), copy.begin(), copy.end());
  }

  void swap_cells() {
    std::string& text = lines_[line()];
    const std::vector<Span> cells = cells_of(text);
    if (cells.size() < 2) return;
    const std::size_t first = below(cells.size() - 1), second = first + 1 + below(cells.size() - first - 1);
    const std::string a = text.substr(cells[first].start, cells[first].end - cells[first].start);
    const std::string b = text.substr(cells[second].start, cells[second].end - cells[second].start);
    text.replace(cells[second].start, b.size(), a);
    text.replace(cells[first].start, a.size(), b);
  }
  void double_cell() {
    std::string& text = lines_[line()];
    const std::vector<Span> cells = cells_of(text);
    if (cells.empty()) return;
    const Span cell = cells[below(cells.size())];
    text.insert(cell.end, "   " + text.substr(cell.start, cell.end - cell.start));
  }
  void drop_cell() {
    std::string& text = lines_[line()];
    const std::vector<Span> cells = cells_of(text);
    if (cells.empty()) return;
    const Span cell = cells[below(cells.size())];
    if (below(2) == 0)
      text.erase(cell.start, cell.end - cell.start);
    else
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(cell.start),
                text.begin() + static_cast<std::ptrdiff_t>(cell.end), ' ');
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  // A digit of the line at or behind a random place; its size if there is none.
  std::size_t digit_in(const std::string& text) {
    std::size_t at = below(text.size());
    while (at < text.size() && !is_digit(text[at])) ++at;
    return at;
  }
  void change_digit() {
    std::string& text = lines_[line()];
    if (const std::size_t at = digit_in(text); at < text.size()) text[at] = static_cast<char>('0' + below(10));
  }
  void change_number() {
    std::string& text = lines_[line()];
    const std::size_t at = digit_in(text);
    if (at >= text.size()) return;
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::string_view number = one_of(kNumbers);
    // In place of the blanks in front of it, so that the column stays where it is.
    std::size_t start = at;
    while (end - start < number.size() && start > 0 && text[start - 1] == ' ') --start;
    text.replace(start, end - start, number);
  }

  void widen_column() {
    const std::size_t column = below(lines_[line()].size() + 1), blanks = 1 + below(4);
    const std::size_t start = line(), count = 1 + below(lines_.size() - start);
    for (std::size_t i = start; i < start + count; ++i)
      if (column < lines_[i].size()) lines_[i].insert(column, blanks, lines_[i][column] == '-' ? '-' : ' ');
  }
  void prefix_lines() {
    const std::string_view prefix = one_of(kPrefixes);
    const std::size_t start = below(2) == 0 ? 0 : line(), every = 1 + below(2);
    for (std::size_t i = start; i < lines_.size(); i += every) lines_[i].insert(0, prefix);
  }
  void wrap_lines() {
    const std::size_t width = 20 + below(200);
    std::vector<std::string> wrapped;
    for (const std::string& text : lines_) {
      wrapped.push_back(text.substr(0, width));
      for (std::size_t at = width; at < text.size(); at += width) wrapped.push_back(text.substr(at, width));
    }
    lines_ = std::move(wrapped);
  }
  void glue_lines() {
    const std::size_t start = line(), count = std::min(2 + below(4), lines_.size() - start);
    for (std::size_t i = 1; i < count; ++i) lines_[start].append(below(2), ' ').append(lines_[start + i]);
    if (count > 1)
      lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(start + 1),
                   lines_.begin() + static_cast<std::ptrdiff_t>(start + count));
  }
  void escape_lines() {
    std::string all = "\"";
    for (const std::string& text : lines_) all.append(text).append("\\n");
    lines_.assign(1, all + "\"");
  }

  std::minstd_rand random_;
  std::vector<std::string> lines_;
};

}  // namespace

std::size_t mutate_log(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string log = LogMutator(text_of(data, size), seed).mutated();
  const std::size_t kept = std::min(log.size(), max_size);
  std::copy_n(log.begin(), kept, data);
  return kept;
}

}  // namespace shardstats::fuzz
