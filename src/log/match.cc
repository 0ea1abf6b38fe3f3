#include "log/match.h"

namespace shardstats::log_detail {
namespace {

bool is_part_of(char c, bool rank_list) {
  if (c >= '0' && c <= '9') return true;
  return rank_list ? c == ',' || c == '-' : c == '.' || c == '-' || c == '+' || c == 'e';
}

// Length of the longest start of `text` that can fill the slot; 0 if none can.
std::size_t slot_length(std::string_view text, std::string_view kind) {
  if (kind == "L2") {
    if (text.empty() || text.front() != '[') return 0;
    const std::size_t end = text.find(']');
    return end == std::string_view::npos ? 0 : end + 1;
  }
  std::size_t n = 0;
  if (text.starts_with("nan") || text.starts_with("inf")) n = 3;
  while (n < text.size() && is_part_of(text[n], kind == "L1")) ++n;
  return n;
}

// Free text is followed by a literal; names may contain that literal, so every place of it is tried, the last one
// first.
bool match_text(std::string_view text, std::string_view rest, SlotTexts& slots) {
  std::string_view after = rest;
  const PatternPiece literal = next_piece(after);
  if (literal.text.empty()) {
    if (text.empty()) return false;
    slots.texts[slots.count++] = text;
    return true;
  }
  for (std::size_t at = text.rfind(literal.text); at != std::string_view::npos && at > 0;
       at = text.rfind(literal.text, at - 1)) {
    SlotTexts tried = slots;
    tried.texts[tried.count++] = text.substr(0, at);
    if (matches(text.substr(at), rest, tried)) {
      slots = tried;
      return true;
    }
  }
  return false;
}

}  // namespace

PatternPiece next_piece(std::string_view& pattern) {
  const bool slot = !pattern.empty() && pattern.front() == '{';
  const std::size_t end = slot ? pattern.find('}') + 1 : std::min(pattern.find('{'), pattern.size());
  PatternPiece piece{slot ? pattern.substr(1, end - 2) : pattern.substr(0, end), slot};
  pattern.remove_prefix(end);
  return piece;
}

bool matches(std::string_view text, std::string_view pattern, SlotTexts& slots) {
  while (!pattern.empty()) {
    const PatternPiece piece = next_piece(pattern);
    if (!piece.slot) {
      if (!text.starts_with(piece.text)) return false;
      text.remove_prefix(piece.text.size());
    } else if (piece.text == "text") {
      return match_text(text, pattern, slots);
    } else if (piece.text == "ranks") {
      if (!text.starts_with("rank")) return false;
      text.remove_prefix(text.starts_with("ranks") ? 5 : 4);
    } else {
      const std::size_t length = slot_length(text, piece.text);
      if (length == 0 || slots.count == kMostSlots) return false;
      slots.texts[slots.count++] = text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return text.empty();
}

int rank_list_size(std::string_view list) {
  if (list == "[]" || list.empty()) return 0;
  return list.find_first_of(",-") == std::string_view::npos ? 1 : 2;
}

}  // namespace shardstats::log_detail
