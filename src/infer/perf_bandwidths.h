// Bandwidths by numbers that are linear in their reciprocals. Private to src/infer.
#pragma once

#include <unordered_map>

#include "infer/fit_tables.h"
#include "infer/unit_costs.h"

namespace shardstats::infer_detail {

// What the printed cells of a table say of the bandwidths, with one codec. Rough fits look at the same few tables again
// and again, mostly with the same multipliers.
class TableNumbers {
 public:
  TableNumbers(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, LikeliestOptions& options)
      : costs_(h, plan, perf, options) {}
  const LinearSystem& of(const FitTables& tables, std::uint32_t t, const PerfFit& fit);

  UnitCosts& costs() { return costs_; }

 private:
  struct Numbers {
    RealInterval backward{}, weighted_backward{};
    LinearSystem cells;
  };

  UnitCosts costs_;
  std::unordered_map<std::size_t, Numbers> known_;  // by table and codec
};

// Adds the bandwidths that explain the printed numbers with the fit's multipliers; a rough fit counts the numbers that
// none explain. Starts in fit.estimate, if there is one, and sets it.
void fit_bandwidths(const FitTables& tables, TableNumbers& numbers, PerfFit& fit);

}  // namespace shardstats::infer_detail
