// Reads the two column tables of a block by their headers and rules. Private to src/log.
#pragma once

#include <vector>

#include "log/draft_plan.h"
#include "log/frame.h"
#include "log/mend_rows.h"
#include "log/row_bounds.h"
#include "shardstats/log/fingerprint.h"

namespace shardstats::log_detail {

// What outlives the reading of one table: both tell of the ranks, and each may stand in the block twice.
struct TableState {
  const Block& block;
  BoxFrame& frame;
  DraftPlan& plan;
  RowBounds bounds{plan};
  TableHints hints = {};
  RanksInLists ranks_in_lists = {};
  std::vector<Cell> rank_rows = {}, table_rows = {};  // their texts, without frame and padding
};

class TableReader {
 public:
  // What is read and found is added to the plan.
  TableReader(const Block& block, BoxFrame& frame, DraftPlan& plan) : state_{block, frame, plan} {}

  // How many lines from this one on are those of a table, which is read; 0: none starts here.
  std::size_t read(std::size_t at);
  // Reports rows that are lost, leaves out those that stand twice. Once all lines are read.
  void mend_ranks();
  void mend_tables();
  const TableHints& hints() const { return state_.hints; }

 private:
  TableState state_;
};

}  // namespace shardstats::log_detail
