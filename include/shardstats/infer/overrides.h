// Which tables --assume TABLE.KEY=VALUE is about. Tested by tests/infer/assume_test.cc.
#pragma once

#include <string_view>

#include "shardstats/infer/plan.h"

namespace shardstats {

// A table is named by its FQN or by the last part of it; an override without a table is about all of them.
bool is_about(const Override& override, std::string_view fqn);

}  // namespace shardstats
