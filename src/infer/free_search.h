// The free tier of a search: tables one by one, and rows that are not split evenly. Private to src/infer.
#pragma once

#include "infer/search.h"

namespace shardstats::infer_detail {

// Takes what the free tier finds for the settings of `uniform` in the place of its result, if it leaves fewer
// contradicted cells at no higher cost.
void search_free(const PlanInputs& plan, Evaluator& evaluator, UniformSearch& uniform);

}  // namespace shardstats::infer_detail
