// Lines outside the two tables that stand twice, or below a heading that is lost. Private to src/log.
#pragma once

#include "log/draft_plan.h"

namespace shardstats::log_detail {

// Reports lines that the planner prints once, but stand above already, and leaves them out: what rests on such a number
// reads the first one. Nor are lines read that may be those of a heading that is lost.
void mend_lines(DraftPlan& plan);
// Is a heading lost between lines that look like those below it?
bool lacks_heading(const PrintedPlan& plan);

}  // namespace shardstats::log_detail
