// Joins what a console broke between words, as Rich's handler does where a log has no terminal: the message stands in a
// column of its own, between the level and the source's place, and goes on below itself. Private to src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  bool is_joining() const;
  void end_joined();

 private:
  // Where the messages of one process stand; all in front of them is ASCII.
  struct Column {
    std::size_t start = 0;
    std::size_t width = 0;   // in characters
    std::size_t blanks = 0;  // from there on a line is blank that goes on; a prefix of all lines stands in front
    std::string tag;         // of that prefix
    Transcript prefix;       // of the message that is joined
    Transcript joined;       // of it so far
    std::string process;
    int pieces_of_word = 0;  // joined last, each as wide as the column, of a word that may go on; 0: there is none
    bool is_folded = false;  // are there only pieces of a word since it began, and blanks that may go on below it?
    bool may_end = false;    // what was joined last was a border
    bool has_batch_sizes = false;  // does each row of the parameter table end in them?
  };

  std::optional<Column> column_of(std::string_view border) const;
  static bool is_of(const Column& column, std::string_view text);
  static bool goes_on(const Column& column, std::string_view text);
  bool begins_line(const Column& column, std::string_view piece) const;
  static std::string_view piece_of(const Column& column, std::string_view text);
  bool take(Column& column, const Transcript& line, const std::string& process);
  static bool is_word_over(const Column& column, std::string_view piece);
  void join(Column& column, const Transcript& line);
  void end_joined(Column& column);

  Region& region_;
  Unwrapper& unwrapper_;
  Ungluer& ungluer_;
  std::vector<Column> columns_;  // of processes whose blocks are broken so
};

}  // namespace shardstats::input_detail
