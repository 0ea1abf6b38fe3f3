// Undoes what one line suffers on its way into a log: strings of JSON or Python around it, HTML, colour codes, progress
// bars, tabs and other blanks (log-format.md section 8). Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Notes `what` unless it is noted already.
void note(std::vector<Mended>& mended, Mending what, Place first);

// What the lines before tell about the box.
struct BoxSoFar {
  std::size_t width = 0;                  // in characters; 0: not known yet
  std::optional<std::size_t> tab_column;  // modulo the tab stop: where the box began when blanks became tabs
  bool has_moved = false;                 // from there, since a prefix was put in front
};

// The lines that a physical line stands for: one, or as many as the strings in it hold.
std::vector<Transcript> decode(Transcript line, BoxSoFar& box, std::vector<Mended>& mended);

}  // namespace shardstats::input_detail
