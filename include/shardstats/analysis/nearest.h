// "Did you mean": words near to one that is not known. Tested by tests/analysis/nearest_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats {

// How many letters have to be inserted, removed or replaced to make one of the other; without case.
std::size_t edit_distance(std::string_view first, std::string_view second);

// At most five of `names`, those that contain `wanted` or differ from it in few letters, nearest first.
std::vector<std::string> nearest_of(std::string_view wanted, const std::vector<std::string>& names);

// Names that tables_named() knows, near to one that it does not: the FQNs of what a qualified name ends in, else the
// tables of a module of that name, else telling_end() of FQNs; for a glob one that matches, else names with its longest
// literal part.
std::vector<std::string> nearest_tables(std::string_view wanted, const PrintedPlan& printed);

// "; did you mean 'RW'?" of "rw" and "row_wise"; empty: no sharding type is near.
std::string near_sharding(std::string_view word);

// "; did you mean 'v1.8.0'?" of "1.8.0", or nothing.
std::string near_release(std::string_view word);

// "; did you mean 'a' or 'b'?", or nothing.
std::string did_you_mean(const std::vector<std::string>& names);
std::string did_you_mean(std::string_view name);  // empty: there is none

}  // namespace shardstats
