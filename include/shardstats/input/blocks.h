// Finds planner blocks anywhere in a log, behind any logger prefix (log-format.md sections 1 and 8.1).
//
//   2024-05-01 12:00:00 INFO ...stats: ######################      <- opening border
//   2024-05-01 12:00:00 INFO ...stats: #  --- Planner Statistics ---  #
//   ...
//   2024-05-01 12:00:00 INFO ...stats: ######################      <- closing border
//
// A block is the list of its box lines with the prefix removed; every line knows its physical place, so damage that
// is undone later (interleaving, wrapping) only has to build such lines. Tested by tests/input/blocks_test.cc.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "shardstats/input/source.h"

namespace shardstats {

struct BoxLine {
  std::string_view text;  // from the first '#' of the box to the last byte that is no line end
  Place place;            // of text's first byte

  Place place_of(std::size_t offset) const { return {place.line, place.column + static_cast<std::uint32_t>(offset)}; }
};

struct Block {
  std::vector<BoxLine> lines;    // opening border first
  bool opened = false;           // has an opening border
  bool closed = false;           // has a closing border; false: truncated
  std::vector<BoxLine> foreign;  // whole lines between the box lines that do not belong to the box
};

// All blocks of the log in order. No block: empty.
std::vector<Block> find_blocks(std::string_view bytes);

// The line most like a part of a block, to show when no block was found; place.line is 0 if there is none.
BoxLine nearest_line(std::string_view bytes);

}  // namespace shardstats
