// What one row of the parameter table says, as numbers: the facts of a table that no hypothesis changes.
// Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "infer/short_vector.h"
#include "shardstats/log/printed.h"
#include "shardstats/planner/storage.h"

namespace shardstats::infer_detail {

struct TableInputs {
  std::uint32_t row = 0;
  Sharding sharding{};
  bool quant = false;
  bool sequence = false;
  bool sized = false;             // the formulas have all they need
  bool poolings_known = false;    // printed
  bool poolings_are_one = false;  // every n_f is 1, as far as the sum says
  bool indices_known = false;     // printed, or determined by the other columns
  bool uniform_batch = true;      // all b_f equal
  bool ratio_printed = false;     // the column exists and has a number or None
  bool ratio_lost = false;        // the planner printed it, this log has lost it
  bool order_open = false;        // any of its ranks may hold any part of its rows
  const KernelTraits* kernel = nullptr;
  std::int64_t rows = 0, cols = 0, block = 0;  // block: printed CW dim, 0 if none
  std::int64_t features = 1;
  ShortVector<int, 8> ranks;                                        // one a shard, ascending; empty for an empty plan
  RealInterval pooling_sum{};                                       // sum of l_f
  RealInterval poolings{};                                          // sum of n_f
  RealInterval indices{};                                           // sum of l_f * n_f
  RealInterval batch{};                                             // bounds of b_f
  std::int64_t batch_total = 0;                                     // sum of b_f
  std::optional<double> printed_ratio;                              // Cache Load Factor as a number
  std::array<std::optional<ByteInterval>, 3> cells;                 // printed: HBM, DDR, SSD (kCells of model.h)
  std::optional<int> fixed_element, fixed_output, fixed_optimizer;  // by --assume: indices of model.h
};

// Does the log say all that its shards are rebuilt of?
inline bool can_be_rebuilt(const TableInputs& table) { return table.sized && table.kernel != nullptr; }
// The module of the table: its name without the last part; none where the name is lost.
std::optional<std::string_view> module_of(const PrintedTable& printed);

inline bool is_row_wise(const TableInputs& table) { return table.sized && table.sharding == Sharding::rw; }
// Does its kernel say that it has buckets, in the releases that know these?
inline bool has_virtual_kernel(const TableInputs& table) {
  return table.kernel != nullptr && table.kernel->speed == KernelSpeed::virtual_table;
}
// Is a table split by columns into blocks of a width that is not printed (before v0.5.0)?
inline bool columns_hidden(const TableInputs& table) {
  return table.block == 0 && (table.sharding == Sharding::cw || table.sharding == Sharding::twcw);
}

// Does the table have one shard on each of so many ranks?
inline bool is_everywhere(const TableInputs& table, std::size_t ranks) {
  if (ranks == 0 || table.ranks.size() != ranks) return false;
  for (std::size_t r = 0; r < ranks; ++r)
    if (static_cast<std::size_t>(table.ranks[r]) != r) return false;
  return true;
}

// Calls f(rank) for each shard of the table that is on one of so many ranks: those of a plan that was not found are on
// none.
template <class F>
void each_rank(const TableInputs& table, std::size_t ranks, F f) {
  for (const int rank : table.ranks)
    if (static_cast<std::size_t>(rank) < ranks) f(static_cast<std::size_t>(rank));
}
// Leaves out the ranks that may have a shard of the table: all, where its ranks are not known.
inline void leave_out(const TableInputs& table, std::vector<bool>& ranks) {
  if (table.ranks.empty()) ranks.assign(ranks.size(), false);
  each_rank(table, ranks.size(), [&](std::size_t rank) { ranks[rank] = false; });
}

// Is some table split over the ranks of groups?
inline bool any_grouped(const std::vector<TableInputs>& tables) {
  return std::ranges::any_of(tables, [](const TableInputs& t) { return is_grouped(t.sharding); });
}

// Or data-parallel?
inline bool any_replicated(const std::vector<TableInputs>& tables) {
  return std::ranges::any_of(tables, [](const TableInputs& t) { return t.sharding == Sharding::dp; });
}

// The plan's facts: world size, batch size, capacities are read by the caller.
std::vector<TableInputs> read_tables(const PrintedPlan& printed, std::int64_t world_size, double batch_size);

// Bounds of S (lookups) and y (pooled) of storage.h for one table under one I/O generation.
// `free_poolings`: the hidden n_f of releases without a poolings column may be anything (v0.3.x), not just 1.
struct Lookups {
  RealInterval lookups, pooled;
  friend bool operator==(const Lookups&, const Lookups&) = default;
};
Lookups lookups_of(const TableInputs& table, IoGeneration generation, bool free_poolings);

// A printed number as non-negative bounds; nullopt if absent or malformed. Few have a sign.
std::optional<RealInterval> printed_with_sign(const Cell& cell, Format format);
inline std::optional<RealInterval> printed_real(const Cell& cell, Format format) {
  return cell.text.starts_with('-') ? printed_with_sign(cell, format) : values_printed_as(cell.text, format);
}
std::optional<ByteInterval> printed_bytes(const Cell& cell, Format format, std::int64_t unit);
std::optional<std::int64_t> printed_integer(const Cell& cell);

}  // namespace shardstats::infer_detail
