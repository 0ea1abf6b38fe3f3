#include "log/row_bounds.h"

namespace shardstats::log_detail {

void RowBounds::check_unplaced() {
  const auto world_size = parse_integer(plan_.slot(LineId::world_size).text, kMostRanks);
  if (plan_.ranks.printed || !world_size) return;
  for (const PrintedTable& row : plan_.tables.rows) {
    shards_ += most_shards(row, *world_size);
    if (shards_ <= kMostShards) continue;
    plan_.report_once(DiagnosticKind::many_unplaced_shards, row.emb_dim);
    return;
  }
}

}  // namespace shardstats::log_detail
