// Reports of whatif. Nothing is computed here.
//
//   batch_size  largest HBM  rank  headroom    slowest rank
//   1,024       85.27 GiB    28    52.73 GiB   650.2 ms
//
// Tested by tests/report/what_if_test.cc and the golden runs in tests/cli.
#pragma once

#include <string>
#include <vector>

#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/sweep.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// What was asked for: "batch_size=4096", and what shardstats decided by itself.
void write_changes(const std::vector<std::string>& changes, const std::vector<std::string>& placed,
                   const TextStyle& style, std::string& out);
void write_sweep(const Sweep& sweep, const TextStyle& style, std::string& out);
void write_largest(const LargestFit& largest, const TextStyle& style, std::string& out);

Json sweep_json(const Sweep& sweep);
Json largest_json(const LargestFit& largest);

}  // namespace shardstats
