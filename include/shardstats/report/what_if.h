// Reports of whatif. Nothing is computed here.
//
//   batch_size  largest HBM  rank  headroom    slowest rank
//   1,024       85.27 GiB    28    52.73 GiB   650.2 ms
//
// Tested by tests/report/what_if_test.cc and the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardstats/analysis/sweep.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// What was asked for: "batch_size=4096", and what shardstats decided by itself.
void write_changes(const WhatIfResult& result, const TextStyle& style, std::string& out);
void write_sweep(const Sweep& sweep, const TextStyle& style, std::string& out);
void write_largest(const LargestFit& largest, const TextStyle& style, std::string& out);

Json sweep_json(const Sweep& sweep);
Json largest_json(const LargestFit& largest);

// A part of the page for one block: plots (SVG) and a table, or the changes as tables.
// `top`: rows of each list of changes; 0: all.
std::string what_if_section(std::string_view block, const WhatIfResult& result, std::size_t top);

}  // namespace shardstats
