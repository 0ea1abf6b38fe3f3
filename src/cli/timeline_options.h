// Options of timeline. Tested by tests/cli/timeline_test.py and the golden runs in tests/cli.
#pragma once

#include <string>

#include "shardstats/analysis/timeline.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

// The values as they were written; empty: not given.
struct TimelineTexts {
  std::string activations;
};

void add_timeline_options(CLI::App& app, TimelineTexts& texts);
TimelineOptions timeline_options(const TimelineTexts& texts);

}  // namespace shardstats::cli
