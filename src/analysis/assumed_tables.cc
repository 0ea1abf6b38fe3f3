#include "shardstats/analysis/assumed_tables.h"

#include <algorithm>

#include "analysis/explain_parts.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/analysis/table_names.h"
#include "shardstats/infer/overrides.h"

namespace shardstats {

AssumedTables::AssumedTables(const std::vector<Override>& overrides) {
  for (const Override& override : overrides)
    if (!override.table.empty()) missing_.push_back({override, {}});
}

void AssumedTables::see(const PrintedPlan& printed) {
  seen_ = true;
  const auto& rows = printed.tables.rows;
  std::erase_if(missing_, [&](const Missing& one) {
    return std::ranges::any_of(rows, [&](const PrintedTable& row) { return is_about(one.override, row.fqn.text); });
  });
  if (missing_.empty()) return;
  std::vector<std::string> names;
  for (const PrintedTable& row : rows) names.emplace_back(telling_end(row.fqn.text));
  for (Missing& one : missing_)
    if (one.nearest.empty()) one.nearest = nearest_of(telling_end(one.override.table), names);
}

std::vector<UnknownTarget> AssumedTables::missing() const {
  std::vector<UnknownTarget> unknown;
  for (const Missing& one : missing_)
    if (seen_)
      unknown.push_back({"--assume " + one.override.table + "." + one.override.key + ": no block has a table '" +
                             one.override.table + "'",
                         one.nearest});
  return unknown;
}

}  // namespace shardstats
