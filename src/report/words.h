// Pieces that the text reports are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/rules.h"
#include "shardstats/report/style.h"

namespace shardstats {

inline constexpr std::string_view kGood = "\033[1;32m", kBad = "\033[1;31m";
std::string_view color_of(Severity severity);
std::string painted(std::string_view text, std::string_view color, const TextStyle& style);

// "1 table", "1,935 tables"
std::string plural(std::int64_t n, std::string_view word);
// "v1.2.0, v1.3.0 or v1.4.0"
std::string listed(const std::vector<std::string>& words, std::string_view last);

}  // namespace shardstats
