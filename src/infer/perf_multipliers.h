// The multipliers of the backward pass (perf-model.md section 3.1). Private to src/infer.
#pragma once

#include "infer/fit_tables.h"

namespace shardstats::infer_detail {

struct Multipliers {
  RealInterval backward{2, 2}, weighted_backward{1, 1};  // the usual ones where those can be
  struct {
    RealInterval backward{2, 2}, weighted_backward{1, 1};
    RealInterval weighted_with_any{1, 1};  // weighted_backward with any `backward`, not the usual one
  } any;                                   // all that is left
};

// By the components, which need no bandwidths and no codecs.
Multipliers multipliers_of(const FitTables& tables);

// With the fit's bandwidths by totals, which are printed more finely than components.
void refine_multipliers(const FitTables& tables, PerfFit& fit);

}  // namespace shardstats::infer_detail
