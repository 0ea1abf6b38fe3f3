// Records in which several lines were written as one, or control characters as escapes: by rsyslog, and by what quotes
// nothing. Private to src/input.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Has the record such escapes?
bool has_line_ends(std::string_view record);
// The lines that the escapes for line ends divide the record into; one if there are none.
std::vector<Transcript> lines_of_record(Transcript record);

// Puts what stands in front of the first line of a record in front of the others, too: it tells the process of each.
// `last_front`: that of the record before, which tells it where the first line is none of the box.
void put_front_of_record(std::span<Transcript> lines, std::string& last_front);

// Has it an escape for a carriage return, a tab or a colour that is no part of a name? Then all others are none, too.
bool has_sure_escape(std::string_view record);
Transcript without_escapes(const Transcript& line);

}  // namespace shardstats::input_detail
