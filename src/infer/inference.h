// Inference with all that it found, for those who go on from there (what_if.cc). Private to src/infer.
#pragma once

#include <optional>
#include <vector>

#include "infer/infer_like.h"
#include "infer/perf_evaluation.h"
#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// Not to be copied: hypotheses of the perf half point into `found`.
struct Inference {
  Inference() = default;
  Inference(Inference&&) = default;
  Inference& operator=(Inference&&) = default;

  PlanInputs inputs;
  FixedSetting fixed;  // by --assume
  SearchResult found;
  SearchResult before_narrowing;  // found, before lookups were narrowed for bounds, where it contradicts a cell
  PerfInputs perf;
  std::vector<PerfOutcome> perf_outcomes;  // equally good ones
  Plan plan;
};
Inference run_inference(const PrintedPlan& printed, const InferOptions& options);
// By the hypotheses of the precedent alone; nullopt if a printed number contradicts them.
std::optional<Inference> run_inference_like(const Precedent& precedent, const PrintedPlan& printed,
                                            const InferOptions& options);

// All settings but the preferred one, which is the first member of the first survivor.
void list_alternatives(const SearchResult& found, Plan& plan);

// What the printed cells alone say of ranks and kernels.
void fill_plain(const PlanInputs& inputs, Plan& plan);

}  // namespace shardstats::infer_detail
