// Does verify report more than notes? What is asked of damage that the parser alone need not notice.
#pragma once

#include <algorithm>

#include "shardstats/analysis/verify.h"

namespace shardstats::fuzz {

inline bool is_reported(const PrintedPlan& plan) {
  return std::ranges::any_of(verify(plan, infer(plan)).findings,
                             [](const Finding& f) { return f.severity != Severity::note; });
}

}  // namespace shardstats::fuzz
