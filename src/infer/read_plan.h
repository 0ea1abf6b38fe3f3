// Collects from a PrintedPlan everything that inference compares: tables, ranks, kernel lines, reservation.
// Private to src/infer.
#pragma once

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

PlanInputs read_plan(const PrintedPlan& printed);

}  // namespace shardstats::infer_detail
