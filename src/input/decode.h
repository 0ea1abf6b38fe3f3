// Undoes what one line suffers on its way into a log: strings of JSON or Python around it, HTML, colour codes, progress
// bars, tabs and other blanks (log-format.md section 8). Private to src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Notes `what` unless it is noted already.
void note(std::vector<Mended>& mended, Mending what, Place first);

// Has the text of a box line anything that decode() may undo?
bool is_undecoded(std::string_view text);

// Has it blanks that decode() replaces? Of all that it undoes only they may leave a line as many bytes as before.
bool has_other_blanks(std::string_view text);

// Only characters of ASCII that are seen, so that the bytes are the columns? Most box lines are such; in one pass
// without a branch it is asked of each.
inline bool is_plain(std::string_view text) {
  unsigned char least = ' ', bits = 0;
  for (const char c : text) {
    least = std::min(least, static_cast<unsigned char>(c));
    bits |= static_cast<unsigned char>(c);
  }
  return least == ' ' && bits < 0x80;
}

// What the lines before tell about the box.
struct BoxSoFar {
  std::size_t width = 0;                  // in characters; 0: not known yet
  std::optional<std::size_t> tab_column;  // modulo the tab stop: where the box began when blanks became tabs
  bool has_moved = false;                 // from there, since a prefix was put in front
  bool has_escapes = false;               // of rsyslog, for tabs and others
  std::string front;                      // of the last record with several lines
};

// The lines that a physical line stands for: one, or as many as the strings in it hold.
struct Decoded {
  std::vector<Transcript> lines;
  std::string process;  // what was taken off the line and tells who logged it, as a prefix would; empty: nothing
};
Decoded decode(Transcript line, BoxSoFar& box, std::vector<Mended>& mended);

}  // namespace shardstats::input_detail
