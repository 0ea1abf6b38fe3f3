// What the text reports print between words for a terminal to draw them; no other escape sequences.
#pragma once

#include <array>
#include <string_view>

namespace shardstats {

inline constexpr std::string_view kReset = "\033[0m", kBold = "\033[1m", kDim = "\033[2m";
inline constexpr std::string_view kBad = "\033[1;31m", kGood = "\033[1;32m", kDoubtful = "\033[1;33m",
                                  kRemark = "\033[1;36m";
inline constexpr std::array kColors = {kReset, kBold, kDim, kBad, kGood, kDoubtful, kRemark};

}  // namespace shardstats
