// Writes a block again in canonical form: no prefix, padding and column widths as the planner computes them
// (log-format.md sections 1.2-1.4). Takes nothing but the layout tables and the texts of the PrintedPlan's slots.
// Tested by tests/log/render_test.cc: parse then render is the identity on every genuine log.
#pragma once

#include <string>

#include "shardstats/log/printed.h"

namespace shardstats {

// Appends the block to `out`, each line with a line feed. False, and nothing is appended: padded to the width of its
// longest cells a table of the block is larger than kLargestBlock.
bool render(const PrintedPlan& plan, std::string& out);

// The width that the planner gives a box for its tables (section 1.3, v0.1.1 and later); that of an earlier, wider box
// stays.
std::size_t needed_width(const PrintedPlan& plan);

}  // namespace shardstats
