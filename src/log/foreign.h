// Lines of other programs that look like box lines. Private to src/log.
#pragma once

#include <optional>
#include <string_view>

#include "shardstats/input/blocks.h"

namespace shardstats::log_detail {

// The block without them; nullopt: it has none. The planner pads every line to the width of the box, so a line that is
// much narrower than most, and neither a row nor a line of the planner by its words, is somebody's comment or table.
std::optional<Block> without_foreign(const Block& block);

// The first line that does not stand in the box of the block, but is one of the planner all the same; null: none is.
const BoxLine* lost_line(const Block& block);

// Of a line that was cut off, where blanks are squeezed: is it numbers and, behind them, counts of shards?
bool begins_as_row_of_rank(std::string_view text);
// Has the text a share of a memory and, behind nothing but numbers, counts of shards, as only the row of a rank?
bool has_cells_of_rank(std::string_view text);
// Has it a sharding type and a kernel behind another cell, as nothing but the row of a table?
bool has_cells_of_table(std::string_view text);

// Is it the start of a line below a heading of kernels, cut off within the kernel's name or behind it?
bool is_cut_in_kernel(std::string_view text);

}  // namespace shardstats::log_detail
