// Reads one block of a text in which nothing has to be undone but prefixes and foreign lines. Private to src/input.
#pragma once

#include <cstddef>
#include <optional>

#include "input/lines.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

inline constexpr int kLookBack = 20;  // foreign lines that may stand between the border and the title
// Foreign lines in a row, or records of JSON with a field a line, that end a part without a title. Any box line may
// begin one, so that each reads only a few ahead.
inline constexpr int kMostForeignOfPart = 50;
inline constexpr std::size_t kMostLinesOfRecords = 2000;  // of all those records

struct ReadBlock {
  std::size_t end = 0;           // where the next one may start
  std::optional<Error> problem;  // what of it is beyond a bound
  bool is_suspicious = false;    // is there a sign that lines were damaged in a way that mend() can undo?
  Block block;
};

// The block around the title's line, whose box starts at `offset`. It does not start before `from`.
ReadBlock read_block(Lines& lines, const Line& title, std::size_t offset, std::size_t from);

// A part of a block that has no title, from its first line up to `to` at most.
ReadBlock read_part(Lines& lines, const Line& first, std::size_t offset, std::size_t to);

// How many labels of planner blocks stand in its lines.
std::size_t labels_of(const Block& block);

}  // namespace shardstats::input_detail
