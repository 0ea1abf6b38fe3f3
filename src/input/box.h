// What a line of a planner box looks like (log-format.md section 1.2). Private to src/input and src/log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/blanks.h"
#include "shardstats/utf8.h"

namespace shardstats::input_detail {

inline constexpr std::string_view kTitle = "--- Planner Statistics ---";
inline constexpr std::size_t kNowhere = std::string_view::npos;
inline constexpr std::size_t kShortestBorder = 60;  // the narrowest box of any release is 90 wide

struct Line {
  std::size_t start = 0;
  std::size_t next = 0;   // start of the line after it
  std::string_view text;  // without the line end and stray NULs there
};

// Offset of the line feed that ends the line around `offset`; the size of the bytes if there is none.
inline std::size_t newline_from(std::string_view bytes, std::size_t offset) {
  return std::min(bytes.find('\n', offset), bytes.size());
}

// The line that starts at this byte.
inline Line line_at(std::string_view bytes, std::size_t start) {
  const std::size_t end = newline_from(bytes, start);
  std::string_view text = bytes.substr(start, end - start);
  while (!text.empty() && (text.back() == '\r' || text.back() == '\0')) text.remove_suffix(1);
  return {start, std::min(end + 1, bytes.size()), text};
}

// The line in front of the one that starts at this byte; of the first one that itself.
inline Line line_before(std::string_view bytes, std::size_t start) {
  return line_at(bytes, start < 2 ? 0 : bytes.rfind('\n', start - 2) + 1);
}

// The run of '#' at the end of the line, if it is long enough for a border: where it starts, and its length.
struct Border {
  std::size_t start = kNowhere;
  std::size_t length = 0;
  explicit operator bool() const { return start != kNowhere; }
};
inline Border border_of(std::string_view line) {
  const std::string_view text = trim_right(line);
  if (text.size() < kShortestBorder || text[text.size() - 2] != '#') return {};
  const std::size_t start = text.find_last_not_of('#') + 1;
  if (text.size() - start < kShortestBorder) return {};
  return {start, text.size() - start};
}

// Number of '#' at the start and at the end of the text.
std::size_t hashes_at_start(std::string_view text);
std::size_t hashes_at_end(std::string_view text);
inline bool is_run_of_hashes(std::string_view text) { return !text.empty() && text.find_first_not_of('#') == kNowhere; }
// Is it a border and nothing else?
inline bool is_border(std::string_view text) {
  return text.size() >= kShortestBorder && text[1] == '#' && is_run_of_hashes(text);  // few are searched
}
inline constexpr std::size_t kLeastWrapped = 20;  // '#' at the end of a line that may go on in the next
// Where a run of at least so many starts, or kNowhere.
std::size_t first_wrapped_border(std::string_view text);
// Where a line of a box starts, or a piece of a border that a terminal broke, or kNowhere.
std::size_t first_box_or_border(std::string_view text);
// Does a border begin at the end of the line, where a long prefix leaves it little room, and go on in the next line?
// Another prefix may have been put in front of both later.
bool begins_border(std::string_view line, std::string_view next);

// Can a box line start at this byte?
inline bool starts_box(std::string_view line, std::size_t at) {
  return at < line.size() && line[at] == '#' && (at + 1 == line.size() || line[at + 1] == ' ') &&
         (at == 0 || line[at - 1] != '#');
}

// The first place where a box line or a border can start, or kNowhere.
std::size_t first_box(std::string_view line);
// The same where blanks behind the '#' may have become a tab.
std::size_t first_box_with_tabs(std::string_view line);

// Where the right border of a box of that width stands in a text that begins with the box, or kNowhere.
inline std::size_t right_border(std::string_view box_text, std::size_t width) {
  const std::size_t last = byte_of(box_text, width - 1);
  return last < box_text.size() && box_text[last] == '#' ? last : kNowhere;
}

// Does the text begin with a whole box line of that width, whatever stands behind it?
inline bool begins_with_box_line(std::string_view text, std::size_t width) {
  return text.starts_with("# ") && right_border(text, width) != kNowhere;
}
// Is it such a line and nothing else?
inline bool is_box_line(std::string_view text, std::size_t width) {
  return text.starts_with("# ") && right_border(text, width) + 1 == text.size();
}
// Do the bytes from `at` to `last` look like one among other text? Two '#' stand as far apart by chance, too, so that
// the right one needs its blank as well.
inline bool is_inner_box_line(std::string_view text, std::size_t at, std::size_t last) {
  return starts_box(text, at) && text.substr(at, last + 1 - at).ends_with(" #");
}

// Where the box starts in the title's line: the '#' in front of the blanks before the title.
std::size_t title_offset(std::string_view line);

// Is it the title, centred in its line?
inline bool is_centred_title(std::string_view box_text) {
  return box_text.size() > kTitle.size() + 2 &&
         box_text.substr((box_text.size() - kTitle.size()) / 2).starts_with(kTitle);
}
// The same, or at the end of what is left of its line.
inline bool is_title(std::string_view box_text) {
  const std::string_view text = trim_right(box_text);
  return text.ends_with(kTitle) || is_centred_title(text);
}

// How wide the box is in bytes, as the line of the title tells: it is centred, whatever stands behind the box. 0 if it
// is not the title's line, or the right border is gone.
std::size_t width_of_title(std::string_view box_text);

// How many labels of planner blocks stand in the line: 0 for the lines of others.
std::size_t labels_in(std::string_view line);
bool has_title_or_label(std::string_view line);
// The one that a block has but once; empty if there is none.
std::string_view single_label_in(std::string_view line);

}  // namespace shardstats::input_detail
