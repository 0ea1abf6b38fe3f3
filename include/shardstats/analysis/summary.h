// summary: will it run out of memory, where and why; is it slow and why; how does the plan shard.
//
//   PrintedPlan + Plan -> Summary { memory, perf, shape, oddities }
//
// All bytes and times are bounds: what the printed digits and the formulas leave. Texts point into the log.
// Tested by tests/analysis/summary_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/infer/what_if.h"

namespace shardstats {

// Part of the HBM of a rank.
struct MemoryPart {
  std::string label;  // "weights", "dense"
  RealInterval bytes{};
};

// A table with the HBM (bytes) or the perf (ms) of its shards on one rank, or of all of them.
struct TableShare {
  const PrintedTable* printed = nullptr;
  RealInterval value{};
};

// What one change of the run would do to the fullest rank. Storage only: placement and perf stay as they are.
struct ChangeEffect {
  std::string assignment;  // "batch_size=1280", "ebc.table_7.sharding=RW"
  RealInterval largest{};  // HBM of the fullest rank afterwards, bytes
  RealInterval fall{};     // by how much that is less than now
};

enum class Fit : std::uint8_t { unknown, roomy, tight, too_large };
inline constexpr std::array<std::string_view, 4> kFitNames = {"unknown", "roomy", "tight", "too_large"};
constexpr std::string_view name(Fit fit) { return name_of(fit, kFitNames); }

struct MemorySummary {
  bool known = false;     // the rank table is there
  bool complete = false;  // no row of it is lost, as far as the log tells; else the rest is of those that are there
  bool counts_reservation = false;             // the ranks' HBM includes dense modules and KJT (v0.8.0+)
  RealInterval largest{}, mean{}, smallest{};  // HBM of a rank, bytes
  std::vector<int> fullest;                    // ranks that may have the largest
  int peak = 0;                                // the one of them that `parts` and `tables` are of
  Cell peak_cell;                              // its printed HBM
  Cell share_cell;                             // its printed percentage,
  bool share_of_all = false;                   // which before v0.2.0 is of all memory, reserved or not
  // Another rank, of whose device more is taken: devices differ, and its own is smaller.
  std::optional<int> smaller;
  Cell smaller_cell;                     // its printed percentage
  std::optional<RealInterval> planning;  // HBM that the planner may fill on each rank, bytes; not if devices differ
  Cell planning_cell;
  RealInterval share{};     // of `largest` in it; where it is not printed, the printed percentage
  RealInterval headroom{};  // what is left of it
  Fit fit = Fit::unknown;
  std::vector<MemoryPart> parts;   // of the peak rank, largest first; empty: not rebuilt
  std::vector<TableShare> tables;  // on the peak rank, largest first
  std::size_t tables_on_peak = 0;
  std::vector<ChangeEffect> changes;    // largest fall first; empty: nothing helps or it cannot be computed
  std::vector<std::int64_t> histogram;  // ranks by HBM, in equal steps from smallest to largest
};

// How even the ranks are, by how much the largest exceeds the mean.
enum class Balance : std::uint8_t { even, slightly_uneven, uneven };
inline constexpr std::array<std::string_view, 3> kBalanceNames = {"even", "slightly uneven", "uneven"};
constexpr std::string_view name(Balance balance) { return name_of(balance, kBalanceNames); }

struct PerfSummary {
  bool known = false;
  bool complete = false;           // as of the memory
  bool in_ms = true;               // v0.1.0 prints other numbers, which are no times
  RealInterval largest{}, mean{};  // perf of a rank, ms
  RealInterval percent_above_mean{};
  Balance balance{};
  std::vector<int> slowest;
  int rank = 0;  // the one of them that the rest is of
  Cell cell;     // its printed perf
  bool parts_known = false;
  std::array<RealInterval, kPerfParts> parts{};     // in printed order, ms
  RealInterval compute{}, comms{};                  // their sums
  std::vector<TableShare> tables;                   // on that rank, slowest first
  Cell critical_comms, critical_compute, critical;  // as printed, ms; empty: not printed
};

// Tables that have something in common: a sharding type, a kernel.
struct TableGroup {
  std::string_view name;
  std::int64_t tables = 0;
  // Of all shards, bytes; nullopt: they are not known of every table.
  std::optional<std::int64_t> shards = 0;
  std::optional<RealInterval> hbm = RealInterval{}, ddr = RealInterval{};
};

struct ShapeSummary {
  bool complete = false;  // the log has all tables and their words, as far as it tells; else the rest is of those left
  std::vector<TableGroup> shardings, kernels;  // most HBM first
  std::vector<TableShare> largest;             // by the HBM of all shards
};

// Something worth a look, in one sentence with its numbers.
inline constexpr std::string_view kFullDdr = "full_ddr";  // ranks with more DDR than the planner may fill
struct Oddity {
  std::string_view id;  // "same_rank_twice"
  std::string message;
  std::int64_t tables = 0;
};

struct Summary {
  bool empty_plan = false;  // no plan was found
  MemorySummary memory;
  Balance memory_balance{};
  RealInterval memory_above_mean{};  // percent
  PerfSummary perf;
  ShapeSummary shape;
  std::vector<Oddity> oddities;
};

struct SummaryOptions {
  std::size_t top = 5;  // tables of each list; 0: all
};

// `plan` was inferred with InferOptions::shard_parts. `what_if`: of the same log; without it no change is tried.
Summary summarize(const PrintedPlan& printed, const Plan& plan, const SummaryOptions& options = {},
                  const WhatIf* what_if = nullptr);

}  // namespace shardstats
