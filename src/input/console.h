// Joins what a console broke between words, as Rich's handler does where a log has no terminal: the message stands in a
// column of its own, between the level and the source's place, and goes on below itself. Private to src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "input/region.h"
#include "input/unglue.h"
#include "input/unwrap.h"

namespace shardstats::input_detail {

class Console {
 public:
  Console(Region& region, Unwrapper& unwrapper, Ungluer& ungluer)
      : region_(region), unwrapper_(unwrapper), ungluer_(ungluer) {}

  // `process`: as decode() tells it.
  void take(Transcript line, const std::string& process);
  bool is_joining() const { return !joined_.text().empty(); }
  void end_joined();

 private:
  // Of the messages; all that stands in front is ASCII.
  struct Column {
    std::size_t start = 0;
    std::size_t width = 0;   // in characters
    std::size_t blanks = 0;  // from there on a line is blank that goes on; a prefix of all lines stands in front
  };
  std::optional<Column> column_of(std::string_view border) const;
  bool goes_on(std::string_view text) const;
  bool is_whole() const;
  void join(const Transcript& line);

  Region& region_;
  Unwrapper& unwrapper_;
  Ungluer& ungluer_;
  std::optional<Column> column_;  // none: no block is broken so
  Transcript prefix_;             // of the message that is joined
  Transcript joined_;             // of it so far
  bool is_word_open_ = false;     // what was joined last may go on without a blank
  std::size_t border_ = 0;        // characters of the opening border, once it is whole
};

}  // namespace shardstats::input_detail
