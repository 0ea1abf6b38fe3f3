// Which doubles print as a text, by formatting doubles until it is found. Private to src/numbers.
#pragma once

#include <optional>
#include <string_view>

#include "shardstats/numbers/interval.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::numbers_detail {

// Of any text at all; nullopt: no double prints so. Formatting is monotone, so the doubles that print alike are
// neighbours, and bisection finds the first and the last.
std::optional<RealInterval> search_values(std::string_view text, Format text_format);

}  // namespace shardstats::numbers_detail
