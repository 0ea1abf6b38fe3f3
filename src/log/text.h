// Small helpers for the text of box lines. Private to src/log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shardstats::log_detail {

inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Characters (UTF-8 code points; a stray byte counts as one).
inline std::size_t characters(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += !is_continuation(c);
  return n;
}

// Byte offset of character n; text.size() if there are fewer.
inline std::size_t byte_of_character(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if (!is_continuation(text[i]) && n-- == 0) break;
  return i;
}

// Padding is long in wide boxes, so it is passed over eight bytes at a time.
inline std::size_t leading_blanks(std::string_view text) {
  constexpr std::uint64_t kBlanks = 0x2020202020202020;
  std::size_t i = 0;
  for (std::uint64_t eight = 0; i + 8 <= text.size(); i += 8) {
    std::memcpy(&eight, text.data() + i, 8);
    if (eight != kBlanks) break;
  }
  while (i < text.size() && text[i] == ' ') ++i;
  return i;
}

inline std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}
inline std::string_view trim_left(std::string_view text) { return text.substr(leading_blanks(text)); }

// The text of a box line between the '#' marks: `inner` keeps the indentation, trailing blanks are gone.
inline std::string_view inner_text(std::string_view box_line) {
  std::string_view text = trim_right(box_line);
  if (text.empty()) return text;
  text.remove_prefix(1);
  if (!text.empty() && text.back() == '#') text.remove_suffix(1);
  return trim_right(text);
}

}  // namespace shardstats::log_detail
