// The command `anonymize`: planner blocks without the names of a model, and the list of these names for their owner.
// Tested by tests/cli/anonymize_test.py and the golden runs in tests/cli.
#pragma once

#include "cli/options.h"

namespace shardstats::cli {

// The exit status.
int run_anonymize(const Options& options, const Filter& filter);

}  // namespace shardstats::cli
