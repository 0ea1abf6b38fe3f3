// Reports numbers of rows that are larger than those which are read (limits.h). Inline, since nearly all rows are
// asked. Private to src/log.
#pragma once

#include <cstddef>
#include <cstdint>

#include "log/draft_plan.h"
#include "log/lists.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::log_detail {

// May a number of the column be larger than those which are read?
inline bool has_bound(ColumnId id) {
  return id == ColumnId::rank || id == ColumnId::emb_dim || id == ColumnId::hash_size || id == ColumnId::features ||
         id == ColumnId::ranks;
}

class RowBounds {
 public:
  explicit RowBounds(DraftPlan& plan) : plan_(plan) {}

  // Looks at the cell of a column that was just read. True: it is not to be used.
  bool is_beyond(ColumnId id, PrintedRank& row) {
    if (id == ColumnId::rank) plan_.check_size(row.rank, kMostRanks - 1, DiagnosticKind::large_rank);
    return false;
  }
  bool is_beyond(ColumnId id, PrintedTable& row) {
    switch (id) {
      case ColumnId::emb_dim:
        plan_.check_size(row.emb_dim, INT64_MAX, DiagnosticKind::large_number);
        plan_.check_size(row.cw_dim, INT64_MAX, DiagnosticKind::large_number);
        return false;
      case ColumnId::hash_size:
        check_elements(row);
        return false;
      case ColumnId::features:
        if (row.features.text.size() > kDigitsOfFeatures)
          plan_.check_size(row.features, kMostFeatures, DiagnosticKind::many_features);
        return false;
      case ColumnId::ranks:
        return has_shards_beyond(row);
      default:
        return false;
    }
  }
  // Where no rank is printed, the shards follow from the world size. Once all rows are read.
  void check_unplaced() {
    const auto world_size = parse_integer(plan_.slot(LineId::world_size).text, kMostRanks);
    if (plan_.ranks.printed || !world_size) return;
    for (const PrintedTable& row : plan_.tables.rows) {
      shards_ += most_shards(row, *world_size);
      if (shards_ <= kMostShards) continue;
      plan_.report_once(DiagnosticKind::many_unplaced_shards, row.emb_dim);
      return;
    }
  }

 private:
  // Of whole numbers that are below a bound whatever the digits are.
  static constexpr std::size_t kDigitsOfTable = 14, kDigitsOfFeatures = 6;
  static_assert(kLargestTable >= 100'000'000'000'000 && kMostFeatures >= 1'000'000);

  // Once the rows and columns of the table are read. A product has no more digits than its factors.
  void check_elements(const PrintedTable& row) {
    if (row.hash_size.text.size() + row.emb_dim.text.size() <= kDigitsOfTable) return;
    plan_.check_size(row.hash_size, INT64_MAX, DiagnosticKind::large_number);
    const auto cols = parse_integer(row.emb_dim.text);
    if (cols && *cols > 0) plan_.check_size(row.hash_size, kLargestTable / *cols, DiagnosticKind::large_table);
  }

  // The cell is taken out of the row if all shards together were too many.
  bool has_shards_beyond(PrintedTable& row) {
    const std::int64_t more = ranks_in(row.ranks.text);
    if (more <= kMostShards - shards_) {
      shards_ += more;
      return false;
    }
    plan_.report_once(DiagnosticKind::many_shards, row.ranks);
    row.ranks = {};
    return true;
  }

  DraftPlan& plan_;
  std::int64_t shards_ = 0;  // of the rows so far
};

}  // namespace shardstats::log_detail
