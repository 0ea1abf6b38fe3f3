// Rows of the two tables that stand twice or are lost. Private to src/log.
#pragma once

#include <cstdint>
#include <span>

#include "log/draft_plan.h"

namespace shardstats::log_detail {

// The text of each row, as it stands in the plan, without frame and padding.
using RowTexts = std::span<const Cell>;

// How many ranks there are by the lists of ranks that tables and lines have.
class RanksInLists {
 public:
  // Best right after the row was read: later its texts are no longer at hand.
  void add(const PrintedTable& row);
  void add_lines(const PrintedPlan& plan);
  // By the list that goes furthest.
  std::int64_t of_any() const { return most_ + 1; }
  // By two lists: one alone may be wrong.
  std::int64_t of_two() const { return second_ + 1; }
  // By the list of the only table that has to be on all of them; 0: there is none, or several.
  std::int64_t of_only() const { return tables_ == 1 ? most_ + 1 : on_all_ == 1 ? last_on_all_ + 1 : 0; }
  // Does the row of any table list ranks?
  bool tables_have_any() const { return tables_have_any_; }
  // Does any table have to be on all of them?
  bool tells_all() const { return on_all_ > 0; }

 private:
  void add_last(std::int64_t rank);

  std::size_t tables_ = 0, on_all_ = 0;  // how many tables there are, and are on all ranks
  bool tables_have_any_ = false;
  std::int64_t most_ = -1, second_ = -1;  // the last ranks of the two lists that go furthest
  std::int64_t last_on_all_ = -1;         // of the last table that is on all ranks
};

// The numbers of ranks may stand in a column that has another name. A row that stands above already, byte for byte, is
// left out; one that is lost gets its place without any cell, where the lists of tables and lines tell how many ranks
// there are. Reports all that is not 0, 1, 2, ..., and lost lists of shards.
void mend_rank_rows(RowTexts texts, const RanksInLists& ranks, DraftPlan& plan);

// Leaves out rows that stand above already.
void mend_table_rows(RowTexts texts, DraftPlan& plan);

}  // namespace shardstats::log_detail
