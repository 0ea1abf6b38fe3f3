// Private to src/infer.
#pragma once

#include <cstdint>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

// The options of a table that bounds rest on: the preferred one, one of each element size, and for each size of each
// shard the least and the greatest. Without the others everything comes out the same, in half of the time. For a table
// with several options.
Options extreme_options(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t);

}  // namespace shardstats::infer_detail
