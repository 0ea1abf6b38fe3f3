// Tells the processes apart whose lines stand in one log (log-format.md section 8). Private to src/input.
#pragma once

#include <string>
#include <string_view>

namespace shardstats::input_detail {

// What stands in front of a box line, without what changes from line to line of one process: times, source lines.
std::string tag_of(std::string_view prefix);

// Of a line whose strings hold lines of a box: what stands in front of all strings, and fields that name a process.
std::string process_of_strings(std::string_view text);

// In front of a progress bar that a box line overwrote; empty if there is none.
std::string process_of_progress(std::string_view text);

}  // namespace shardstats::input_detail
