#include "infer/sum_constants.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

// At most what each rank prints: where the shards of none are all known, as where rows of tables are lost. Where the
// column is lost, at most what the fullest rank has, and what the planner may fill; without these it may be anything.
RealInterval anything_in_ranks(const PlanInputs& plan, Quantity quantity) {
  if (plan.ranks.empty()) return {};
  const bool in_hbm = quantity == Quantity::hbm;
  std::optional<double> least;
  const auto take = [&](const std::optional<ByteInterval>& printed) {
    if (printed) least = std::min(least.value_or(real(*printed).high), real(*printed).high);
  };
  for (const PrintedSums& rank : plan.ranks) take(rank[at(quantity)]);
  if (!least) {
    for (const LineId of_fullest : {LineId::peak_memory_pressure, LineId::max_hbm})
      if (in_hbm) take(plan.printed->bytes_in(of_fullest));
    take(plan.printed->bytes_in(LineId::planning_memory, in_hbm ? 0 : 1));
  }
  return {0, least.value_or(kMostBytes)};
}

// The amount that most ranks have beyond their shards; zero is preferred if it costs at most one rank more.
RealInterval hidden_constant(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds,
                             Quantity quantity) {
  std::vector<RealInterval> rests;
  for (const SumLine& line : outcome.sums)
    if (line.is_of_rank(quantity)) rests.push_back(at_least_zero(line.printed - bounds.sum_of(line)));
  if (rests.empty()) return anything_in_ranks(plan, quantity);
  const auto ranks_with = [&](double amount) {
    return std::ranges::count_if(rests, [&](RealInterval rest) { return rest.contains(amount); });
  };
  const RealInterval any{0, std::ranges::max(rests, {}, &RealInterval::high).high};
  const RealInterval most = most_shared(rests, any, 0, 0);
  if (ranks_with(most.low) > ranks_with(0) + 1) return most;
  RealInterval next_to_zero = any;
  for (const RealInterval rest : rests)
    if (rest.low == 0) next_to_zero = narrowed(next_to_zero, rest);
  return next_to_zero;
}

}  // namespace

void fit_constants(const PlanInputs& plan, Outcome& outcome, const SumBounds& bounds) {
  Constants& constants = outcome.constants;
  if (plan.reservation_printed) {
    // Both are booked to one memory of the device (storage-model.md section 8.1): a printed 0.0 of the other is zero.
    const bool in_hbm = io_in_hbm(outcome.setting);
    if (in_hbm || plan.dense_hbm.low + plan.kjt_hbm.low > 0) constants.hbm = real(plan.dense_hbm) + real(plan.kjt_hbm);
    if (!in_hbm || plan.dense_ddr.low + plan.kjt_ddr.low > 0) constants.ddr = real(plan.dense_ddr) + real(plan.kjt_ddr);
    return;
  }
  if (!outcome.setting.rules->counts_reservation) return;
  const bool in_hbm = io_in_hbm(outcome.setting);
  RealInterval& hidden = in_hbm ? constants.hbm : constants.ddr;
  const Quantity quantity = in_hbm ? Quantity::hbm : Quantity::ddr;
  hidden = hidden_constant(plan, outcome, bounds, quantity);
  for (const SumLine& line : outcome.sums)
    if (line.of == SumOf::all_ranks && line.quantity == quantity)
      hidden = narrowed(hidden, at_least_zero(line.printed - bounds.sum_of(line)) / real(std::ssize(plan.ranks)));
  if (in_hbm && plan.sparse_gap) hidden = narrowed(hidden, *plan.sparse_gap);
  constants.hidden = hidden.low > 0;
  outcome.freedoms += constants.hidden;
}

bool refit_constants(const PlanInputs& plan, Outcome& outcome, const SumBounds& bounds) {
  const Constants before = outcome.constants;
  outcome.freedoms -= before.hidden;
  outcome.constants = {};
  fit_constants(plan, outcome, bounds);
  return outcome.constants != before;
}

}  // namespace shardstats::infer_detail
