// The values that most of many intervals have in common. Tested by tests/numbers/most_shared_test.cc.
#pragma once

#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats {

// The values that almost as many intervals share as any, around the most shared ones: so many wrong numbers do not cut
// the true value off. Around `preferred` if that is among them; `all` without intervals.
RealInterval most_shared(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                         std::size_t wrong);

}  // namespace shardstats
