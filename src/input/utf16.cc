#include "input/utf16.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace shardstats::input_detail {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::size_t kLooked = 64;  // bytes at the start that tell a text without byte order mark

// Is every second byte from `first` on NUL and no other?
bool alternates(std::string_view start, std::size_t first) {
  for (std::size_t i = 0; i < start.size(); ++i)
    if ((start[i] == '\0') != (i % 2 == first)) return false;
  return start.size() == kLooked;
}

}  // namespace

std::optional<char32_t> code_point(std::string_view digits, int base) {
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, code, base);
  return error == std::errc() && read == end && code <= 0x10FFFF ? std::optional<char32_t>(code) : std::nullopt;
}

std::string utf8(char32_t code) {
  std::string out;
  const auto add = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto continuation = [](char32_t bits) { return 0x80 | (bits & 0x3F); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(continuation(code));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(continuation(code >> 6));
    add(continuation(code));
  } else {
    add(0xF0 | code >> 18);
    add(continuation(code >> 12));
    add(continuation(code >> 6));
    add(continuation(code));
  }
  return out;
}

bool is_utf16(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, kLooked);
  return start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || alternates(start, 0) || alternates(start, 1);
}

std::optional<std::string> utf8_from_utf16(std::string_view bytes) {
  if (!is_utf16(bytes)) return std::nullopt;
  const std::string_view start = bytes.substr(0, kLooked);
  const bool marked = start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF");
  const bool little = start.starts_with("\xFF\xFE") || alternates(start, 1);
  const auto unit_at = [&](std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[at + i])); };
    return little ? byte(0) | byte(1) << 8 : byte(1) | byte(0) << 8;
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t at = marked ? 2 : 0; at + 1 < bytes.size(); at += 2) {
    const char32_t unit = unit_at(at);
    if (is_high_surrogate(unit) && at + 3 < bytes.size() && is_low_surrogate(unit_at(at + 2))) {
      out += utf8(of_surrogates(unit, unit_at(at + 2)));
      at += 2;
    } else if (unit < 0x80) {
      out.push_back(static_cast<char>(unit));
    } else {
      out += utf8(is_high_surrogate(unit) || is_low_surrogate(unit) ? kReplacement : unit);
    }
  }
  return out;
}

}  // namespace shardstats::input_detail
