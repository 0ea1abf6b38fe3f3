// Which bytes of a row are printed and which are blanks, a bit each, so that 64 of them are looked at together. Private
// to src/log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardstats::log_detail {

inline constexpr std::size_t kMarks = 64;  // bytes of one word

// The lowest bit is that of the first byte.
struct Marks {
  std::uint64_t printed = 0;  // the byte is no blank
  std::uint64_t wide = 0;     // not zero: some byte is not ASCII
};

inline Marks marks_of_few(std::string_view bytes) {
  Marks marks;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    marks.printed |= static_cast<std::uint64_t>(bytes[i] != ' ') << i;
    marks.wide |= static_cast<unsigned char>(bytes[i]) & 0x80U;
  }
  return marks;
}

// Of kMarks bytes.
inline Marks marks_of(const char* bytes) {
#ifdef __SSE2__
  constexpr std::size_t kLane = sizeof(__m128i);
  const __m128i blank = _mm_set1_epi8(' ');
  __m128i all = _mm_setzero_si128();
  std::uint64_t blanks = 0;
  for (std::size_t at = 0; at < kMarks; at += kLane) {
    const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    all = _mm_or_si128(all, lane);
    blanks |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(lane, blank))) << at;
  }
  return {~blanks, static_cast<std::uint64_t>(_mm_movemask_epi8(all))};
#else
  return marks_of_few({bytes, kMarks});
#endif
}

// Of the bytes of `row` from `at` on, fewer than kMarks; behind its end stand blanks.
inline Marks marks_at(std::string_view row, std::size_t at) {
  if (at >= row.size()) return {};
  if (row.size() < kMarks) return marks_of_few(row.substr(at));
  // The last bytes of the row together with some that stand before `at`.
  const std::size_t first = row.size() - kMarks;
  const Marks last = marks_of(row.data() + first);
  return {last.printed >> (at - first), last.wide};
}

}  // namespace shardstats::log_detail
