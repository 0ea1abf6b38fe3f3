// Characters of UTF-8 text: planners count columns in them, not in bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardstats {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// A byte of a character that is not its first.
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Code points; a stray byte counts as one.
constexpr std::size_t characters(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += !is_continuation(c);
  return n;
}

// The byte at which the `count`-th character starts; the size if there are fewer.
constexpr std::size_t byte_of(std::string_view text, std::size_t count) {
  std::size_t at = 0, character = 0;
  for (; at < text.size(); ++at)
    if (!is_continuation(text[at]) && character++ == count) break;
  return at;
}

}  // namespace shardstats
