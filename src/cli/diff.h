// The command `diff`: two logs, one block of each. Tested by the golden runs in tests/cli.
#pragma once

#include "cli/options.h"

namespace shardstats::cli {

// The exit status.
int run_diff(const Options& options, const Filter& filter);

}  // namespace shardstats::cli
