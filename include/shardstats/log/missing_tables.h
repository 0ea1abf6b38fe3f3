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
// left out, and ranks that do not print it.
using ShardDifference = std::map<std::string_view, std::map<int, int>>;
ShardDifference shard_difference(const PrintedPlan& printed);

// Has a table of this sharding type a shard on each rank? One that is split by rows or copied (storage-model.md section
// 3).
bool is_on_all_ranks(std::string_view sharding_type);

// Does a table that has to be on all ranks name them all?
bool names_all_ranks(const PrintedPlan& printed);
// Where rows of ranks are missing without a place of their own, so that nothing is known to be of its rank; or null.
const Diagnostic* ranks_without_places(const PrintedPlan& printed);
// Does the log tell how many ranks there are? Lost rows stand in their place, but how many stood at its end shows only
// in such a table.
bool tells_rank_count(const PrintedPlan& printed);

// How many tables of a sharding type may have so many shards by rank: one that is not split has one in all. No bound
// where the type tells nothing.
struct TableBounds {
  std::int64_t least = 0, most = 0;
};
TableBounds tables_with_shards(std::string_view type, const std::map<int, int>& by_rank);

// A name with a number, by its last run of digits: "t_", "_user", 7.
struct NumberedName {
  std::string_view head, tail;
  std::int64_t number = 0;
};
std::optional<NumberedName> numbered_name(std::string_view name);

struct MissingTables {
  std::int64_t count = 0;                            // rows
  bool at_least = false;                             // the line that counts the tables of some kernel is lost, too
  std::map<std::string_view, std::int64_t> kernels;  // number of them by kernel; 0: any, its line is lost
  // Ranks of their shards by sharding type, ascending, each once; none in a block without ranks.
  std::map<std::string_view, std::vector<int>> types;
  // Where numbered names leave one out, as "t_7" between "t_6" and "t_8": the row that it stood in front of, and its
  // name if it is numbered as well.
  std::optional<std::size_t> before;
  std::string numbered_name;
  std::string_view listed_name;  // in a Top 5 list, without its module; empty: none

  bool on_rank(int rank) const;
};

// nullopt: no row is missing, or the ranks and the kernels disagree about it, so that something else is wrong.
std::optional<MissingTables> missing_tables(const PrintedPlan& printed);

}  // namespace shardstats
