// Joins the pieces of lines that a terminal broke. Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "input/region.h"
#include "input/unglue.h"

namespace shardstats::input_detail {

class Unwrapper {
 public:
  Unwrapper(Region& region, Ungluer& ungluer) : region_(region), ungluer_(ungluer) {}

  // `process`: as decode() tells it.
  void add_line(Transcript line, const std::string& process);
  // The line whose pieces are being joined; empty if there is none.
  std::string_view joined() const { return joined_.text(); }
  void end_joined();

 private:
  bool may_be_wrapped(std::string_view text) const;
  bool may_go_on_as_border(std::string_view text) const;
  std::string_view next_text() const;
  bool is_of_another_process(const std::string& process) const;
  void join(const Transcript& piece, const std::string& process);
  void begin_wrapping();
  void see_prefix_of_lines(std::string_view text);
  bool starts_line(std::string_view text) const;
  bool is_in_longer_border(std::string_view text) const;

  bool is_further_border_piece(std::string_view text) const;
  bool is_whole_border(std::string_view text) const;

  bool is_overflow(std::string_view text) const;
  Transcript begin_overflow(Transcript line);

  void begin_late_prefix(std::string_view prefix);
  Transcript without_late_prefix(Transcript line) const;

  Region& region_;
  Ungluer& ungluer_;
  Transcript joined_;                  // pieces of a line so far
  std::string joined_process_;         // of the first of them
  std::size_t joined_characters_ = 0;  // in joined_
  std::size_t pieces_ = 0;             // in joined_
  std::size_t box_in_line_ = 0;        // offset of the border in its line
  std::size_t border_piece_ = 0;       // characters of the first piece of a border that may go on
  std::size_t wrap_ = 0;               // characters at which lines were broken; 0: they were not
  std::size_t line_length_ = 0;        // characters of a whole line with its prefix
  bool is_behind_border_ = false;      // of which the title has not come yet
  std::string late_prefix_;            // put in front of the pieces after the line was broken
};

}  // namespace shardstats::input_detail
