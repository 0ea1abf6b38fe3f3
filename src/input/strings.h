// The strings of JSON and Python that hold lines of a box (log-format.md section 8). Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// A field of JSON whose value is a string.
struct StringField {
  std::string key;  // empty: none
  int before = 0;   // fields of the record with that key, nested ones included, in front of it
  friend bool operator==(const StringField&, const StringField&) = default;
};

// The lines of the strings in a line that hold lines of a box.
struct LinesInStrings {
  std::vector<Transcript> lines;  // empty if there is no such string
  StringField field;              // that the last such string is the value of
  bool are_all = true;            // no other whole line of the box stands outside those strings
  bool are_repeated = false;      // another field of the record has them, too, as "text" and "message" do
};

// Where the string ends that begins with the quote at `open`: at its closing quote, or at the end if it was cut off.
std::size_t string_end(std::string_view text, std::size_t open);

// In characters, as the first border or title among the lines has it; 0 if there is none.
std::size_t width_of_box(const std::vector<Transcript>& lines);

// `width`: of the box in characters; 0: not known yet. `of_rest`: in which the rest of a box line stands that a
// terminal broke, in strings of strings of the innermost one.
LinesInStrings lines_in_strings(const Transcript& line, std::size_t width, const StringField& of_rest = {});

}  // namespace shardstats::input_detail
