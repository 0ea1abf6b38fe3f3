// Hypotheses of the log with changes applied to them. Private to src/infer.
#pragma once

#include <optional>
#include <vector>

#include "infer/changed_inputs.h"
#include "infer/likely_base.h"

namespace shardstats::infer_detail {

// An option that explains a table of the log, and what became of it in the changed plan: several, where something
// counts now that the log does not tell. None: the table is dropped.
struct ChangedOption {
  Option was;
  std::optional<Option> is;
};

// A hypothesis on the changed plan and the one on the log that it comes from.
struct ChangedOutcome {
  const Outcome* base = nullptr;
  const Outcome* from = nullptr;  // the same among the survivors of the log
  Setting member;                 // of those of the survivor, the first that becomes this one
  Survivor survivor;
  std::vector<std::vector<ChangedOption>> options;  // by table of the log
};

// Sets what dense modules and the KJT take of each rank, bytes. `likely`: by this explanation alone; nullptr: by all.
void set_reservation(const Inference& base, const LikelyBase* likely, ChangedInputs& changed);
// What the changed plan says of it.
void describe_reservation(const Inference& base, const ChangedInputs& changed, const LikelyBase* likely, Plan& plan);
// Whole bytes, zero or more.
ByteInterval moved(ByteInterval from, RealInterval by);

// What became of each hypothesis that explains the log: one for each way in which the changed plan could differ.
std::vector<ChangedOutcome> changed_outcomes(const Inference& base, const ChangedInputs& changed);

// The shards that a table has on a rank of the log, and those that it has there in the changed plan.
struct ShardsOfChange {
  std::size_t rank = 0;
  double before = 0, now = 0;
};
// Of ranks below `ranks` that have some, ascending. nullptr: a plan does not have the table.
std::vector<ShardsOfChange> shards_by_rank(const TableInputs* before, const TableInputs* now, std::size_t ranks);

// HBM, DDR, Input and Output of each rank of the changed plan less those of the log, over all hypotheses; bytes, by
// Quantity. Only of ranks that the log has.
struct RankDifference {
  std::array<RealInterval, kQuantities> bytes{};
  RealInterval& of(Quantity q) { return bytes[at(q)]; }
  RealInterval of(Quantity q) const { return bytes[at(q)]; }
};
std::vector<RankDifference> rank_differences(const Inference& base, const ChangedInputs& changed,
                                             const std::vector<ChangedOutcome>& outcomes);

// By how many bytes the cells of table t of the changed plan differ from those of the log (kCells); none where its
// weights do, so that nothing known of the log's table holds for it.
std::optional<CellBytes> cell_differences(const Inference& base, const ChangedInputs& changed,
                                          const std::vector<ChangedOutcome>& outcomes, std::uint32_t t);

// Sets by how many bytes the cells of tables and kernels grow, over all hypotheses.
void add_growth_of_cells(const Inference& base, const ChangedInputs& changed,
                         const std::vector<ChangedOutcome>& outcomes, PlanGrowth& growth);

// By table of the changed plan: does its storage differ from the log's? Also if it moves.
std::vector<bool> changed_storage(const Inference& base, const ChangedInputs& changed,
                                  const std::vector<ChangedOutcome>& outcomes);

// Ranks of a host that the log allows, for tables that are to be split over hosts.
std::vector<std::int64_t> possible_local_sizes(const Inference& base);

// The same of the likeliest explanation alone. `outcomes`: those of all explanations.
ChangedOutcome likely_outcome(const Inference& base, const ChangedInputs& changed, const LikelyBase& likely,
                              const std::vector<ChangedOutcome>& outcomes);

// Perf of the changed plan. `storage`: the hypotheses that it was rebuilt by. `likely`: with this explanation alone
// instead of all; nullptr: with all.
struct ChangedPerf {
  PerfInputs inputs;
  std::vector<PerfOutcome> outcomes;
  std::vector<PerfCells> rank_differences;  // ms, of ranks that the log has
};
ChangedPerf changed_perf(const Inference& base, const ChangedInputs& changed,
                         const std::vector<ChangedOutcome>& outcomes, const SearchResult& storage,
                         const LikelyBase* likely);

}  // namespace shardstats::infer_detail
