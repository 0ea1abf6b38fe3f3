// Rows of the two tables that stand twice or are lost. Private to src/log.
#pragma once

#include <span>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// The text of each row, as it stands in the plan, without frame and padding.
using RowTexts = std::span<const Cell>;

// A row that stands above already, byte for byte, is left out; one that is lost gets its place without any cell, where
// the lists of the parameter table tell how many ranks there are. Reports all that is not 0, 1, 2, ...
void mend_rank_rows(RowTexts texts, PrintedPlan& plan);

// Leaves out rows that stand above already.
void mend_table_rows(RowTexts texts, PrintedPlan& plan);

}  // namespace shardstats::log_detail
