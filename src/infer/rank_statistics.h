// What a log says of the total perf of all ranks together, or of their memory (log-format.md sections 6.4 and 6.6).
// Private to src/infer. Tested by tests/infer/rank_statistics_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "shardstats/log/printed.h"
#include "shardstats/planner/statistics.h"

namespace shardstats::infer_detail {

class RankTotals;

// A printed number that follows from what the ranks have in all: ms, or bytes of a memory.
struct RankStatistic {
  RealInterval (*of)(RankTotals& totals, bool raw) = nullptr;
  bool raw = false;  // as imbalance() has it
  RealInterval printed{};
};
std::vector<RankStatistic> read_perf_statistics(const PrintedPlan& printed);
// Those of the section of that heading: perf, HBM or DDR.
std::vector<RankStatistic> read_imbalance(const PrintedPlan& printed, LineId heading);

// How many of them no totals within the bounds give.
std::int64_t contradicted_statistics(const std::vector<RankStatistic>& statistics, RankBounds totals);

}  // namespace shardstats::infer_detail
