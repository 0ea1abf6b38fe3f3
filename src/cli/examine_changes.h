// One planner block with the changes of a command line applied to it: `whatif`, and `explain` with --set.
#pragma once

#include <string>
#include <vector>

#include "cli/examine.h"

namespace shardstats::cli {

// `examined.printed` is the log; the result goes to `examined.result`, or `examined.refused` says why there is none.
void examine_changes(const Options& options, const Filter& filter, std::size_t index, Examined& examined);

// The keys that take several values: those of a sweep, or the one of --max. Empty: one plan is asked for.
std::vector<std::string> swept_keys(const Options& options);

}  // namespace shardstats::cli
