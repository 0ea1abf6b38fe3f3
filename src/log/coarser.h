// Columns that are rounded to fewer decimals than any known release rounds them to. Private to src/log.
#pragma once

#include "log/draft_plan.h"

namespace shardstats::log_detail {

// Fills PrintedPlan::coarser, and says so, where a newer release may have printed the block and the numbers of a
// column show it.
void find_coarser_columns(DraftPlan& plan);

}  // namespace shardstats::log_detail
