// What happened to the bytes and lines of a block before it is parsed, as findings of the plan. Private to src/log.
#pragma once

#include "log/draft_plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats::log_detail {

// What was undone, left out or lost.
void report_damage(const Block& block, DraftPlan& plan);

}  // namespace shardstats::log_detail
