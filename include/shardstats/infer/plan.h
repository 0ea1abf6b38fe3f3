// Plan: the rebuilt plan. Every shard with its byte bounds, every rank, and the assumptions they rest on.
// It never holds a printed number; rows refer to their printed row by index, so that analysis can compare.
//
//   PrintedPlan --infer()--> Plan
//
// Bounds contain the true value whenever the log is undamaged: they are the hull over all hypotheses that no printed
// number rules out. An `Expectation` is what a printed cell should show according to the formulas and all *other*
// cells; `contradicted` says that the printed one lies outside. Tested by tests/infer/*_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/log/missing_tables.h"
#include "shardstats/log/printed.h"
#include "shardstats/planner/perf.h"
#include "shardstats/planner/storage.h"

namespace shardstats {

struct Expectation {
  ByteInterval bytes;
  bool known = false;         // false: nothing in this log determines the cell
  bool contradicted = false;  // the printed cell lies outside `bytes`
};

// Bounds of a perf cell: the components in printed order and their total, ms.
struct PlanPerf {
  std::array<RealInterval, kPerfParts> parts{};
  RealInterval total{};
};

struct PerfExpectation {
  bool known = false;              // false: nothing in this log determines the cell
  std::uint32_t contradicted = 0;  // a bit for each component, then one for the total
  PlanPerf expected;
};

// What the preferred perf of a table rests on (perf-model.md).
struct PerfChoice {
  double element_size = 4;  // bytes; a table too small for its storage to show it may differ from Choice
  bool weighted = false;
  bool prefetch_pipeline = false;
  bool prefetch_hidden = false;  // its prefetch time depends on cache statistics that are not printed (3.6)
  RealInterval caching_ratio{};
  WireSizes wire;
  std::vector<WireSizes> other_wires;  // that explain the log equally well
};

// One way to fill in what a log hides about a table.
struct Choice {
  double element_size = 4;         // e, bytes
  double output_element_size = 4;  // e_o, bytes
  Optimizer optimizer = Optimizer::none;
  bool virtual_table = false;
  int passes = 1;                // p of the multipass prefetch
  RealInterval caching_ratio{};  // rho; {0, 0} for a kernel without cache
  friend bool operator==(const Choice&, const Choice&) = default;
};

// Bounds of one shard.
struct ShardSizes {
  ByteInterval rows, cols;
  ByteInterval hbm, ddr, ssd;
  ByteInterval input, output;  // as the Input/Output columns count them
  // What hbm and ddr are made of, if InferOptions::shard_parts asks for it:
  ByteInterval tensor, optimizer, cache_aux;  // HBM and DDR parts together; a key-value cache counts as tensor
  ByteInterval pipeline_io;                   // what the storage estimator adds for input and output

