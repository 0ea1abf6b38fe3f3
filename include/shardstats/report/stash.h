// The formats of `stash`. Nothing is computed here.
//
//   96 ranks: the largest peak falls from 131.4 GiB to 126.5 GiB
//   Rank 44: 7.304 GiB of 27 tables stashed, 17.43 ms each way of 60.00 ms; peak 131.4 GiB -> 124.1 GiB
//
// Tested by tests/cli/stash_test.py and the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <string>

#include "shardstats/analysis/stash.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// `top`: tables and ranks of each list; 0: all.
void write_stash(const StashPlan& plan, std::size_t top, const TextStyle& style, std::string& out);

void add_stash(const StashPlan& plan, Json& block);

// "on 3 ranks restoring may take longer than gradient dist (rank 7: 17.43 ms, 5.10 ms): ..."
std::string risk_text(const RiskFound& risk);
std::string left_out_text(const LeftOut& group);

}  // namespace shardstats
