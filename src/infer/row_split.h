// A row split that is not even, narrowed by what the ranks hold: where devices have capacities of their own, part k of
// every row-wise table has the same share of its rows (storage-model.md section 3.3); each table may have buckets of
// its own (3.4). Private to src/infer.
#pragma once

#include <optional>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

// What the memory of the ranks says about the split of a settled outcome; none where it says nothing (new).
std::optional<RowSplit> narrowed_rows(const PlanInputs& plan, const Outcome& outcome);

// The outcome with its row-wise tables split like that; nothing else is changed.
Outcome with_rows(const PlanInputs& plan, Outcome outcome, const RowSplit& rows);

// Calls settle(rows), which sets the outcome again with them, as long as they are narrowed and it costs at most
// `limit`.
template <class F>
void each_row_split(const PlanInputs& plan, Outcome& outcome, std::int64_t limit, F settle) {
  const int rounds = outcome.rows.how == SplitRows::by_memory ? 3 : 2;  // the first two tell nearly all
  for (int round = 0; round < rounds && outcome.cost() <= limit; ++round) {
    const auto rows = narrowed_rows(plan, outcome);
    if (!rows) return;
    settle(*rows);
  }
}

}  // namespace shardstats::infer_detail
