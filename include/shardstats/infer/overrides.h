// Which tables --assume TABLE.KEY=VALUE is about. Tested by tests/infer/assume_test.cc.
#pragma once

#include <string_view>

#include "shardstats/infer/plan.h"

namespace shardstats {

// Is the name the FQN, or its last parts: table_7 or ebc.table_7 of model.ebc.table_7?
bool ends_in_parts(std::string_view fqn, std::string_view name);

// Tables are named so; an override without a table is about all of them.
bool is_about(const Override& override, std::string_view fqn);

}  // namespace shardstats
