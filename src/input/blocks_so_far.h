// What the lines of a damaged region tell about its blocks: how wide they are, which processes have opened one, and
// whether they are the planner's at all. Private to src/input.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "input/physical_lines.h"

namespace shardstats::input_detail {

class BlocksSoFar {
 public:
  explicit BlocksSoFar(const PhysicalLines& lines) : lines_(lines) {}

  // Follows the next line of the process `tag`. `box`: what it has from its box on.
  void follow(const std::string& tag, std::string_view box);
  // The same of a line without a box.
  void follow_other(std::string_view text);
  // The same of a line that is not looked at, as it has no sign of a block.
  void skip() { follow_other({}); }
  // From the next line on the frame is gone.
  void lose_frame() { has_frame_ = false; }

  // In characters, as the first border has it, or the title; 0: not known yet.
  std::size_t width() const { return width_; }
  // The same, as the last title has it.
  std::size_t title_width() const { return title_width_; }
  // The same of one process, whose plan may be another one; 0: it had no title.
  std::size_t title_width_of(const std::string& tag) const { return progress_of(tag).title_width; }
  // In the title's line, and behind it.
  bool has_right_border() const { return has_right_border_; }
  bool lost_right_border() const { return lost_right_border_; }
  bool has_suffix() const { return has_suffix_; }
  // On the left of the lines.
  bool has_frame() const { return has_frame_; }

  // Was a title or a label seen?
  bool is_sure() const { return is_sure_; }
  // Have too many lines gone by without a sign of a block, or without the first one?
  bool is_lost() const;
  bool is_in_doubt() const;
  bool is_all_closed() const { return !progress_.empty() && open_ == 0; }
  bool is_open(const std::string& tag) const { return progress_of(tag).open; }
  // Is any block open of which more was seen than its border?
  bool is_any_in_text() const { return in_text_ > 0; }
  struct Processes {
    std::vector<std::string> tags;  // in the order of their first lines
    bool have_titles = false;
  };
  // Tags of the lines with a title or, where a log begins in the middle, with the label that most of them have; none
  // if only one process has it.
  Processes processes() const;

 private:
  // The blocks of one process, as far as they decide where a region ends.
  struct Progress {
    bool open = false;
    bool has_text = false;        // more than the opening border
    std::size_t title_width = 0;  // of its box, as the last title has it
  };

  Progress progress_of(const std::string& tag) const;
  bool follow_box(const std::string& tag, std::string_view box);
  void follow_border(const std::string& tag, std::size_t border);
  std::size_t width_of(const std::string& tag) const;
  std::size_t border_length(const std::string& tag, std::string_view box) const;
  bool is_title_next() const;
  bool is_in_box(std::size_t at, std::string_view box) const;
  void set(Progress& progress, Progress now);

  const PhysicalLines& lines_;
  std::size_t width_ = 0;
  std::size_t title_width_ = 0;
  bool has_right_border_ = false, lost_right_border_ = false;
  bool has_suffix_ = false, has_frame_ = true;
  std::map<std::string, Progress> progress_;  // by tag
  int open_ = 0, in_text_ = 0;                // of them; of the open ones with more than the border
  struct Single {
    std::string_view label;  // or the title
    std::string tag;
  };
  std::vector<Single> singles_;
  bool is_sure_ = false;
  int unsigned_lines_ = 0;    // in a row
  int unsigned_records_ = 0;  // the same where a record of many lines counts as one
};

}  // namespace shardstats::input_detail
