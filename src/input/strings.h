// The strings of JSON and Python that hold lines of a box (log-format.md section 8). Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// The lines of the strings in a line that hold lines of a box.
struct LinesInStrings {
  std::vector<Transcript> lines;  // empty if there is no such string
  std::string key;                // of the field whose value the last such string is; empty: of none
  bool are_all = true;            // no other whole line of the box stands outside those strings
  bool are_repeated = false;      // another field of the record has them, too, as "text" and "message" do
};

// Where the string ends that begins with the quote at `open`: at its closing quote, or at the end if it was cut off.
std::size_t string_end(std::string_view text, std::size_t open);

// In characters, as the first border or title among the lines has it; 0 if there is none.
std::size_t width_of_box(const std::vector<Transcript>& lines);

// `width`: of the box in characters; 0: not known yet. `key_of_rest`: of the field in which the rest of a box line
// stands that a terminal broke; empty: of none.
LinesInStrings lines_in_strings(const Transcript& line, std::size_t width, std::string_view key_of_rest = {});

}  // namespace shardstats::input_detail
