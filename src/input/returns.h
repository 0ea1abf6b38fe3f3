// Carriage returns inside a line: progress bars that were overwritten, and line ends that lost their line feed. Private
// to src/input.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// A progress bar that was overwritten: of the parts between carriage returns the last with a box, else the last. Whole
// lines of a box of that width are all kept, but once where they were written again.
std::vector<Transcript> without_overwritten(const Transcript& line, std::size_t width);

// Do carriage returns end lines of a box, which nothing overwrites? So it is where logs that end their lines in them
// alone are put together with others, or with a line feed between them.
bool returns_end_lines(std::string_view text);
// Would a part with the title or a label be lost with what was overwritten? Then nothing was.
bool would_lose_label(std::string_view text, std::size_t width);
// The lines that they end.
std::vector<Transcript> lines_of_returns(const Transcript& line);

}  // namespace shardstats::input_detail
