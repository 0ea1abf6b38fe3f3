// Row-wise tables that are split by buckets (storage-model.md section 3.4): what the memory of the ranks leaves of the
// number of buckets. Private to src/infer.
#pragma once

#include <vector>

#include "infer/evaluate.h"
#include "infer/model.h"
#include "infer/row_lines.h"

namespace shardstats::infer_detail {

// Bounds of the rows of each part of the row-wise tables, by table; those of others are empty. Any number of buckets
// that divides the rows is possible, and an even split; a table with too many of these to be tried may have any rows.
// Empty: no buckets explain the sums. For plans whose row-wise tables have part k on rank k.
RowsByTable rows_in_buckets(const PlanInputs& plan, const Outcome& outcome, const std::vector<RowLine>& lines);

}  // namespace shardstats::infer_detail
