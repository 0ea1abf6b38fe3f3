// What happened to the bytes and lines of a block before it is parsed, as findings of the plan. Private to src/log.
#pragma once

#include <string_view>

#include "log/draft_plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats::log_detail {

// What was undone, left out or lost.
void report_damage(const Block& block, DraftPlan& plan);
// A line of the planner that does not stand in the box; `text`: its own, without what stands around it.
void report_lost(const BoxLine& line, std::string_view text, DraftPlan& plan);

}  // namespace shardstats::log_detail
