// What tables and ranks take in one plan and in another, side by side by name.
// Tested by tests/analysis/changes_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shardstats/analysis/reconstruct.h"

namespace shardstats {

// A table or a rank of a plan. Owns its name, so that it outlives the plan.
struct Measured {
  std::string name;                  // FQN, or "rank 3"
  std::optional<ByteInterval> hbm;   // nothing: not rebuilt
  std::optional<RealInterval> perf;  // ms; nothing: not rebuilt
};

struct Measures {
  std::vector<Measured> tables, ranks;
};
Measures measure(const Reconstruction& plan);

// `change` is after - before where both are known.
template <class T>
struct BeforeAfter {
  std::optional<Interval<T>> before, after, change;
};

struct Change {
  std::string name;
  bool added = false, removed = false;  // it is in the second plan only, in the first only
  BeforeAfter<std::int64_t> hbm;
  BeforeAfter<double> perf;
};

// One for each name: those of `before` in their order, then those that only `after` has. A name that occurs n times is
// matched occurrence by occurrence.
std::vector<Change> changes(const std::vector<Measured>& before, const std::vector<Measured>& after);

}  // namespace shardstats
