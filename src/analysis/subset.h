// The subset of amounts that reaches a need best. Private to src/analysis. Tested by tests/analysis/subset_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats::analysis {

struct Subset {
  std::vector<std::size_t> items;  // ascending
  ByteInterval bytes;              // their sum
  bool exact = true;               // the search came to its end
  std::int64_t off_by = 0;         // else: at most so many bytes from the best
};

// Of the subsets whose upper bounds add up to at most `most`: that whose lower bounds come nearest to `need` from below
// or reach it, among these that with the least upper bound, among these that with the fewest items. Branch and bound in
// at most `steps` steps, which also bound how deep it goes; what is found until then is off by no more than `off_by`.
Subset best_subset(std::span<const ByteInterval> amounts, std::int64_t need, std::int64_t most, std::size_t steps);

}  // namespace shardstats::analysis
