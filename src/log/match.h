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
  void add(std::string_view text) { texts[count++] = text; }
};

// A piece of a pattern: literal text or a slot, e.g. "r3", "text", "L1", "ranks".
struct PatternPiece {
  std::string_view text;
  bool slot = false;
};
// Splits off the first piece; the rest stays in `pattern`. Empty pattern: an empty literal.
PatternPiece next_piece(std::string_view& pattern);

// Does the text, which is not empty, begin as the pattern may? Most patterns do not.
inline bool may_match(std::string_view text, std::string_view pattern) {
  return !pattern.empty() && (pattern.front() == text.front() || pattern.front() == '{');
}

// Does the whole text have the pattern? Then the texts of its slots.
bool matches(std::string_view text, std::string_view pattern, SlotTexts& slots);

// Is the text of this pattern but for words of its own between its values or behind them, as a newer planner may print?
// A digit or a letter that took the place of another makes no words.
// Then adds its values to the slots.
bool has_new_words(std::string_view text, std::string_view pattern, SlotTexts& slots);

// The text is a line of this pattern, going by its label, but one of its values is damaged: that value and, unless it
// is a list, nothing behind it. Empty: another line.
std::string_view damaged_value(std::string_view text, std::string_view pattern);

}  // namespace shardstats::log_detail
