// What --assume KEY=VALUE is about. Tested by tests/infer/assume_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "shardstats/infer/plan.h"

namespace shardstats {

// Is it a word for what an element takes, as --assume and --set know them? "fp16", "float16", "2"
bool is_dtype(std::string_view word);

// An override without a table is about all of them, another one about those that is_named() says.
bool is_about(const Override& override, std::string_view fqn);
// Can a release with this log's layout have printed it with all of them? Nothing is rebuilt of one that cannot.
bool can_hold(const std::vector<Override>& overrides, const PrintedPlan& printed);

}  // namespace shardstats
