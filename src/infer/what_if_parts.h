// Hypotheses of the log with changes applied to them. Private to src/infer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "infer/changed_inputs.h"

namespace shardstats::infer_detail {

// A hypothesis on the changed plan and the one on the log that it comes from.
struct ChangedOutcome {
  const Outcome* base = nullptr;
  const Outcome* from = nullptr;  // the same among the survivors of the log
  Survivor survivor;
  // By table, by option of the base: the option that became of it.
  std::vector<std::vector<Option>> became;
};

// What became of each hypothesis that explains the log: one for each way in which the changed plan could differ.
std::vector<ChangedOutcome> changed_outcomes(const Inference& base, const ChangedInputs& changed);

// HBM, DDR, Input and Output of each rank of the changed plan less those of the log, over all hypotheses; bytes, by
// Quantity. Only of ranks that the log has.
struct RankDifference {
  std::array<RealInterval, kQuantities> bytes{};
};
std::vector<RankDifference> rank_differences(const Inference& base, const ChangedInputs& changed,
                                             const std::vector<ChangedOutcome>& outcomes);

// By how many bytes the cells of table t of the changed plan differ from those of the log (kCells); none where its
// weights do, so that nothing known of the log's table holds for it.
std::optional<CellBytes> cell_differences(const Inference& base, const ChangedInputs& changed,
                                          const std::vector<ChangedOutcome>& outcomes, std::uint32_t t);

// By table of the changed plan: does its storage differ from the log's? Also if it moves.
std::vector<bool> changed_storage(const Inference& base, const ChangedInputs& changed,
                                  const std::vector<ChangedOutcome>& outcomes);

// Ranks of a host that the log allows, for tables that are to be split over hosts.
std::vector<std::int64_t> possible_local_sizes(const Inference& base);

// The outcome with each table's preferred option alone. The base that it refers to is kept by the second.
std::pair<ChangedOutcome, std::shared_ptr<const Outcome>> preferred_only(const Inference& base,
                                                                         const ChangedInputs& changed,
                                                                         const ChangedOutcome& outcome);

// Perf of the changed plan. `storage`: the result of rebuilding it, with shards. `preferred`: only the likeliest
// explanation instead of all.
struct ChangedPerf {
  PerfInputs inputs;
  std::vector<PerfOutcome> outcomes;
  std::vector<PerfCells> rank_differences;  // ms, of ranks that the log has
};
ChangedPerf changed_perf(const Inference& base, const ChangedInputs& changed,
                         const std::vector<ChangedOutcome>& outcomes, const Plan& storage, bool preferred);

}  // namespace shardstats::infer_detail
