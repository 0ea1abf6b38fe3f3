// Do single values explain what bounds explain? Private to src/infer.
//
// Bounds contradict a printed number where no value in them gives it, each number by itself: wide ones may contradict
// none though no values in them give all. They are halved until the middle of a part explains the log, until a part is
// too narrow to hide anything, or until all parts are contradicted.
// Tested by tests/infer/perf_point_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

// Looks in the bounds of a hypothesis' bandwidths and multipliers.
class PerfPoint {
 public:
  PerfPoint(const PlanInputs& plan, const PerfInputs& perf);

  // False if that is ruled out; true also where the search is given up. `codecs`: by sharder, those to try.
  bool may_explain(const PerfHypothesis& h, const std::vector<std::uint64_t>& codecs);

 private:
  enum class Left : std::uint8_t { nothing, half, all };  // of a part

  bool explains(const PerfHypothesis& h);
  bool part_may_explain(PerfHypothesis part);
  Left lose_half(PerfHypothesis& part, const std::vector<std::size_t>& wide);

  PerfEvaluation evaluation_;
  std::int64_t most_parts_;
  std::int64_t parts_left_ = 0;
  std::vector<std::uint64_t> codecs_;
};

}  // namespace shardstats::infer_detail
