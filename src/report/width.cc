#include "report/width.h"

#include <utf8proc.h>

#include <algorithm>

namespace shardstats {
namespace {

struct Glyph {
  std::size_t bytes = 1, columns = 1;
};

// By clean_for_terminal().
bool is_shown_as_mark(utf8proc_int32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// The character that `text`, which is not empty, begins with.
Glyph first_glyph(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) return {};
  utf8proc_int32_t code = 0;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto taken = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (taken <= 0) return {};
  const int columns = is_shown_as_mark(code) ? 1 : utf8proc_charwidth(code);
  return {static_cast<std::size_t>(taken), static_cast<std::size_t>(columns)};
}

std::size_t columns_of_plain(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  constexpr std::string_view kEscape = "\x1b[";
  std::size_t columns = 0;
  for (std::size_t escape; (escape = text.find(kEscape)) != std::string_view::npos;) {
    columns += columns_of_plain(text.substr(0, escape));
    text.remove_prefix(std::min(text.find('m', escape), text.size() - 1) + 1);
  }
  return columns + columns_of_plain(text);
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Glyph glyph = first_glyph(text.substr(end));
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    end += glyph.bytes;
  }
  return end;
}

std::string_view end_within(std::string_view text, std::size_t columns) {
  for (std::size_t left = columns_of(text); !text.empty();) {
    const Glyph glyph = first_glyph(text);
    const bool combines = glyph.columns == 0;  // with what is gone, if anything
    if (left <= columns && !combines) break;
    left -= glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return text;
}

}  // namespace shardstats
