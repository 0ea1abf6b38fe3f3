// Options of timeline and stash. Tested by tests/cli/timeline_test.py and the golden runs in tests/cli.
#pragma once

#include "shardstats/analysis/stash.h"
#include "shardstats/analysis/timeline.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

void add_timeline_options(CLI::App& app, TimelineOptions& options);
void add_stash_options(CLI::App& app, StashOptions& options);

}  // namespace shardstats::cli
