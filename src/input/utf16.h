// Text of two bytes a character, as PowerShell redirects it. Private to src/input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardstats::input_detail {

// Known by its byte order mark, or by NUL as every second byte at the start.
bool is_utf16(std::string_view bytes);

// The text as UTF-8 with the same lines; nullopt if the bytes are no UTF-16. Half a surrogate pair becomes U+FFFD.
std::optional<std::string> utf8_from_utf16(std::string_view bytes);

// The two halves of a surrogate pair, and the code point that they stand for.
constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }
constexpr char32_t of_surrogates(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

// The Unicode code point of that number; nullopt: it is none.
std::optional<char32_t> code_point(std::string_view digits, int base);
// A code point as UTF-8.
std::string utf8(char32_t code);

}  // namespace shardstats::input_detail
