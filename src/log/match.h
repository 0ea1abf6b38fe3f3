// Matches the text of a line against the patterns of layout.h. Private to src/log.
#pragma once

#include <array>
#include <string_view>

#include "shardstats/log/layout.h"

namespace shardstats::log_detail {

inline constexpr std::size_t kMostSlots = 6;

struct SlotTexts {
  std::array<std::string_view, kMostSlots> texts;
  std::size_t count = 0;
};

// A piece of a pattern: literal text or a slot, e.g. "r3", "text", "L1", "ranks".
struct PatternPiece {
  std::string_view text;
  bool slot = false;
};
// Splits off the first piece; the rest stays in `pattern`. Empty pattern: an empty literal.
PatternPiece next_piece(std::string_view& pattern);

// Does the whole text have the pattern? Then the texts of its slots.
bool matches(std::string_view text, std::string_view pattern, SlotTexts& slots);

// How many ranks a printed list names, as far as the word before it needs to know: 0, 1 or 2 (or more).
int rank_list_size(std::string_view list);

}  // namespace shardstats::log_detail
