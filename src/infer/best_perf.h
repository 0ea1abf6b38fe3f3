// The outcomes of the perf search that explain a log best. Private to src/infer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "infer/perf_evaluation.h"

namespace shardstats::infer_detail {

// What decides between outcomes, the less the better: what it costs, where every second contradicted cell counts double
// because wrong numbers come alone (docs/inference.md), and the contradicted cells.
using Standing = std::pair<std::int64_t, std::int64_t>;
Standing standing(const PerfOutcome& outcome);

class BestPerf {
 public:
  // `alternatives`: all that explains a log as well is asked for.
  explicit BestPerf(bool alternatives) : alternatives_(alternatives) {}

  void keep(PerfOutcome outcome);  // if none is better
  // Later outcomes have to cost less than that, or explain the log where all are asked for.
  void ask_below(std::int64_t cost) { below_ = cost; }
  void ask_any() { below_ = PerfEvaluation::kNoLimit; }
  bool asks_any() const { return below_ == PerfEvaluation::kNoLimit; }

  bool empty() const { return best_.empty(); }
  const PerfOutcome& front() const { return best_.front(); }  // no other one is better
  std::vector<PerfOutcome>& all() { return best_; }

 private:
  bool is_near(const PerfOutcome& outcome, const PerfOutcome& best) const;

  bool alternatives_;
  std::int64_t below_ = PerfEvaluation::kNoLimit;
  std::vector<PerfOutcome> best_;
};

}  // namespace shardstats::infer_detail
