// Lists of numbers as people write them. Tested by tests/numbers/runs_test.cc.
#pragma once

#include <string>
#include <vector>

namespace shardstats {

// "0-94", "96": each run of numbers that follow one another.
std::vector<std::string> runs_of(const std::vector<int>& numbers);

}  // namespace shardstats
