// What a rebuilt plan rests on, as a list of assumptions with alternatives and support; and --assume. Private to
// src/infer.
#pragma once

#include <string>

#include "infer/rebuild.h"

namespace shardstats::infer_detail {

// What the overrides fix for the whole plan; those of tables go into `plan`. Unknown keys and values were refused by
// parse_override().
FixedSetting apply_overrides(const std::vector<Override>& overrides, PlanInputs& plan);

// Q: ids of one local batch over all features (storage-model.md section 8.2), without numbers of poolings. Unknown
// where the tables are not printed or some are lost.
std::optional<RealInterval> kjt_lookups(const PlanInputs& plan);

// Policy, dense and KJT bytes from the reservation lines, the ranks and the KJT formula.
void infer_reservation(const PlanInputs& plan, const SearchResult& found, Plan& result);

void list_assumptions(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result);

}  // namespace shardstats::infer_detail
