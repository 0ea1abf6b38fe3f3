// What diff.cc and its companions share. Private to src/analysis.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "shardstats/analysis/diff.h"

namespace shardstats::analysis {

using Known = std::optional<RealInterval>;

// `growth`: what is known of the change besides; nullptr: nothing.
NumberDiff difference(std::string_view name, DiffUnit unit, Known before, Known after,
                      const RealInterval* growth = nullptr);
// For sorting: how large a change is, in either direction.
double magnitude(RealInterval change);
// Bytes behind a change: HBM, DDR and SSD.
double bytes_moved(const Cause& cause);

// The same table of both plans; only one of them for an added or a dropped table. Indices of rows and of Plan::tables.
struct TablePair {
  std::optional<std::uint32_t> before, after;
};
// Else a table without a row may be one whose row or name is lost.
bool names_all_tables(const DiffSide& side);
// Has a log lost tables or their names, so that others may differ? Not where neither prints them.
bool are_tables_lost(const DiffSide& base, const DiffSide& next);
// None where a log does not print its tables: then none of the other's is new or gone.
std::vector<TablePair> pair_tables(const DiffSide& base, const DiffSide& next);

// A table of one side; `plan` is nullptr where nothing was rebuilt of it.
struct SideTable {
  const PrintedPlan& printed;
  const PrintedTable& row;
  const PlanTable* plan;
};
SideTable table_of(const DiffSide& side, std::uint32_t index);
// Are its sizes rebuilt? A table of the other side alone has none here.
bool is_sized(const DiffSide& side, std::optional<std::uint32_t> index);

// Inputs of the whole plan that changed.
struct WideInputs {
  std::vector<InputDiff> storage;   // that the memory of every table depends on (and its time)
  std::vector<InputDiff> capacity;  // of the devices
  std::vector<InputDiff> speed;     // that only times depend on
  // The optimizer class before and after, where it changed for all tables.
  std::optional<std::pair<Optimizer, Optimizer>> optimizer{};

  const InputDiff* find(std::string_view name) const;
};
// As the ranks or the line tell; empty if they do not.
std::string world_size_text(const DiffSide& side);
WideInputs wide_inputs(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs);

// Inputs of a table of both plans that changed for itself, the most telling first.
std::vector<InputDiff> table_inputs(const DiffSide& base, const DiffSide& next, const TablePair& pair,
                                    const WideInputs& wide);

TableDiff table_diff(const DiffSide& base, const DiffSide& next, const TablePair& pair, std::vector<InputDiff> inputs);

std::vector<AssumptionDiff> assumption_diffs(const DiffSide& base, const DiffSide& next,
                                             const std::vector<TablePair>& pairs);

// Ranks in their order; `tables` are the differences of `pairs`.
std::vector<RankDiff> rank_diffs(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs,
                                 const std::vector<TableDiff>& tables, bool plan_wide, bool lost_tables);

// In the order of their names.
std::vector<KernelDiff> kernel_diffs(const DiffSide& base, const DiffSide& next);
// Do the kernels count all tables, so that one without tables has none?
bool counts_all_kernels(const DiffSide& side);
// Are there more tables than before, or fewer, as far as both sides count them?
bool has_other_tables(const std::vector<KernelDiff>& kernels);

std::vector<NotCompared> not_compared(const DiffSide& base, const DiffSide& next);

// Is the table new or gone, or has inputs of its own that changed?
bool has_own_cause(const TableDiff& table);

// Adds the bandwidth, the multiplier or the local world size that changed, found by the times of tables whose own
// inputs are equal.
void add_speed(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs,
               const std::vector<TableDiff>& tables, WideInputs& wide);

// `all_ranks`: their HBM. `other_tables`: there are more of them, or fewer. `lost_tables`: a log has lost some.
std::vector<Cause> causes_of(const WideInputs& wide, const std::vector<TableDiff>& tables, const NumberDiff& all_ranks,
                             bool other_tables, bool lost_tables);

// Notes that hidden inputs are those of an explanation that does not fit all of a log.
void doubt_hidden_inputs(std::vector<Cause>& causes);

// The number with the fewest digits inside the bounds: 25 of 24.9987..25.0031.
std::string shortest_in(RealInterval bounds);

// Words of --set.
std::string dtype_word(double element_size);
std::string bandwidth_word(RealInterval bytes_per_ms);
std::string optimizer_word(Optimizer optimizer);
bool have_common(const std::vector<AssumedValue>& a, const std::vector<AssumedValue>& b);

}  // namespace shardstats::analysis
