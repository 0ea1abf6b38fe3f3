// Ids and poolings of a batch in the likeliest explanation (likely_base.h): S and y of each table (storage-model.md
// section 3.2), such that cells of tables and ranks are what the log prints. Private to src/infer.
#pragma once

#include <vector>

#include "infer/likely_table.h"

namespace shardstats::infer_detail {

struct LikelyLookups {
  double off = 0;       // by how many widths of what rounding leaves the worst sum of tables and ranks is off
  Constants constants;  // dense and KJT storage of a rank, together
};
// Sets those of `tables`, in `bounds`, by table; they start as they are.
LikelyLookups settle_lookups(const Inference& base, const Outcome& outcome, const std::vector<Lookups>& bounds,
                             std::vector<LikelyTable>& tables);

}  // namespace shardstats::infer_detail
