// The box around the lines of a block: how wide it is, whether it was cut off on its right side, what is odd about it.
// Private to src/log.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "input/box.h"
#include "log/draft_plan.h"
#include "log/text.h"

namespace shardstats::log_detail {

using input_detail::kShortestBorder;
using input_detail::kTitle;

inline constexpr std::size_t kAroundDivider = 4;  // characters of the frame beside the divider's dashes

inline bool is_dashes(std::string_view text) { return text.find_first_not_of('-') == std::string_view::npos; }

// 0: it is none.
inline std::size_t border_length(const BoxLine& line) {
  const std::string_view text = trim_right(line.text);
  return input_detail::is_border(text) ? text.size() : 0;
}

inline bool is_closed(const BoxLine& line) { return trim_right(line.text).ends_with('#'); }

constexpr std::size_t kShortestDivider = 20;
inline bool is_divider(std::string_view text) { return text.size() > kShortestDivider && is_dashes(text); }

bool was_mended(const Block& block, Mending what);

// `text`: a part of the line's.
inline Cell cell_at(const BoxLine& line, std::string_view text) {
  return {text, line.place_of(static_cast<std::size_t>(text.data() - line.text.data()))};
}

// Its first byte.
inline Cell start_of(const BoxLine& line) { return cell_at(line, line.text.substr(0, 1)); }

// The text of a line, split once: `row` is the box line without its right frame, `text` what is printed in it.
struct LineText {
  explicit LineText(const BoxLine& line) : row(without_frame(line.text)), indent(skip_blanks(row, 1) - 1) {
    text = row.substr(std::min(indent + 1, row.size()));
  }
  std::string_view row;
  std::size_t indent;  // blanks after the '#'
  std::string_view text;
};

class BoxFrame {
 public:
  // What is found is reported in the plan.
  BoxFrame(const Block& block, DraftPlan& plan) : block_(block), plan_(plan) {}

  // Comes before all else.
  void measure();
  // Characters of a border.
  std::size_t width() const { return width_; }
  // Characters of the box line at which all lines were cut off; 0: they were not.
  std::size_t cut() const { return cut_; }
  // A number at the edge where lines, or the last one, were cut off may have had further digits.
  bool reaches_cut(const BoxLine& line) const;
  // Has it no '#' on the right, where most others have theirs? Then some of its text may be lost.
  bool lacks_border(const BoxLine& line) const { return are_most_closed_ && !is_closed(line); }
  // Is it the start of one with no text left, where an empty line has its '#' on the right? A '#' alone may be
  // anybody's.
  bool is_cut_blank(const BoxLine& line) const {
    return has_closed_blank_ && line.text.size() > 1 && line.text.size() < width_ && trim_right(line.text) == "#" &&
           &line != &block_.lines.back();
  }

  // Borders and dashes as long as the planner prints them, lines padded to the width of the box, or so many more, but
  // not beyond.
  void check_decoration(const BoxLine& line, std::size_t length, std::size_t planned);
  void check_padding(const BoxLine& line, std::size_t more = 0) {
    if (line.text.size() > width_ + more) check_long(line, width_ + more);  // bytes: at least as many as characters
  }
  // Is there a border on both ends?
  void check_borders();

 private:
  void check_long(const BoxLine& line, std::size_t width);
  bool is_cut_border(const BoxLine& line) const;
  std::size_t read_width() const;
  std::optional<std::size_t> likeliest_border() const;
  std::optional<std::size_t> width_by_title() const;
  bool is_cut_at(std::size_t longest) const;
  void find_cut();

  const Block& block_;
  DraftPlan& plan_;
  std::size_t width_ = 0, cut_ = 0;
  bool is_torn_ = false;  // the block was cut off within its last line
  bool are_most_closed_ = false, has_closed_blank_ = false;
};

}  // namespace shardstats::log_detail
