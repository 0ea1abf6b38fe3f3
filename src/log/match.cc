#include "log/match.h"

#include <algorithm>

#include "log/lists.h"
#include "log/text.h"
#include "shardstats/ascii.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::log_detail {
namespace {

constexpr std::size_t kShortestLabel = 6;

// Length of what fills the slot at the start of `text`; 0 if that has not the slot's shape.
std::size_t slot_length(std::string_view text, std::string_view kind) {
  if (kind == "int") return skip_digits(text, 0);
  if (kind != "L1" && kind != "L2") return number_length(text);
  // Lists of ranks end their line, so all that is left has to be one; only L2 has brackets.
  return text.starts_with('[') == (kind == "L2") && is_rank_list(text) ? text.size() : 0;
}

bool holds_value(const PatternPiece& piece) { return piece.slot && piece.text != "ranks"; }

// Length of the piece at the start of `text`; 0 if it is not there.
std::size_t piece_length(std::string_view text, const PatternPiece& piece) {
  if (holds_value(piece)) return slot_length(text, piece.text);
  if (piece.slot) return text.starts_with("ranks") ? 5 : text.starts_with("rank") ? 4 : 0;
  return text.starts_with(piece.text) ? piece.text.size() : 0;
}

// Takes the piece off the start of the text, and what fills a slot into the slots. False: it is not there.
bool take_piece(const PatternPiece& piece, std::string_view& text, SlotTexts& slots) {
  const std::size_t length = piece_length(text, piece);
  if (length == 0 || slots.count == kMostSlots) return false;
  if (holds_value(piece)) slots.add(text.substr(0, length));
  text.remove_prefix(length);
  return true;
}

// Free text is followed by a literal; names may contain that literal, so every place of it is tried, the last one
// first.
bool match_text(std::string_view text, std::string_view rest, SlotTexts& slots) {
  std::string_view after = rest;
  const PatternPiece literal = next_piece(after);
  if (literal.text.empty()) {
    if (text.empty()) return false;
    slots.add(text);
    return true;
  }
  for (std::size_t at = text.rfind(literal.text); at != std::string_view::npos && at > 0;
       at = text.rfind(literal.text, at - 1)) {
    SlotTexts tried = slots;
    tried.add(text.substr(0, at));
    if (matches(text.substr(at), rest, tried)) {
      slots = tried;
      return true;
    }
  }
  return false;
}

// Set off from the value in front of them: " ms", " (39%)", ", Pinned: 0". A stray character is none, nor is what
// stands in the padding.
bool are_new_words(std::string_view text) {
  constexpr std::string_view kBetween = " ,;(/";
  constexpr std::size_t kShortest = 3;
  return text.size() >= kShortest && kBetween.find(text.front()) != std::string_view::npos &&
         text.find("  ") == std::string_view::npos &&
         std::ranges::any_of(text, [](char c) { return is_letter(c) || c == '%'; });
}

// Takes the label off the start of the text and of the pattern. False: the text has it not, or it is too short to tell
// the line.
bool take_label(std::string_view& text, std::string_view& pattern) {
  const PatternPiece label = next_piece(pattern);
  if (label.slot || label.text.size() < kShortestLabel || !text.starts_with(label.text)) return false;
  text.remove_prefix(label.text.size());
  return true;
}

// As much of the literal as the text begins with, up to the end of a word.
std::size_t common_words(std::string_view text, std::string_view literal) {
  const auto differ = std::ranges::mismatch(text, literal).in2;
  std::size_t common = static_cast<std::size_t>(differ - literal.begin());
  while (common > 0 && common < literal.size() && literal[common] != ' ') --common;
  return common;
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
  if (!pattern.empty() && pattern.front() != '{' && !text.starts_with(pattern.front())) return false;
  while (!pattern.empty()) {
    const PatternPiece piece = next_piece(pattern);
    if (piece.slot && piece.text == "text") return match_text(text, pattern, slots);
    if (!take_piece(piece, text, slots)) return false;
  }
  return text.empty();
}

bool has_new_words(std::string_view text, std::string_view pattern, SlotTexts& slots) {
  if (!take_label(text, pattern)) return false;
  while (!pattern.empty()) {
    const PatternPiece piece = next_piece(pattern);
    if (piece.slot && piece.text == "text") return false;
    if (take_piece(piece, text, slots)) continue;
    if (piece.slot) return false;
    const std::size_t common = common_words(text, piece.text);
    text.remove_prefix(common);
    const std::string_view rest = piece.text.substr(common);
    const std::size_t at = text.find(rest);
    if (at == std::string_view::npos || !are_new_words(text.substr(0, at))) return false;
    text.remove_prefix(at + rest.size());
  }
  return text.empty() || are_new_words(text);
}

std::string_view damaged_value(std::string_view text, std::string_view pattern) {
  if (!take_label(text, pattern) || pattern.empty()) return {};
  std::string_view value = text;
  SlotTexts whole;
  for (bool is_whole = true; is_whole && !pattern.empty();) {
    const PatternPiece piece = next_piece(pattern);
    if (holds_value(piece)) value = text;
    is_whole = take_piece(piece, text, whole);
  }
  return value.starts_with('[') ? value : value.substr(0, value.find(' '));
}

}  // namespace shardstats::log_detail
