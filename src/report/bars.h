// Small pictures in text: bars and histograms, in Unicode or ASCII.
// Tested by tests/report/bars_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "shardstats/report/style.h"

namespace shardstats {

// A bar of `share` (0..1) of `width` characters; blanks fill it up.
std::string bar(double share, int width, const TextStyle& style);
// One character for each count: the higher, the more; "·" or "_" for none.
std::string histogram(std::span<const std::int64_t> counts, const TextStyle& style);

}  // namespace shardstats
