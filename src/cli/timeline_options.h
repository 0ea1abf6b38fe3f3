// Options of timeline and stash. Tested by tests/cli/timeline_test.py and the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <string>

#include "shardstats/analysis/stash.h"
#include "shardstats/analysis/timeline.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

// The values as they were written; empty: not given.
struct TimelineTexts {
  std::string activations;
};

struct StashTexts {
  std::string bandwidth, window, target;
  std::size_t ranks_per_host = 0;
};

void add_timeline_options(CLI::App& app, TimelineTexts& texts);
TimelineOptions timeline_options(const TimelineTexts& texts);

void add_stash_options(CLI::App& app, StashTexts& texts, StashOptions& options);
void set_stash_options(const StashTexts& texts, StashOptions& options);

}  // namespace shardstats::cli
