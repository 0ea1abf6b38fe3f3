// Undoes what one line suffers on its way into a log: strings of JSON or Python around it, HTML, colour codes, progress
// bars, tabs and other blanks (log-format.md section 8). Private to src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "input/strings.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Notes `what` unless it is noted already.
void note(std::vector<Mended>& mended, Mending what, Place first);

// Has the text of a box line anything that decode() may undo?
bool is_undecoded(std::string_view text);

// Has it blanks that decode() replaces? Of all that it undoes only they may leave a line as many bytes as before.
bool has_other_blanks(std::string_view text);

// Up to here, as signed bytes, are the control characters and all that is not ASCII; DEL, which takes a column, is not.
inline constexpr signed char kLastUnseen = ' ' - 1;
inline bool is_plain_short(std::string_view text) {
  signed char least = ' ';
  for (const char c : text) least = std::min(least, static_cast<signed char>(c));
  return least > kLastUnseen;
}

// Only such characters, so that the bytes are the columns? Most box lines are such; in one pass without a branch it is
// asked of each.
inline bool is_plain(std::string_view text) {
#ifdef __SSE2__
  constexpr std::size_t kLane = sizeof(__m128i), kLanes = 4 * kLane;
  if (text.size() < kLanes) return is_plain_short(text);
  const __m128i unseen = _mm_set1_epi8(kLastUnseen);
  __m128i seen = _mm_cmpeq_epi8(unseen, unseen);
  const auto take = [&](std::size_t from) {
    for (std::size_t at = from; at < from + kLanes; at += kLane) {
      const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
      seen = _mm_and_si128(seen, _mm_cmpgt_epi8(lane, unseen));
    }
  };
  const std::size_t last = text.size() - kLanes;  // some bytes are taken twice
  for (std::size_t at = 0; at < last; at += kLanes) take(at);
  take(last);
  return _mm_movemask_epi8(seen) == 0xFFFF;
#else
  return is_plain_short(text);
#endif
}

// What the lines before tell about the box, and of the line that was read last.
struct BoxSoFar {
  std::size_t width = 0;                  // in characters; 0: not known yet
  std::optional<std::size_t> tab_column;  // modulo the tab stop: where the box began when blanks became tabs
  bool has_moved = false;                 // from there, since a prefix was put in front
  bool has_escapes = false;               // of rsyslog, for tabs and others
  std::string front;                      // of the last record with several lines
  bool goes_on = false;                   // does it, as its last pieces were not read?
  StringField field;                      // in which it stood
  std::optional<std::string> columns;     // of CSV in front of its field, as columns_in_front_of_box() has them
};

// The lines that a physical line stands for: one, or as many as the strings in it hold.
struct Decoded {
  std::vector<Transcript> lines;
  std::string process;  // what was taken off the line and tells who logged it, as a prefix would; empty: nothing
};
Decoded decode(Transcript line, BoxSoFar& box, std::vector<Mended>& mended);

}  // namespace shardstats::input_detail
