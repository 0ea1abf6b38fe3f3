// Runs a parsed command line: reads the logs, asks analysis, hands the results to the writers.
#pragma once

#include "cli/options.h"

namespace shardstats::cli {

// The exit status.
int run(const Options& options);

}  // namespace shardstats::cli
