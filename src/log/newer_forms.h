// Numbers in a form of no known release. Private to src/log.
#pragma once

#include "log/draft_plan.h"

namespace shardstats::log_detail {

// Fills PrintedPlan::newer_forms, and says so, where a newer release may have printed the block: columns and lines with
// fewer decimals than any known release prints, and lines with as many each.
void find_newer_forms(DraftPlan& plan);

}  // namespace shardstats::log_detail
