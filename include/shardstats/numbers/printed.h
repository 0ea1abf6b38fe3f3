// Python's number formats as the planner uses them, and their inverses (log-format.md section 2).
//
//   format(3.8584, Format::r3) == "3.858"
//   values_printed_as("3.858", Format::r3)  -> every double that prints so, ends included
//   bytes_printed_as("3.858", Format::r3, kGiB) -> every byte count n for which n / 2^30 prints so
//
// Rounding is correct rounding of the exact binary value, ties to even. Rule that always holds: for each value v,
// values_printed_as(format(v, f), f) contains v. Tested by tests/numbers/printed_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardstats/ascii.h"
#include "shardstats/numbers/interval.h"

namespace shardstats {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;
inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;

enum class Format : std::uint8_t {
  integer,    // 2560: the text of a Python int, so the value is a whole number and the text is exact
  thousands,  // 1,709 (v0.1.0): rounded to a whole number
  r1,
  r2,
  r3,  // round to 1/2/3 decimals, then shortest repr: 12.0, 12.3, 12.345
  f1,
  f2,
  f3,  // exactly 1/2/3 decimals
  f4,
  f5,
  f6,            // exactly 4/5/6 decimals, which no known release prints
  p0,            // value * 100 rounded to 0 decimals; the text is without the '%'
  g3,            // 3 significant digits, %g rules
  c1,            // perf component: integer from 1 up, else one significant digit
  python_float,  // repr of a float: 0.2, 1e-05
};

// The text Python prints for `value` (p0: without the '%'; the value is the fraction, 0.85 -> "85").
std::string format(double value, Format format);

// The tightest closed interval of doubles whose text is `text`. Text of r1..r3 without a point ("7") is an exact
// integer, since a float would print as "7.0". std::nullopt: the text is no such number, nan or inf.
// For p0 the interval is of the fraction.
std::optional<RealInterval> values_printed_as(std::string_view text, Format format);

// The byte counts n >= 0 for which n / unit (a power of two) prints as `text` in format r1..r3 or f1..f6;
// exact integer arithmetic. std::nullopt also where the count does not fit 62 bits.
std::optional<ByteInterval> bytes_printed_as(std::string_view text, Format format, std::int64_t unit);

namespace numbers_detail {
// By decimals, which are few before the exponent form, and digit.
using UsualComponents = std::array<std::array<RealInterval, 10>, 5>;
extern const UsualComponents usual_components;

inline bool is_digit_from(char c, char least) { return least <= c && c <= '9'; }
}  // namespace numbers_detail

// What values_printed_as() gives for "0", "7", "0.3", "0.0005": most components of perf, and 46 in all. Null: another
// text. Inline because that takes no longer than to call a function.
inline const RealInterval* usual_component(std::string_view text) {
  const auto in_table = [](std::size_t decimals, char digit) {
    return &numbers_detail::usual_components[decimals][static_cast<std::size_t>(digit - '0')];
  };
  if (text.size() == 1) return numbers_detail::is_digit_from(text[0], '0') ? in_table(0, text[0]) : nullptr;
  constexpr std::size_t kPoint = 2;  // "0."
  if (text.size() <= kPoint || text.size() - kPoint >= numbers_detail::usual_components.size()) return nullptr;
  if (text[0] != '0' || text[1] != '.') return nullptr;
  for (std::size_t zero = kPoint; zero + 1 < text.size(); ++zero)
    if (text[zero] != '0') return nullptr;
  return numbers_detail::is_digit_from(text.back(), '1') ? in_table(text.size() - kPoint, text.back()) : nullptr;
}

namespace numbers_detail {
// None, or more digits than 64 bits surely hold: zeros in front, or a number that is too large.
std::optional<std::int64_t> parse_long_integer(std::string_view text, std::int64_t limit);
}  // namespace numbers_detail

// Digits only, no sign, at most `limit`; std::nullopt otherwise (overflow included). Inline because its result takes
// longer to return than to read.
inline std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t limit = INT64_MAX) {
  constexpr std::size_t kSafeDigits = 18;  // that fit 64 bits whatever they are
  if (text.empty() || text.size() > kSafeDigits) return numbers_detail::parse_long_integer(text, limit);
  std::int64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c) - '0';
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value <= limit ? std::optional(value) : std::nullopt;
}

// The whole text as a finite number; std::nullopt: it is none.
std::optional<double> parse_real(std::string_view text);

// Length of the number that the text begins with: -? digits [. digits] [e sign digits], or nan, inf; 0: with none.
inline std::size_t number_length(std::string_view text) {
  std::size_t end = skip_digits(text, 0);
  if (end == 0) {
    if (text.starts_with("nan") || text.starts_with("inf")) return 3;
    end = text.starts_with('-') ? skip_digits(text, 1) : 0;
    if (end <= 1) return 0;
  }
  if (end < text.size() && text[end] == '.') {
    const std::size_t point = end;
    end = skip_digits(text, point + 1);
    if (end == point + 1) return 0;
  }
  if (end + 1 < text.size() && text[end] == 'e' && (text[end + 1] == '-' || text[end + 1] == '+')) {
    const std::size_t exponent = end + 2;
    end = skip_digits(text, exponent);
    if (end == exponent) return 0;
  }
  return end;
}

bool is_number(std::string_view text);  // all of the text, with number_length()

}  // namespace shardstats
