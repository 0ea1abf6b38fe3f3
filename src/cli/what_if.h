// `shardstats whatif`: the plan that changes would give.
#pragma once

#include "cli/options.h"
#include "shardstats/analysis/filter.h"

namespace shardstats::cli {

// The exit status.
int run_what_if(const Options& options, const Filter& filter);

}  // namespace shardstats::cli
