// Reads the two column tables of a block by their headers and rules. Private to src/log.
#pragma once

#include <vector>

#include "log/draft_plan.h"
#include "log/frame.h"
#include "log/mend_rows.h"
#include "log/row_bounds.h"
#include "shardstats/log/fingerprint.h"

namespace shardstats::log_detail {

// What is read of the tables of a block, beyond what the plan keeps: both tell of the ranks, and each may stand there
// twice.
struct TablesSoFar {
  const Block& block;
  BoxFrame& frame;
  DraftPlan& plan;
  RowBounds bounds{plan};
  TableHints hints = {};
  RanksInLists ranks_in_lists = {};
  std::vector<Cell> rank_rows = {}, table_rows = {};  // their texts, without frame and padding
};

// How many lines from this one on are those of a table, which is added to the plan; 0: none starts here.
std::size_t read_table(TablesSoFar& tables, std::size_t at);
// Reports rows that are lost, leaves out those that stand twice. Once all lines are read.
void mend_tables(TablesSoFar& tables);

}  // namespace shardstats::log_detail
