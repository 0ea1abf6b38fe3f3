// What the printed perf says of the storage half: a table's dtype shows in both. Private to src/infer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "infer/perf_evaluation.h"
#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// Removes options of tables whose element size contradicts their printed perf under all of `outcomes`, where another
// one contradicts nothing, and, if bounds are asked for, numbers of ids and poolings that do. True if there were such.
// Only outcomes that explain the log with the default bandwidths, or with others that are known narrowly, say anything:
// others were fitted with the element sizes that they would judge.
bool narrow_by_perf(const PlanInputs& plan, const PerfInputs& perf, const std::vector<PerfOutcome>& outcomes,
                    const InferOptions& options, SearchResult& found);

// How many sums of storage may be wrong since perf denies the dtypes of tables that explain them: any number where
// default bandwidths or narrow ones explain all perf, one where those that such a table uses are known like that.
std::int64_t sums_that_perf_denies(const PlanInputs& plan, const PerfInputs& perf,
                                   const std::vector<PerfOutcome>& outcomes);

// The inputs with the dtype of each table whose perf shows it, if the storage half leaves others to some of them.
// `outcomes`: without alternatives, so that bounds are those of the likeliest bandwidths.
struct DtypesOfPerf {
  PlanInputs inputs;
  bool differ = false;  // the storage half leaves some table none of those that perf shows
};
std::optional<DtypesOfPerf> with_dtypes_of_perf(const PlanInputs& plan, const PerfInputs& perf,
                                                std::span<const PerfOutcome> outcomes, const SearchResult& found);

// The outcome evaluated anew with the default of each bandwidth and multiplier whose bounds contain it, once for each
// codecs that its sharders may have then: where bounds are wide since dtypes are open, these show in what defaults and
// codecs leave. Those that contradict the log are left out.
std::vector<PerfOutcome> with_likely_defaults(const PlanInputs& plan, const PerfInputs& perf,
                                              const PerfOutcome& outcome);

// Where several element sizes are left, the storage half prefers the one that the perf half takes.
void prefer_by_perf(const PlanInputs& plan, const std::vector<PerfOutcome>& outcomes, const InferOptions& options,
                    SearchResult& found, Plan& result);

}  // namespace shardstats::infer_detail