  // Has it no rows or no columns?
  Emptiness emptiness() const {
    if (rows.high == 0 || cols.high == 0) return Emptiness::yes;
    return rows.low == 0 || cols.low == 0 ? Emptiness::unknown : Emptiness::no;
  }
};

struct PlanShard {
  int index = 0;                      // 0-based, in the order of the printed ranks
  std::optional<int> rank;            // nullopt for an empty plan
  const ShardSizes* sizes = nullptr;  // never null in a plan; equal shards of a table share it
};

// How the rows of a row-wise table are split over its ranks, as far as the log shows it (storage-model.md section 3).
enum class RowSplitKind : std::uint8_t {
  evenly,           // 3.1; tables of other shardings, too
  in_any_order,     // the same, but any rank of the host may have any of these parts
  by_equal_memory,  // 3.3, by capacities that are all the same: the last one has the rest
  by_memory,        // 3.3, and the memory of the ranks shows how
  in_buckets,       // 3.4, or evenly: a virtual table, whose number of buckets is not printed
  hidden,           // not shown: 3.3 or 3.4, or evenly
};

struct PlanTable {
  // What many passes over the tables ask for stands side by side.
  std::uint32_t row = 0;  // index into PrintedPlan::tables.rows
  Sharding sharding{};
  bool sequence = false;
  bool sized = false;                              // rows, cols and everything else the formulas need were printed
  bool on_every_rank = false;                      // one shard each, in order; false: not known
  std::uint32_t first_shard = 0, shard_count = 0;  // into Plan::shards
  const KernelTraits* kernel = nullptr;            // nullptr: no release has this kernel
  std::int64_t rows = 0, cols = 0;                 // of the full table; 0 if not printed
  std::int64_t features = 1;
  bool explained = true;  // false: no hypothesis gives the printed storage
  RowSplitKind row_split = RowSplitKind::evenly;
  // Do capacities that differ decide about its rows, or may they?
  bool may_follow_capacities() const {
    return row_split == RowSplitKind::by_memory || row_split == RowSplitKind::hidden;
  }
  Expectation hbm, ddr, ssd;  // sums over all shards; bounds of them also where no cell is known
  PlanPerf shard_perf;        // of each shard: all of a table are equal (perf-model.md section 5)
  PerfExpectation perf;       // of the table's cell
  Choice choice;              // the preferred explanation
  PerfChoice perf_choice;
  RealInterval lookups, pooled;      // facts S and y of storage.h, bounds
  RealInterval pooling_sum;          // sum of l_f
  std::vector<Choice> alternatives;  // all others that nothing printed rules out
  // Operands of the storage formulas with `choice`; none, unless InferOptions::shard_parts asks for them.
  std::vector<TableFacts<RealInterval>> facts;
};

struct PlanRank {
  int rank = 0;
  bool known = true;  // false: its row or a cell of it is lost, and it could not be rebuilt from its shards
  ByteInterval sparse_hbm, sparse_ddr;  // sums over the shards
  ByteInterval hbm, ddr;                // with dense and KJT where the release counts them
  ByteInterval input, output;           // bytes behind the columns
  Expectation expected_hbm, expected_ddr, expected_input, expected_output;
  PlanPerf perf;                 // sums over the shards
  std::uint32_t perf_cells = 0;  // those of `perf` that are printed or rebuilt: a bit for each part, then the total
  PerfExpectation expected_perf;

  bool knows_perf(std::size_t cell) const { return (perf_cells >> cell & 1) != 0; }
};

// What the perf of all tables rests on.
struct PlanPerfSetting {
  bool known = false;
  PerfSetting<RealInterval> setting;                     // the preferred one
  Bandwidths<RealInterval> bandwidths;                   // bounds over all that explain the log
  RealInterval backward{2, 2}, weighted_backward{1, 1};  // multipliers, likewise
  Bandwidths<bool> used{};  // by any table, whichever of them holds, and bounded by what is printed
};

// The sums over all ranks. Known where a split is hidden, so that single ranks leave room but all together do not.
struct PlanTotals {
  Expectation hbm, ddr, input, output;
  std::optional<RealInterval> perf;  // ms: what all tables take, where all ranks together print something else
};

struct PlanKernel {
  std::string_view name;  // as printed in the parameter table
  std::int64_t tables = 0;
  Expectation hbm, ddr, ssd, weights, optimizer_state;
};

// By its name: is its value in bytes/ms?
inline bool is_bandwidth(std::string_view assumption) { return assumption.ends_with("_bw"); }

// A word, a truth value, a number or a pair of bounds.
using AssumedValue = std::variant<std::string, bool, double, ByteInterval, RealInterval>;

enum class Origin : std::uint8_t { log, inferred, flag, defaulted };

struct Assumption {
  std::string_view name;               // contract.md, "Assumption names"
  std::optional<std::uint32_t> table;  // index into Plan::tables; nullopt: scope plan
  AssumedValue value;
  Origin origin = Origin::inferred;
  std::vector<AssumedValue> alternatives;
  std::int64_t support = 0;  // printed numbers that rule the other values out
  std::optional<int> group;  // joint alternatives, see Plan::groups
  std::int64_t tables = 1;   // that it holds for; `table` is the first. More than one only without alternatives
};

// Alternatives that hang together, e.g. {element_size 2, optimizer none} or {1, other}.
struct JointChoices {
  int id = 0;
  std::uint32_t table = 0;
  std::vector<Choice> choices;
};

class Precedent;
struct FirstLook;

struct Plan {
  std::vector<Release> releases;      // that explain the log equally well, oldest first
  Setting setting;                    // the preferred one; its rules are those of the layout release
  std::vector<Setting> alternatives;  // other settings that explain the log equally well
  bool sized = false;                 // v0.3.0+ with a parameter table: shards were rebuilt
  bool empty = false;                 // no plan was found: no ranks
  std::vector<PlanTable> tables;
  std::vector<PlanShard> shards;
  std::shared_ptr<const void> sizes;  // memory of what shards refer to; copies of a plan share it
  std::vector<PlanRank> ranks;
  PlanTotals all_ranks;
  std::vector<PlanKernel> kernels;       // sorted by name
  std::optional<MissingTables> missing;  // their shards are in no sum: ranks and kernels that have some are not known
  PlanPerfSetting perf;
  Policy policy = Policy::other;
  std::vector<Policy> policies;                         // all that fit, `policy` first
  ByteInterval dense_hbm, dense_ddr, kjt_hbm, kjt_ddr;  // per rank, as counted in rank memory
  Expectation kjt;                                      // what the KJT formula gives for the printed KJT line
  std::vector<Assumption> assumptions;
  std::vector<JointChoices> groups;
  std::int64_t contradictions = 0;              // printed cells outside their expectation
  bool columns_agree = true;                    // some number of ids and of outputs of each table may explain Input and
                                                // Output of all ranks; false: bounds of all that explains the log tell
  bool gave_up = false;                         // an exhaustive search might explain more
  bool perf_left_out = false;                   // it gave up after the storage half; assumptions are not listed either
  std::shared_ptr<const FirstLook> first_look;  // where it gave up: what that search need not do again
  std::shared_ptr<const Precedent> precedent;   // see precedent.h; null unless asked for, or if contradicted

