// Lines that a terminal broke at its width although that cannot be seen of the border alone: those in records of a
// container (JSON, CSV, TSV), and those of a log that begins in the middle of a block. Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardstats::input_detail {

class WrappedRecords {
 public:
  // Of the lines that begin at `start`. Only where all of the next ones agree: the first piece of each record begins as
  // those of the others do, all but its last are equally wide (but for blanks at their ends, which all may have lost),
  // and no box line in it is whole without the last.
  WrappedRecords(std::string_view bytes, std::size_t start);

  bool are_any() const { return width_ != 0; }
  // Does the record go on in the `next` line?
  bool goes_on(std::string_view piece, std::string_view next) const;
  // Blanks that a piece has lost at its end, if its record goes on.
  std::size_t lost_blanks(std::string_view piece) const;

 private:
  struct Joined {
    std::string text;
    std::vector<std::size_t> breaks;  // offsets in it
    std::size_t next = 0;             // where the next record starts
    int full = 0;                     // pieces in front of a break that are as wide as the terminal
    int others = 0;                   // pieces that no prefix of all of them was put in front of later
  };
  bool is_one_record(std::string_view bytes, std::size_t start) const;
  int broken_records(std::string_view bytes, std::size_t start) const;
  Joined joined(std::string_view bytes, std::size_t start, int& left) const;
  bool begins_record(std::string_view line) const;

  std::size_t width_ = 0;  // in characters; 0: they are not broken
  bool are_stripped_ = false;
  std::string front_;       // of each record, as shape_of() has it
  std::string_view first_;  // line of all, whose start may be cut off
};

}  // namespace shardstats::input_detail
