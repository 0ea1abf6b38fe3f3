// What the planner prints for a plan: the derived cells and lines of a block. Private to src/analysis.
// Tested by tests/analysis/changed_print_test.cc.
#pragma once

#include <vector>

#include "analysis/shares.h"
#include "analysis/statistics.h"
#include "shardstats/analysis/changed_print.h"

namespace shardstats::analysis {

inline constexpr std::string_view kUnknownText = "?";  // of a cell that is still to be computed

enum class Digits : std::uint8_t {
  printed,  // as the planner rounds
  all,      // as many as tell values apart that differ by more than rounding
};

// The lines of the block anew and in order, each derived cell of its rows and lines with the text for the middle of
// its bounds. Inputs are read from `skeleton`, whose first release is the one that prints; `values` are those of the
// ranks, exactly, `memory` what shares are of, `names` how the log reads those of tables.
PrintedPlan predicted(const PrintedPlan& skeleton, const Plan& plan, const RankValues& values,
                      const SharedMemory& memory, NameReadings names, Texts& texts, Digits digits = Digits::printed);

}  // namespace shardstats::analysis
