#include "input/returns.h"

#include <algorithm>
#include <string_view>

#include "input/box.h"
#include "input/rewrite.h"

namespace shardstats::input_detail {
namespace {

// A progress bar has '#', too.
bool is_bar(std::string_view text) { return !text.ends_with('#') && text.find("%|") != kNowhere; }

// A whole line of a box of that width? A run of '#', also in front of it, may be a bar.
bool is_kept_line(std::string_view text, std::size_t width) {
  const std::size_t box = text.find("# ");
  return box != kNowhere && box == first_box(text) && begins_with_box_line(text.substr(box), width) && !is_bar(text);
}

// Does the last carriage return stand within a box line? Then nothing but its end, with the right border, is behind.
bool is_broken_box_line(std::string_view text) {
  const std::size_t end = text.rfind('\r');
  if (end == kNowhere || first_box(text.substr(end + 1)) != text.size() - end - 2) return false;
  const std::size_t start = end == 0 ? 0 : text.rfind('\r', end - 1) + 1;
  const std::string_view front = text.substr(start, end - start);
  return first_box(front) != kNowhere && !is_bar(front);
}

// The border or the line of a box that stands there, whatever is around it; empty if there is none.
std::string_view whole_line_in(std::string_view text) {
  const std::size_t box = first_box(text);
  if (box == kNowhere || is_bar(text)) return {};
  const std::string_view line = text.substr(box, text.rfind('#') + 1 - box);
  return line.size() > 1 ? line : std::string_view();
}

// May the parts be lines? Of a long text with many short ones each would take more memory than it has bytes.
bool may_be_lines(std::string_view text) {
  constexpr std::size_t kLong = std::size_t{1} << 20, kFewestBytes = 16;
  const auto parts = [&] { return static_cast<std::size_t>(std::ranges::count(text, '\r')); };
  return text.size() < kLong || parts() * kFewestBytes <= text.size();
}

}  // namespace

std::vector<Transcript> without_overwritten(const Transcript& line, std::size_t width) {
  const std::string_view text = line.text();
  if (text.find('\r') == kNowhere) return {line};
  const std::string_view all = text.substr(0, text.find_last_not_of("\r\n") + 1);
  if (is_broken_box_line(all)) return {line};  // log reports it
  std::size_t last = kNowhere;
  for (std::size_t end = all.size(); end > 0;) {
    const std::size_t start = all.rfind('\r', end - 1) + 1;
    const std::string_view part = all.substr(start, end - start);
    const bool is_boxed = first_box(part) != kNowhere && !is_bar(part);
    if (is_boxed || last == kNowhere) last = start;
    if (is_boxed) break;
    end = start == 0 ? 0 : start - 1;
  }
  std::vector<Transcript> lines;
  std::string_view before;
  for (std::size_t start = 0, end = 0; start <= all.size(); start = end + 1) {
    end = std::min(all.find('\r', start), all.size());
    const std::string_view part = all.substr(start, end - start);
    if (start != last && !is_kept_line(part, width)) continue;
    if (part == before && !lines.empty()) continue;
    before = part;
    lines.emplace_back().append(line, start, end);
  }
  return lines;
}

// Lines of a box in a row, as wide as each other, with something behind the carriage return that ends each.
bool returns_end_lines(std::string_view text) {
  constexpr int kFewest = 3;
  if (!may_be_lines(text)) return false;
  const std::size_t size = text.find_last_not_of('\r') + 1;  // the last line has nothing behind it
  std::string_view last;                                     // of those lines
  int seen = 0;
  for (std::size_t start = 0, end; seen < kFewest && (end = text.find('\r', start)) < size; start = end + 1) {
    if (end == start) continue;
    const std::string_view line = whole_line_in(text.substr(start, end - start));
    if (!line.empty() && line == last) continue;  // it was written again
    seen = line.empty() ? 0 : characters(line) == characters(last) ? seen + 1 : 1;
    last = line;
  }
  return seen == kFewest;
}

// Nothing that a bar overwrites is the planner's, but for a line that was written again.
bool would_lose_label(std::string_view text, std::size_t width) {
  if (!may_be_lines(text)) return false;
  const std::size_t size = text.find_last_not_of('\r') + 1;  // behind it nothing overwrites
  for (std::size_t start = 0, end; (end = text.find('\r', start)) < size; start = end + 1) {
    const std::string_view part = text.substr(start, end - start);
    if (part.empty() || is_bar(part) || is_kept_line(part, width) || text.substr(end + 1).starts_with(part)) continue;
    if (has_title_or_label(part)) return true;
  }
  return false;
}

std::vector<Transcript> lines_of_returns(const Transcript& line) {
  return split_lines(rewrite(line, [](std::string_view text, std::size_t at) {
    return text[at] == '\r' ? Change{1, "\n"} : Change{};
  }));
}

}  // namespace shardstats::input_detail