  std::span<const PlanShard> shards_of(const PlanTable& table) const {
    return std::span(shards).subspan(table.first_shard, table.shard_count);
  }
  // Of its shards, in their order.
  std::vector<int> ranks_of(const PlanTable& table) const {
    std::vector<int> all;
    for (const PlanShard& shard : shards_of(table))
      if (shard.rank) all.push_back(*shard.rank);
    return all;
  }
  // How many shards of the table lie on the rank.
  std::ptrdiff_t shards_on(const PlanTable& table, int rank) const {
    const auto here = [rank](const PlanShard& shard) { return shard.rank == rank; };
    return std::ranges::count_if(shards_of(table), here);
  }
  // What all shards of the table take together: no more than its bounds say, which know it better where shards are
  // open.
  ByteInterval total_of(const PlanTable& table, ByteInterval ShardSizes::*size, const Expectation& bounds) const {
    ByteInterval sum{};
    for (const PlanShard& shard : shards_of(table)) sum = sum + shard.sizes->*size;
    return table.sized && !bounds.contradicted ? narrowed(sum, bounds.bytes) : sum;
  }
  const PlanTable* table_of_row(std::uint32_t row) const { return row < tables.size() ? &tables[row] : nullptr; }
};

// --assume KEY=VALUE: overrides of inference. `table` empty: every table.
struct Override {
  std::string key, table, value;
};
struct BadOverride {
  std::string message;
};

// How far inference goes where the log contradicts all that is likely.
enum class Effort : std::uint8_t {
  uniform,  // one dtype and optimizer for all tables and default bandwidths; Plan::gave_up says that this falls short
  likely,   // tables may have values of their own, bandwidths are fitted
  exhaustive,
};

struct InferOptions {
  std::vector<Override> overrides;
  bool alternatives = true;  // false: skip the list of every table's alternatives (verify does not show them)
  bool perf = true;          // false: skip the perf half
  bool perf_anyhow = true;   // false: skip it where uniform values fall short of the storage, see Plan::perf_left_out
  Effort effort = Effort::exhaustive;
  bool shard_parts = true;  // false: skip what the bytes of a shard are made of and rest on (verify does not show it)
  bool shards_by_ranks = true;  // false: bounds of shards by their tables alone, as those of a changed plan are
  bool keep_precedent = false;  // for infer_like(), see precedent.h
  std::shared_ptr<const FirstLook> first_look = nullptr;  // of the same plan and overrides with less effort, see Plan
};

// Parses "release=v1.4.0", "dtype=fp16", "table_X.dtype=fp32", ...
std::variant<Override, BadOverride> parse_override(std::string_view text);

Plan infer(const PrintedPlan& printed, const InferOptions& options = {});

}  // namespace shardstats
