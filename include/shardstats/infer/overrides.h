// Which tables --assume TABLE.KEY=VALUE is about. Tested by tests/infer/assume_test.cc.
#pragma once

#include <string_view>

#include "shardstats/infer/plan.h"

namespace shardstats {

// An override without a table is about all of them, another one about those that is_named() says.
bool is_about(const Override& override, std::string_view fqn);

}  // namespace shardstats
