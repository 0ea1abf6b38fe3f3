// Tables as users name them: by FQN, by its last parts, or by a glob of either.
// Tested by tests/analysis/explain_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats {

// Rows of the parameter table. The FQN itself wins over last parts, these over globs with * and ?.
std::vector<std::uint32_t> tables_named(const PrintedPlan& printed, std::string_view name);

// ebc.table_7 -> table_7
std::string_view last_part(std::string_view fqn);

// The last part, with those before it that say what it is: ebc.table_7 -> table_7, ebc.brand.v2 -> brand.v2
std::string_view telling_end(std::string_view fqn);

// By row of the parameter table: telling_end() of its FQN, with as many parts before it as tell it from the others.
std::vector<std::string_view> shortest_names(const PrintedPlan& printed);

}  // namespace shardstats
