// "Did you mean": words near to one that is not known. Tested by tests/analysis/nearest_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardstats {

// How many letters have to be inserted, removed or replaced to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// At most five of `names`, those that contain `wanted` or differ from it in few letters, nearest first.
std::vector<std::string> nearest_of(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace shardstats
