// Ranks with the same shards: they hold the same bytes, though nothing printed may tell how many. Private to src/infer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats::infer_detail {

class SumLines;

struct UnequalRank {
  std::uint32_t line = 0;  // index into SumLines::lines()
  RealInterval others{};   // what ranks with the same shards print, bytes
  // The lines of those; one list for all that are unequal to them.
  std::shared_ptr<const std::vector<std::uint32_t>> equals;
};

// Printed sums of ranks that most ranks with the same shards contradict; of two such ranks both.
std::vector<UnequalRank> unequal_ranks(const SumLines& sums);

}  // namespace shardstats::infer_detail
