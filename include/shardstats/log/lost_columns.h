// Columns that a log has lost.
#pragma once

#include <vector>

#include "shardstats/log/layout.h"
#include "shardstats/log/printed.h"

namespace shardstats {

// What all releases that may have printed the log print, and the rank or parameter table lacks, as the first of them
// prints it; in the order of the forms. Batch sizes are no column of every log (log-format.md section 3.4), and what a
// newer release has renamed is not lost.
std::vector<const ColumnForm*> lost_columns(const PrintedPlan& printed, bool rank_table);

// The first of those of the parameter table that the sizes of shards rest on; null if there is none.
const ColumnForm* lost_column_of_sizes(const PrintedPlan& printed);

// Do all releases that may have printed the log print the column, under whichever name?
bool is_always_printed(const PrintedPlan& printed, ColumnId id, bool rank_table);

}  // namespace shardstats
