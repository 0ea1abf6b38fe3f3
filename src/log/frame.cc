#include "log/frame.h"

#include <map>
#include <vector>

namespace shardstats::log_detail {
namespace {

constexpr std::ptrdiff_t kFewestCut = 3;  // lines that end at the same column
constexpr std::size_t kLeastCut = 4;      // characters: as many stand behind most rows, and are no text
constexpr std::ptrdiff_t kOneOpenIn = 4;  // one in so many lines may lack its '#' where the others have theirs

// The smallest of them if several are equally frequent.
std::size_t most_frequent(std::vector<std::size_t> values) {
  std::ranges::sort(values);
  std::size_t best = values.front(), most = 0;
  for (auto run = values.begin(); run != values.end();) {
    const auto end = std::upper_bound(run, values.end(), *run);
    const auto times = static_cast<std::size_t>(end - run);
    if (times > most) best = *run;
    most = std::max(most, times);
    run = end;
  }
  return best;
}

}  // namespace

bool was_mended(const Block& block, Mending what) {
  return std::ranges::find(block.mended, what, &Mended::what) != block.mended.end();
}

void BoxFrame::measure() {
  width_ = read_width();
  find_cut();
}

// Off the border that most lines are as long as, or the divider; without one it is the length of most lines that have
// their right '#'.
std::size_t BoxFrame::read_width() const {
  if (const auto border = likeliest_border()) return *border;
  std::vector<std::size_t> lengths;
  std::size_t longest = 0;
  for (const BoxLine& line : block_.lines) {
    const std::string_view text = trim_right(line.text);
    if (const std::string_view dashes = LineText(line).text; is_divider(dashes)) return dashes.size() + kAroundDivider;
    longest = std::max(longest, characters(text));
    if (text.size() > 1 && text.ends_with('#')) lengths.push_back(characters(text));
  }
  return lengths.empty() ? longest : most_frequent(std::move(lengths));
}

std::optional<std::size_t> BoxFrame::likeliest_border() const {
  std::map<std::size_t, std::ptrdiff_t> lines_of;  // by length of a border
  for (const BoxLine& line : block_.lines)
    if (line.text.starts_with("##"))  // few are, so that the ends of the others need not be looked at
      if (const std::size_t length = border_length(line)) lines_of.try_emplace(length, 0);
  if (lines_of.empty()) return std::nullopt;
  if (lines_of.size() > 1)
    for (const BoxLine& line : block_.lines)
      if (const auto of = lines_of.find(characters(trim_right(line.text))); of != lines_of.end()) ++of->second;
  return std::ranges::max_element(lines_of, {}, [](const auto& of) { return of.second; })->first;
}

// Off the title, which stands in the middle of its line: the width as it was printed, give or take one character.
std::optional<std::size_t> BoxFrame::width_by_title() const {
  for (const BoxLine& line : block_.lines)
    if (const LineText split(line); split.text.starts_with(kTitle)) return 2 * split.indent + kTitle.size() + 2;
  return std::nullopt;
}

// Where the lines of the block end if they were cut off there: a border or the divider reaches that column, no line has
// its '#', and the title says that the box was wider. Where that is lost or does not tell, most lines end there, or the
// divider is as long as the border, which the planner prints longer.
bool BoxFrame::is_cut_at(std::size_t longest) const {
  std::size_t border = 0;
  for (const BoxLine& line : block_.lines)
    if (const std::size_t length = border_length(line)) border = length;
  const auto is_at_edge = [=](const BoxLine& line) { return !is_closed(line) && characters(line.text) == longest; };
  const auto ends_there = [=](const BoxLine& line) {
    return is_at_edge(line) && (border == longest || line.text.ends_with(' '));
  };
  const auto has_end = [](const BoxLine& line) {
    return line.text.size() > 1 && is_closed(line) && border_length(line) == 0;
  };
  const std::ptrdiff_t ending = std::ranges::count_if(block_.lines, ends_there);
  const bool are_most = ending >= kFewestCut && 2 * ending > std::ssize(block_.lines);
  const bool is_open = std::ranges::none_of(block_.lines, has_end);
  const bool has_divider = std::ranges::any_of(
      block_.lines, [&](const BoxLine& l) { return is_at_edge(l) && is_divider(LineText(l).text); });
  if (const auto printed = width_by_title(); printed && *printed + 1 >= border) {
    const auto is_text = [&](const BoxLine& line) {
      return is_at_edge(line) && !line.text.ends_with(' ') && !is_divider(LineText(line).text);
    };
    const std::size_t least = std::ranges::any_of(block_.lines, is_text) ? 1 : kLeastCut;
    return *printed >= longest + least && (are_most || (is_open && (border == longest || has_divider)));
  }
  return are_most || (is_open && has_divider && border == longest);
}

void BoxFrame::find_cut() {
  if (was_mended(block_, Mending::frame)) return;
  const auto is_open = [](const BoxLine& line) { return !is_closed(line); };
  const auto is_whole_blank = [](const BoxLine& line) {
    return trim_right(line.text).size() > 1 && border_length(line) == 0 && LineText(line).text.empty();
  };
  const auto first = std::ranges::find_if(block_.lines, is_open);
  has_closed_blank_ = std::ranges::any_of(block_.lines, is_whole_blank);
  if (first == block_.lines.end()) return;
  std::size_t longest = 0;
  for (const BoxLine& line : block_.lines) longest = std::max(longest, characters(line.text));
  const bool is_last = first + 1 == block_.lines.end();
  is_torn_ = !block_.closed && is_open(block_.lines.back());
  if (is_cut_at(longest)) {
    cut_ = longest;
    const BoxLine& line =
        *std::ranges::find(block_.lines, longest, [](const BoxLine& l) { return characters(l.text); });
    plan_.report(DiagnosticKind::cut_lines, cell_at(line, line.text.substr(line.text.size() - 1)));
    return;
  }
  are_most_closed_ = kOneOpenIn * std::ranges::count_if(block_.lines, is_open) < std::ssize(block_.lines);
  if (!is_torn_ || !is_last) plan_.report(DiagnosticKind::no_right_border, start_of(*first));
}

// Where the log ends within the closing border. What is broken goes on in the next line, and short borders on both ends
// are no sign of a cut.
bool BoxFrame::is_cut_border(const BoxLine& line) const {
  const auto length = [](const BoxLine& border) { return trim_right(border.text).size(); };
  return block_.ends_log && block_.opened && block_.closed && cut_ == 0 && &line == &block_.lines.back() &&
         length(line) < width_ && width_ <= length(block_.lines.front());
}

// Says it once: what is printed again has them all as the planner prints them.
void BoxFrame::check_decoration(const BoxLine& line, std::size_t length, std::size_t planned) {
  if (length != planned && cut_ == 0 && !is_cut_border(line))
    plan_.report_once(DiagnosticKind::decoration, start_of(line));
}

// A line may be longer than the box, but then it has no padding.
void BoxFrame::check_long(const BoxLine& line, std::size_t width) {
  const std::string_view text = trim_right(line.text);
  if (text.ends_with(" #")) check_decoration(line, std::max(characters(text), width), width);
}

bool BoxFrame::reaches_cut(const BoxLine& line) const {
  if (is_torn_ && &line == &block_.lines.back()) return true;
  return cut_ != 0 && characters(trim_right(line.text)) >= cut_;
}

void BoxFrame::check_borders() {
  const BoxLine &first = block_.lines.front(), &last = block_.lines.back();
  if (!block_.opened) plan_.report(DiagnosticKind::no_opening_border, start_of(first));
  if (!block_.closed) plan_.report(DiagnosticKind::no_closing_border, start_of(last));
  if (is_cut_border(last)) plan_.report(DiagnosticKind::cut_border, start_of(last));
}

}  // namespace shardstats::log_detail
