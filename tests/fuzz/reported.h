// Does verify report more than notes? What is asked of damage that the parser alone need not notice.
#pragma once

#include <algorithm>

#include "shardstats/analysis/verify.h"

namespace shardstats::fuzz {

inline bool is_reported(const PrintedPlan& plan) {
  const auto is_grave = [](const auto& found) { return found.severity != Severity::note; };
  return std::ranges::any_of(plan.diagnostics, is_grave) ||
         std::ranges::any_of(verify(plan, infer(plan)).findings, is_grave);
}

}  // namespace shardstats::fuzz
