// What kernels' lines and rows of ranks tell of lost ones among them. Where no table is printed nothing else does.
// Private to src/analysis.
#pragma once

#include <optional>

#include "analysis/checks.h"
#include "analysis/kernel_sums.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats::analysis {

// Below the rank table the planner prints a blank line and legends. Where the blank line or all legends are lost, rows
// in front of them may be as well, unless a table names all ranks.
bool may_lack_last_ranks(const PrintedPlan& printed);
// The same of the parameter table, below which a blank line and the batch size stand. The shards of the ranks tell
// whether it is whole, and where no plan was found the kernels' lines.
bool may_lack_last_tables(const PrintedPlan& printed);

// Are all ranks there, or rebuilt from their shards where their rows are lost?
bool knows_all_ranks(const PrintedPlan& printed, const Plan& plan);

// How many tables the kernels' lines count, and those of dense kernels alone; nullopt: a count is not read.
struct CountedKernels {
  std::int64_t all = 0, dense = 0;
};
std::optional<CountedKernels> counted_kernel_lines(const PrintedPlan& printed);

// And how many have the shards of the ranks; those of DP alone, which takes a dense kernel.
struct CountedTables {
  CountedKernels of_kernels{};
  TableBounds of_ranks{};
  std::int64_t of_dp = 0;

  bool lack_kernels() const { return of_kernels.all < of_ranks.least || of_kernels.dense < of_dp; }
  bool lack_ranks() const { return of_kernels.all > of_ranks.most; }
};
// nullopt: tables are printed, which tell more, or the block was cut off or has lost rows of ranks besides.
std::optional<CountedTables> counted_tables(const PrintedPlan& printed);

// Where no rows of tables are printed: is a kernel's line lost?
bool lacks_kernels(const PrintedPlan& printed);

// All rows list the sharding types of the plan: one without any shard has them on lost rows. Where tables are printed,
// their lists of ranks tell as much.
bool lacks_shards_of_a_type(const PrintedPlan& printed);

// The ranks hold what the kernels' tables take, and more.
struct MemoryTotals {
  TotalBytes kernels = ByteInterval{}, ranks = ByteInterval{};
  bool disagree() const {
    const bool is_placed = ranks && ranks->low > 0;  // a plan without ranks takes nothing of theirs
    return kernels && is_placed && kernels->low > ranks->high;
  }
};
// `corrections`: a cell that is wrong already by this plan counts as what it should be. Null: of a sum that ranks do
// not print.
MemoryTotals memory_totals(const PrintedPlan& printed, const KernelSum& sum, const Plan* corrections);

}  // namespace shardstats::analysis
