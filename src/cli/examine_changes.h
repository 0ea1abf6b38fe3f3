// One planner block with the changes of a command line applied to it: `whatif`, and `explain` with --set.
#pragma once

#include "cli/examine.h"

namespace shardstats::cli {

// `examined.printed` is the log; the result goes to `examined.result`, or
// `examined.refused` says why there is none.
void examine_changes(const Options& options, const Filter& filter, std::size_t index, Examined& examined);

}  // namespace shardstats::cli
