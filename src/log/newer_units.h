// Units that no known release prints, in lines, headers and cells. Private to src/log.
#pragma once

#include "log/draft_plan.h"
#include "shardstats/log/fingerprint.h"

namespace shardstats::log_detail {

// Says which there are: a warning for each, or errors where most of the block has the known ones.
void report_newer_units(DraftPlan& plan, const TableHints& tables);

}  // namespace shardstats::log_detail
