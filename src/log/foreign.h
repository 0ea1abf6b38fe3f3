// Lines of other programs that look like box lines. Private to src/log.
#pragma once

#include <optional>

#include "shardstats/input/blocks.h"

namespace shardstats::log_detail {

// The block without them; nullopt: it has none. The planner pads every line to the width of the box, so a line that is
// much narrower than most, and neither a row nor a line of the planner by its words, is somebody's comment or table.
std::optional<Block> without_foreign(const Block& block);

}  // namespace shardstats::log_detail
