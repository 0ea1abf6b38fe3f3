#include "report/clean.h"

#include <algorithm>
#include <cstdint>

#include "report/colors.h"

namespace shardstats {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

// Neither too long a form, nor a surrogate, nor beyond U+10FFFF.
bool is_well_formed(Character c) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return c.code >= kLeast[c.bytes] && c.code <= 0x10FFFF && (c.code < 0xD800 || c.code > 0xDFFF);
}

Character decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  Character c{lead, 1};
  if (lead < 0x80) return c;
  c.bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() < c.bytes) return {};
  c.code = lead & (0xFFU >> (c.bytes + 1));
  for (std::size_t i = 1; i < c.bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    c.code = c.code << 6U | (byte(i) & 0x3FU);
  }
  return is_well_formed(c) ? c : Character{};
}

// Not allowed in XML 1.0, or not meant to be read: controls of both sets, and the two that are no characters.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xFFFE || code == 0xFFFF;
}

// `kept(rest)`: how many bytes of what is left stay as they are, whatever they are.
template <class Kept>
std::string cleaned(std::string_view text, Kept kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decoded(text);
    const bool is_text = c.bytes > 0 && !is_control(c.code);
    const std::size_t stays = is_text ? c.bytes : kept(text);
    if (stays > 0)
      out += text.substr(0, stays);
    else
      out += "\uFFFD";
    text.remove_prefix(std::max({stays, c.bytes, std::size_t{1}}));
  }
  return out;
}

}  // namespace

std::size_t character_at(std::string_view text) { return text.empty() ? 0 : decoded(text).bytes; }

std::string clean(std::string_view text) {
  return cleaned(text, [](std::string_view) { return std::size_t{0}; });
}

std::string clean_for_terminal(std::string_view text) {
  return cleaned(text, [](std::string_view rest) -> std::size_t {
    if (rest.front() == '\n') return 1;
    const auto* const color = std::ranges::find_if(kColors, [&](std::string_view c) { return rest.starts_with(c); });
    return color == kColors.end() ? 0 : color->size();
  });
}

std::string clean(std::string_view text, std::size_t most) {
  constexpr std::string_view kMark = "...";
  std::string out = clean(text.substr(0, most + 1));
  if (out.size() <= most) return out;
  std::size_t end = 0;
  while (true) {
    const std::size_t bytes = character_at(std::string_view(out).substr(end));
    if (end + bytes + kMark.size() > most) break;
    end += bytes;
  }
  return out.substr(0, end).append(kMark);
}

std::string percent_encoded(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace shardstats
