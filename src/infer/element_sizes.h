// Which element sizes a table may have under a perf hypothesis. Private to src/infer.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "infer/perf_hypothesis.h"

namespace shardstats::infer_detail {

// Sets of indices into kElementSizes.
std::uint32_t elements_of(const PerfHypothesis& h, std::uint32_t t);
// Those that the table's own storage cells allow, but for cells that are contradicted anyway, whatever the plan has.
std::uint32_t elements_by_cells(const PerfHypothesis& h, const PlanInputs& plan, std::uint32_t t);
// Finds them once for each outcome of the storage half.
class CellElements {
 public:
  explicit CellElements(const PlanInputs& plan) : plan_(plan) {}
  std::uint32_t of(const PerfHypothesis& h, std::uint32_t t);

 private:
  const PlanInputs& plan_;
  std::map<std::pair<const Outcome*, std::uint32_t>, std::uint32_t> found_;
};

}  // namespace shardstats::infer_detail
