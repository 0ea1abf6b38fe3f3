// Blanks at the ends of a text. Padding is long: eight bytes at a time. Private to src/input and src/log.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shardstats::input_detail {

inline std::uint64_t eight_bytes(std::string_view text, std::size_t at) {
  std::uint64_t word;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

inline constexpr std::uint64_t kEightBlanks = 0x2020202020202020U;

// How many of these eight bytes are blanks in front of the first that is none, or behind the last.
enum class End : std::uint8_t { front, back };
inline std::size_t blanks_at(End end, std::uint64_t bytes) {
  const std::uint64_t others = bytes ^ kEightBlanks;
  const bool is_low = (std::endian::native == std::endian::little) == (end == End::front);
  return static_cast<unsigned>(is_low ? std::countr_zero(others) : std::countl_zero(others)) / 8;
}

// Offset of the first byte from `at` on that is no blank; text.size() if there is none.
inline std::size_t skip_blanks(std::string_view text, std::size_t at) {
  if (text.size() >= 8)
    for (const std::size_t last = text.size() - 8; at <= last; at += 8)
      if (const std::uint64_t bytes = eight_bytes(text, at); bytes != kEightBlanks)
        return at + blanks_at(End::front, bytes);
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

// Length of the text without the blanks at its end. Most texts have none there, or many.
inline std::size_t trimmed_size(std::string_view text) {
  std::size_t size = text.size();
  if (size == 0 || text[size - 1] != ' ') return size;
  const auto others = [&](std::size_t back) { return eight_bytes(text, size - back) ^ kEightBlanks; };
  for (; size >= 8; size -= 8) {
    if (const std::uint64_t bytes = eight_bytes(text, size - 8); bytes != kEightBlanks)
      return size - blanks_at(End::back, bytes);
    while (size >= 40 && (others(16) | others(24) | others(32) | others(40)) == 0) size -= 32;
  }
  while (size > 0 && text[size - 1] == ' ') --size;
  return size;
}
inline std::string_view trim_right(std::string_view text) { return text.substr(0, trimmed_size(text)); }
inline std::string_view trim_left(std::string_view text) { return text.substr(skip_blanks(text, 0)); }
inline bool is_blank(std::string_view text) { return skip_blanks(text, 0) == text.size(); }

}  // namespace shardstats::input_detail
