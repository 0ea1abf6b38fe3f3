// Small helpers for the text of box lines. Private to src/log.
#pragma once

#include <cstddef>
#include <string_view>

#include "input/blanks.h"
#include "shardstats/ascii.h"
#include "shardstats/utf8.h"

namespace shardstats::log_detail {

inline constexpr std::string_view kGap = "   ";  // blanks that at least stand in front of a cell
inline constexpr std::size_t kColumnGap = kGap.size();

using input_detail::skip_blanks;
using input_detail::trim_left;
using input_detail::trim_right;

inline bool is_whole_number(std::string_view text) { return !text.empty() && skip_digits(text, 0) == text.size(); }

// The digits behind the point of a number.
inline std::string_view decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

inline bool is_ascii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

// The box line without its closing '#' and the blanks in front of that; offsets stay those of the box line.
inline std::string_view without_frame(std::string_view box_line) {
  std::string_view text = trim_right(box_line);
  if (text.size() > 1 && text.back() == '#') text.remove_suffix(1);
  return trim_right(text);
}

}  // namespace shardstats::log_detail
