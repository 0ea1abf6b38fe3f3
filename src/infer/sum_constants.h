// What printed sums hold besides shards: Dense and KJT of each rank. Private to src/infer.
#pragma once

#include <iterator>

#include "infer/rebuild.h"
#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {

// Sets outcome.constants: as printed; else what the ranks have in common beyond their shards.
void fit_constants(const PlanInputs& plan, Outcome& outcome, const SumBounds& bounds);
// The same again; are they others now?
bool refit_constants(const PlanInputs& plan, Outcome& outcome, const SumBounds& bounds);

inline RealInterval constant_of(const PlanInputs& plan, const Outcome& outcome, const SumLine& line) {
  if (line.of == SumOf::kernel || line.quantity > Quantity::ddr) return {};
  const RealInterval each = line.quantity == Quantity::hbm ? outcome.constants.hbm : outcome.constants.ddr;
  return line.of == SumOf::rank ? each : each * real(std::ssize(plan.ranks));
}

// May the reserved bytes of each rank be any, as nothing that is printed bounds them?
inline bool may_be_any(ByteInterval reserved) { return static_cast<double>(reserved.high) >= kMostBytes; }

}  // namespace shardstats::infer_detail
