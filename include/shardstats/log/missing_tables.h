// Rows of the parameter table that a log has lost, as the rank table and the kernel lines show them.
// Tested by tests/log/missing_tables_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats {

// Sharding type -> rank -> number of shards: what the rank rows print less what the parameter table lists. Zeros are
// left out.
using ShardDifference = std::map<std::string_view, std::map<int, int>>;
ShardDifference shard_difference(const PrintedPlan& printed);

struct MissingTables {
  std::int64_t count = 0;                            // rows
  std::map<std::string_view, std::int64_t> kernels;  // number of them by kernel
  // Ranks of their shards by sharding type, ascending, each once; none in a block without ranks.
  std::map<std::string_view, std::vector<int>> types;
  // Of one of them, if numbered names leave it out ("t_7" between "t_6" and "t_8"), or a Top 5 list has it; else empty.
  std::string name;  // with its module, if that is known
  bool has_module = false;
  std::optional<std::size_t> before;  // the row that it stood in front of, if known

  bool on_rank(int rank) const;
};

// nullopt: no row is missing, or the ranks and the kernels disagree about it, so that something else is wrong.
std::optional<MissingTables> missing_tables(const PrintedPlan& printed);

}  // namespace shardstats
