// All blocks of all logs, one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/examine.h"
#include "cli/steps.h"

namespace shardstats::cli {

// A step and what was found out about its block.
struct Work {
  Step step;
  std::size_t number = 0;  // of its block among all blocks
  Examined examined;
};

// Examines on several threads and gives what was found to `take` in the order of the steps. Returns what is wrong with
// the options in the light of all blocks.
std::vector<std::string> examine_all(const Options& options, const Filter& filter,
                                     const std::function<void(Work&)>& take);

}  // namespace shardstats::cli
