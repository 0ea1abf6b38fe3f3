// Escape sequences of a terminal (ECMA-48), most of them colours, and what is left of them. Private to src/input.
#pragma once

#include <string_view>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

inline constexpr char kEscape = '\x1b';

inline bool has_colours(std::string_view text) { return text.find(kEscape) != std::string_view::npos; }
Transcript without_colours(const Transcript& line);

// Codes whose ESC was dropped.
bool has_lost_colours(std::string_view text);
Transcript without_lost_colours(const Transcript& line);

}  // namespace shardstats::input_detail
