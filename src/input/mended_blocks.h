// The blocks in the lines that mend() has put together, with their places in the log. Private to src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "input/mend.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Blocks, or why they are not read.
struct Found {
  std::vector<Block> blocks;
  std::optional<Error> problem;
};

// In the order of their first lines. `count`: of the blocks in front of them in the log.
Found blocks_of(const MendedRegion& region, std::size_t count);

}  // namespace shardstats::input_detail
