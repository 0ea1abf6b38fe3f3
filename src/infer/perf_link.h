// The bandwidth of the link between the memories. Private to src/infer.
#pragma once

#include "infer/fit_tables.h"

namespace shardstats::infer_detail {

// The link shows in cached kernels as a part of their mix with HBM (perf-model.md section 2.3): where no number is
// linear in its reciprocal, its bounds follow from those of the others.
void fit_link(const FitTables& tables, PerfFit& fit);

}  // namespace shardstats::infer_detail
