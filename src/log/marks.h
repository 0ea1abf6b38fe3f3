// Which bytes of a row are printed and which are blanks, which of a cell belong to numbers: a bit each, so that 64 of
// them are looked at together. Private to src/log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "shardstats/ascii.h"

namespace shardstats::log_detail {

inline constexpr std::size_t kMarks = 64;  // bytes of one word

// Marks of the bytes that are no blanks; the lowest bit is that of the first byte.
inline std::uint64_t marks_of_few(std::string_view bytes) {
  std::uint64_t printed = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) printed |= static_cast<std::uint64_t>(bytes[i] != ' ') << i;
  return printed;
}

// Of kMarks bytes.
inline std::uint64_t marks_of(const char* bytes) {
#ifdef __SSE2__
  constexpr std::size_t kLane = sizeof(__m128i);
  const __m128i blank = _mm_set1_epi8(' ');
  std::uint64_t blanks = 0;
  for (std::size_t at = 0; at < kMarks; at += kLane) {
    const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    blanks |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(lane, blank))) << at;
  }
  return ~blanks;
#else
  return marks_of_few({bytes, kMarks});
#endif
}

// The marks of the first `count` bytes, fewer than kMarks.
inline std::uint64_t first_marks(std::size_t count) { return (std::uint64_t{1} << count) - 1; }

// The digits and points of a cell of fewer than kMarks bytes.
struct NumberMarks {
  std::uint64_t digits = 0, points = 0;
};

inline NumberMarks numbers_of_few(std::string_view bytes) {
  NumberMarks marks;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    marks.digits |= static_cast<std::uint64_t>(is_digit(bytes[i])) << i;
    marks.points |= static_cast<std::uint64_t>(bytes[i] == '.') << i;
  }
  return marks;
}

// `readable`: bytes of the cell and of what stands behind it.
inline NumberMarks numbers_of(std::string_view cell, std::size_t readable) {
#ifdef __SSE2__
  constexpr std::size_t kLane = sizeof(__m128i);
  NumberMarks marks;
  const auto take = [&](std::size_t at) {
    const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cell.data() + at));
    // As signed numbers, of which '0' becomes the least.
    const __m128i values = _mm_sub_epi8(lane, _mm_set1_epi8(static_cast<char>('0' + 0x80)));
    const __m128i digits = _mm_cmplt_epi8(values, _mm_set1_epi8(INT8_MIN + 10));
    const __m128i points = _mm_cmpeq_epi8(lane, _mm_set1_epi8('.'));
    marks.digits |= static_cast<std::uint64_t>(_mm_movemask_epi8(digits)) << at;
    marks.points |= static_cast<std::uint64_t>(_mm_movemask_epi8(points)) << at;
  };
  const bool is_short = cell.size() <= kLane;
  if (readable >= (is_short ? kLane : kMarks)) {
    take(0);
    if (!is_short) take(kLane);
    if (cell.size() > 2 * kLane) {
      take(2 * kLane);
      take(3 * kLane);
    }
    const std::uint64_t all = first_marks(cell.size());
    return {marks.digits & all, marks.points & all};
  }
#endif
  return numbers_of_few(cell);
}

// Of the bytes of `row` from `at` on, fewer than kMarks; behind its end stand blanks.
inline std::uint64_t marks_at(std::string_view row, std::size_t at) {
  if (at >= row.size()) return 0;
  if (row.size() < kMarks) return marks_of_few(row.substr(at));
  // The last bytes of the row together with some that stand before `at`.
  const std::size_t first = row.size() - kMarks;
  return marks_of(row.data() + first) >> (at - first);
}

}  // namespace shardstats::log_detail
