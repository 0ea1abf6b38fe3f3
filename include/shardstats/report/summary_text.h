// Text of `summary`: what a block says about memory, speed and shape, on one screen.
//
//   Memory
//     roomy: ranks 28 and 43 take 100.0 of 138.0 GiB planning HBM (72%); 37.96 GiB are left (lines 34, 2104)
//
// Tested by tests/report/summary_text_test.cc and the golden runs in tests/cli.
#pragma once

#include <string>
#include <string_view>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/summary.h"
#include "shardstats/report/style.h"

namespace shardstats {

// `quiet`: the verdicts on memory and speed only.
void write_summary(std::string_view path, const BlockView& block, const Summary& summary, bool quiet,
                   const TextStyle& style, std::string& out);

}  // namespace shardstats
