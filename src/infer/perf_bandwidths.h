// Bandwidths by numbers that are linear in their reciprocals. Private to src/infer.
#pragma once

#include "infer/fit_tables.h"
#include "infer/unit_costs.h"

namespace shardstats::infer_detail {

// Adds the bandwidths that explain the printed numbers with the fit's multipliers; counts the numbers that none
// explain. Starts from fit.solution, if there is one, and sets it.
void fit_bandwidths(const FitTables& tables, UnitCosts& costs, PerfFit& fit);

}  // namespace shardstats::infer_detail
