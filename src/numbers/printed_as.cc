// The inverse of formatting: which doubles, and which byte counts, print as a text (log-format.md section 2).
//
// Short decimals, that is nearly every cell of a log, have borders (2 * units +- 1) / (2 * 10^decimals) that one
// division and two exact products decide. Every other text is left to search_values(), which asks format().
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include "numbers/format.h"
#include "numbers/search.h"
#include "shardstats/ascii.h"
#include "shardstats/numbers/printed.h"

namespace shardstats {
namespace {

using numbers_detail::fixed_decimals;
using numbers_detail::rounded_decimals;
using numbers_detail::search_values;

constexpr std::uint64_t kMaxUnits = 999'999'999'999'999;  // 15 digits: distinct decimals are distinct doubles
constexpr std::int64_t kByteLimit = std::int64_t{1} << 62;
constexpr std::uint64_t kExactLimit = std::uint64_t{1} << 53;  // up to here every count is a double

// 2 * 10^n; all of them exact in binary64.
constexpr std::array<double, 17> kTwicePowers = {2e0, 2e1,  2e2,  2e3,  2e4,  2e5,  2e6,  2e7, 2e8,
                                                 2e9, 2e10, 2e11, 2e12, 2e13, 2e14, 2e15, 2e16};
constexpr int kMaxDecimals = 10;  // an interval may take one more, as significant_interval() needs

// units / 10^decimals, as spelled.
struct Decimal {
  std::uint64_t units = 0;
  int decimals = 0;
  bool point = false;
};

// Appends the digits from `at` on to a number; where the first other character is.
inline std::size_t read_digits(std::string_view text, std::size_t at, std::uint64_t& number) {
  for (; at < text.size(); ++at) {
    const auto digit = static_cast<unsigned>(text[at]) - '0';
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  return at;
}

// digits [. digits] without a needless leading zero and with at most 15 digits; false: other text.
inline bool read_decimal(std::string_view text, Decimal& decimal) {
  if (text.empty() || text.size() > 16) return false;
  if (text.size() > 1 && text[0] == '0' && text[1] != '.') return false;
  const std::size_t whole = read_digits(text, 0, decimal.units);
  if (whole == 0) return false;
  if (whole < text.size()) {
    const std::size_t end = text[whole] == '.' ? read_digits(text, whole + 1, decimal.units) : whole;
    if (end < text.size() || end == whole + 1) return false;
    decimal.decimals = static_cast<int>(end - whole - 1);
    decimal.point = true;
  }
  return decimal.units <= kMaxUnits;
}
std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal decimal;
  return read_decimal(text, decimal) ? std::optional(decimal) : std::nullopt;
}

constexpr std::array<std::uint64_t, 7> kPowers = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};

// Makes its units those of the last of so many decimals. False: r1..r3 do not print it so, or it is too long for the
// short way.
inline bool round_to(int decimals, std::string_view text, Decimal& decimal) {
  if (!decimal.point || decimal.decimals > decimals) return false;
  if (decimal.decimals > 1 && text.back() == '0') return false;  // a needless zero
  decimal.units *= kPowers[static_cast<std::size_t>(decimals - decimal.decimals)];
  decimal.decimals = decimals;
  return decimal.units <= kMaxUnits;
}

// The decimal of r1..r3, f1..f6, p0 text in units of the format's last decimal; std::nullopt as above.
inline std::optional<Decimal> read_fixed(std::string_view text, Format format) {
  Decimal decimal;
  if (!read_decimal(text, decimal)) return std::nullopt;
  const auto rounded = rounded_decimals(format);
  const bool is_read = rounded ? round_to(*rounded, text, decimal) : decimal.decimals == fixed_decimals(format);
  return is_read ? std::optional(decimal) : std::nullopt;
}

// Neighbours of a positive, finite double; its bit pattern orders like its value.
double above(double value) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + 1); }
double below(double value) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) - 1); }

// Both ends of an interval, reckoned with at once, as processors do in one step.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
using PairBits = std::int64_t __attribute__((vector_size(2 * sizeof(std::int64_t))));

// The first 26 bits of doubles; the others are 27.
inline Pair upper_half(Pair values) {
  constexpr std::int64_t kUpper = -(std::int64_t{1} << 27);
  return std::bit_cast<Pair>(std::bit_cast<PairBits>(values) & kUpper);
}

// The doubles between (2 * low - 1) / (2 * 10^decimals) and (2 * high + 1) / (2 * 10^decimals), each border with the
// decimals of its number and included if that is even. Numerators and denominators are exact, and a denominator has at
// most 26 bits behind which only zeros follow: the products of the halves are exact, so is the first difference, and
// with it the sign of the sum, which says on which side of its border the nearest double lies. In its place, so that
// what a call would need is not saved and restored for each number of a log.
[[gnu::always_inline]] inline RealInterval interval_between(Decimal low, Decimal high) {
  const auto numerator = [](Decimal of, std::int64_t side) {
    return static_cast<double>(2 * static_cast<std::int64_t>(of.units) + side);
  };
  const auto denominator = [](Decimal of) { return kTwicePowers[static_cast<std::size_t>(of.decimals)]; };
  const auto is_odd = [](Decimal of) { return -static_cast<std::int64_t>(of.units % 2); };  // as the marks of a Pair
  const Pair numerators = {numerator(low, -1), numerator(high, 1)};
  const Pair denominators = {denominator(low), denominator(high)};
  const Pair nearest = numerators / denominators;
  const Pair upper = upper_half(nearest);
  const Pair sides = (upper * denominators - numerators) + (nearest - upper) * denominators;
  // Without branches, since on which side of a border its double lies is as good as random.
  const Pair inwards = {1, -1};
  const PairBits is_tie_outside = {is_odd(low), is_odd(high)};
  const PairBits is_outside = (sides * inwards < 0) | ((sides == 0) & is_tie_outside);
  const PairBits step = {1, -1};  // to the neighbour of a positive double
  const auto ends = std::bit_cast<Pair>(std::bit_cast<PairBits>(nearest) + (is_outside & step));
  // What rounds to zero from below prints "-0".
  return {low.units == 0 ? 0 : ends[0], ends[1]};
}

[[gnu::always_inline]] inline RealInterval fixed_interval(Decimal decimal) {
  return interval_between(decimal, decimal);
}

// Like fixed_interval, for a number of significant digits: below a power of ten the digits are finer.
[[gnu::always_inline]] inline RealInterval significant_interval(Decimal decimal, std::uint64_t power_of_ten) {
  if (decimal.units != power_of_ten) return fixed_interval(decimal);
  return interval_between({decimal.units * 10, decimal.decimals + 1, true}, decimal);
}

// The fractions x for which x * 100, rounded to binary64, lies in `percent`.
RealInterval fractions(RealInterval percent) {
  RealInterval result{percent.low / 100, percent.high / 100};
  while (result.low * 100 < percent.low) result.low = above(result.low);
  while (result.low > 0 && below(result.low) * 100 >= percent.low) result.low = below(result.low);
  while (result.high * 100 > percent.high) result.high = below(result.high);
  while (above(result.high) * 100 <= percent.high) result.high = above(result.high);
  return result;
}

// "de-XX": one significant digit of a number below 0.0001.
std::optional<Decimal> read_small_digit(std::string_view text) {
  if (text.size() != 5 || text.substr(1, 2) != "e-") return std::nullopt;
  const auto digit = parse_integer(text.substr(0, 1));
  const auto exponent = parse_integer(text.substr(3));
  if (!digit || *digit == 0 || !exponent || *exponent < 5 || *exponent > kMaxDecimals) return std::nullopt;
  return Decimal{static_cast<std::uint64_t>(*digit), static_cast<int>(*exponent), true};
}

// "1" reaches down to 0.95: there it is one significant digit too.
inline RealInterval whole_component(std::uint64_t units) {
  return units == 0 ? exactly(0.0) : significant_interval({units, 0, false}, 1);
}

// Integers, and one significant digit below 0.0001.
std::optional<RealInterval> short_component(std::string_view text) {
  if (const auto decimal = read_decimal(text))
    return decimal->point ? std::nullopt : std::optional(whole_component(decimal->units));
  const auto small = read_small_digit(text);
  return small ? std::optional(significant_interval(*small, 1)) : std::nullopt;
}

// "3.29e+03": three significant digits of a number from 1000 on. Its borders are whole numbers, or halves, that a
// double holds.
std::optional<RealInterval> short_exponent(std::string_view text) {
  constexpr std::size_t kExponentForm = 4;  // "e+03"
  constexpr std::int64_t kFewest = 3, kMost = 12;
  if (text.size() <= kExponentForm) return std::nullopt;
  const std::string_view mantissa = text.substr(0, text.size() - kExponentForm);
  const auto exponent = parse_integer(text.substr(text.size() - 2));
  auto decimal = read_decimal(mantissa);
  if (!exponent || *exponent < kFewest || *exponent > kMost || !decimal || decimal->units == 0) return std::nullopt;
  const bool is_rounded = decimal->decimals == 0 || mantissa.back() != '0';
  if (mantissa.front() == '0' || (mantissa.size() > 1 && mantissa[1] != '.')) return std::nullopt;
  if (text.substr(mantissa.size(), 2) != "e+" || !is_rounded || decimal->decimals > 2) return std::nullopt;
  for (; decimal->decimals < 2; ++decimal->decimals) decimal->units *= 10;
  const double step = kTwicePowers[static_cast<std::size_t>(*exponent - 2)] / 2;  // from one such number to the next
  const double value = static_cast<double>(decimal->units) * step;
  const bool tie_included = decimal->units % 2 == 0;
  const double low = value - (decimal->units == 100 ? step / 20 : step / 2), high = value + step / 2;
  return RealInterval{tie_included ? low : above(low), tie_included ? high : below(high)};
}

// Three significant digits; the exponent form of other numbers is left to search_values().
std::optional<RealInterval> short_general(std::string_view text) {
  if (text.find('e') != std::string_view::npos) return short_exponent(text);
  auto decimal = read_decimal(text);
  if (!decimal || (decimal->point && text.back() == '0')) return std::nullopt;
  if (decimal->units == 0) return exactly(0.0);
  for (; decimal->units < 100; ++decimal->decimals) decimal->units *= 10;
  if (decimal->units > 999 || decimal->decimals > 6) return std::nullopt;
  return significant_interval(*decimal, 100);
}

std::optional<RealInterval> short_integer(std::string_view text) {
  const auto decimal = read_decimal(text);
  if (!decimal || decimal->point) return std::nullopt;
  return exactly(static_cast<double>(decimal->units));
}

// Positional text of a float: it is the shortest that reads so, since other decimals of 15 digits are other doubles.
std::optional<RealInterval> short_float(std::string_view text) {
  const auto decimal = read_decimal(text);
  if (!decimal || !decimal->point || (decimal->decimals > 1 && text.back() == '0')) return std::nullopt;
  const double power = kTwicePowers[static_cast<std::size_t>(decimal->decimals)] / 2;
  const auto units = static_cast<double>(decimal->units);
  if (decimal->units != 0 && units * 10'000 < power) return std::nullopt;  // printed with an exponent
  return exactly(units / power);
}

// The text without its thousands separators; std::nullopt if they are not where they belong.
std::optional<std::string> without_separators(std::string_view text) {
  if (text.size() % 4 == 0) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator_due = i > 0 && (text.size() - i) % 4 == 0;
    if (separator_due != (text[i] == ',')) return std::nullopt;
    if (!separator_due) digits += text[i];
  }
  return digits;
}

// The interval of short text without a sign; std::nullopt leaves the decision to search_values().
std::optional<RealInterval> short_interval(std::string_view text, Format format) {
  switch (format) {
    case Format::c1:
      return short_component(text);
    case Format::g3:
      return short_general(text);
    case Format::python_float:
      return short_float(text);
    case Format::integer:
      return short_integer(text);
    case Format::thousands: {
      const auto digits = without_separators(text);
      const auto decimal = digits ? read_decimal(*digits) : std::nullopt;
      if (!decimal || decimal->point) return std::nullopt;
      return fixed_interval(*decimal);
    }
    default: {
      const auto decimal = read_fixed(text, format);
      if (!decimal) return std::nullopt;
      const RealInterval printed = fixed_interval(*decimal);
      return format == Format::p0 && !decimal->point ? fractions(printed) : printed;
    }
  }
}

// Digits as Python prints an integer: no leading zero, and no "-0".
bool is_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || (text.front() == '0' && (negative || text.size() > 1))) return false;
  return std::all_of(text.begin(), text.end(), is_digit);
}

// Is the text that of a Python integer, by its format or as the integer that r1..r3 may print (section 2.1)?
bool is_exact_integer(std::string_view text, Format format) {
  return (format == Format::integer || rounded_decimals(format)) && is_integer(text);
}

// First and last count whose conversion to binary64 is at least, or at most, `bound`.
std::int64_t first_count(double bound) {
  auto count = static_cast<std::int64_t>(std::ceil(bound));
  while (count > 0 && static_cast<double>(count - 1) >= bound) --count;
  return count;
}
std::int64_t last_count(double bound) {
  auto count = static_cast<std::int64_t>(std::floor(bound));
  while (static_cast<double>(count + 1) <= bound) ++count;
  return count;
}

std::optional<ByteInterval> counts(std::int64_t low, std::int64_t high) {
  if (low > high || high >= kByteLimit) return std::nullopt;
  return ByteInterval{low, high};
}

std::optional<ByteInterval> exact_bytes(std::string_view text, std::int64_t unit) {
  const auto quotient = parse_integer(text, (kByteLimit - 1) / unit);
  if (!quotient) return std::nullopt;
  return exactly(*quotient * unit);
}

// Counts beyond 2^53 are themselves rounded when they are divided, so they go through the interval of the quotient.
std::optional<ByteInterval> large_bytes(std::string_view text, Format format, std::int64_t unit) {
  const auto quotient = values_printed_as(text, format);
  if (!quotient) return std::nullopt;
  const auto scale = static_cast<double>(unit);
  if (quotient->high * scale >= static_cast<double>(kByteLimit)) return std::nullopt;
  return counts(first_count(quotient->low * scale), last_count(quotient->high * scale));
}

// Counts whose quotient by `unit` rounds to the decimal, half to even; std::nullopt beyond 2^53. Borders are in
// units of 1 / (2 * 10^decimals) bytes: with at most three decimals they fit 64 bits wherever the count is below 2^53,
// and what does not fit is std::nullopt, too.
[[gnu::always_inline]] inline std::optional<ByteInterval> bytes_between_ties(std::uint64_t units,
                                                                             std::uint64_t per_byte,
                                                                             std::uint64_t unit) {
  const std::uint64_t tie_outside = units % 2, tie_inside = 1 - tie_outside;
  std::uint64_t upper = 0;
  if (__builtin_mul_overflow(2 * units + 1, unit, &upper)) return std::nullopt;
  // The least count that is not below the lower border, nor on it where ties are outside; the largest likewise.
  const std::uint64_t low = units > 0 ? (upper - 2 * unit - tie_inside) / per_byte + 1 : 0;
  const std::uint64_t high = (upper - tie_outside) / per_byte;
  if (high >= kExactLimit) return std::nullopt;
  return ByteInterval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

std::optional<ByteInterval> bytes_between_ties(Decimal decimal, std::uint64_t unit) {
  // Nearly all have three decimals, and a constant divides faster.
  if (decimal.decimals == 3) return bytes_between_ties(decimal.units, 2 * kPowers[3], unit);
  return bytes_between_ties(decimal.units, 2 * kPowers[static_cast<std::size_t>(decimal.decimals)], unit);
}

// Any text: signs, numbers that are long or of other formats, and what is no number. Kept apart, so that what it needs
// is not saved and restored for each short number.
[[gnu::noinline]] std::optional<RealInterval> any_values(std::string_view text, Format format) {
  if (text.empty()) return std::nullopt;
  const bool negative = text.starts_with('-');
  // Rounding is symmetric, except that c1 prints no negative integers and an integer is never "-0".
  const bool symmetric = format != Format::c1 && format != Format::integer;
  if (!negative || symmetric) {
    const auto interval = short_interval(negative ? text.substr(1) : text, format);
    if (interval) return negative ? RealInterval{-interval->high, -interval->low} : *interval;
  }
  if (!is_exact_integer(text, format)) return format == Format::integer ? std::nullopt : search_values(text, format);
  const auto value = parse_real(text);
  if (!value) return std::nullopt;
  return exactly(*value);
}

std::optional<RealInterval> values_of_component(std::string_view text) {
  constexpr std::size_t kSafeDigits = 15;  // which are not above kMaxUnits
  if (const RealInterval* usual = usual_component(text)) return *usual;
  if (text.size() > 1 && text.size() <= kSafeDigits && text.front() != '0') {
    std::uint64_t units = 0;
    if (read_digits(text, 0, units) == text.size()) return whole_component(units);
  }
  return any_values(text, Format::c1);
}

// Any text, kept apart like any_values().
[[gnu::noinline]] std::optional<ByteInterval> any_bytes(std::string_view text, Format format, std::int64_t unit) {
  if (text.starts_with('-')) return std::nullopt;
  return is_exact_integer(text, format) ? exact_bytes(text, unit) : large_bytes(text, format, unit);
}

bool is_byte_format(Format format) { return rounded_decimals(format) || fixed_decimals(format).value_or(0) > 0; }

}  // namespace

// No function has to ask whether they are there already.
const numbers_detail::UsualComponents numbers_detail::usual_components = [] {
  UsualComponents all{};
  for (std::uint64_t digit = 0; digit <= 9; ++digit) all[0][digit] = whole_component(digit);
  for (std::size_t decimals = 1; decimals < all.size(); ++decimals)
    for (std::uint64_t digit = 1; digit <= 9; ++digit)
      all[decimals][digit] = significant_interval({digit, static_cast<int>(decimals), true}, 1);
  return all;
}();

// Nearly all numbers of a log are of r3 and c1, and short.
std::optional<RealInterval> values_printed_as(std::string_view text, Format format) {
  if (format == Format::c1) return values_of_component(text);
  Decimal decimal;
  if (read_decimal(text, decimal)) {
    const int decimals = rounded_decimals(format).value_or(0);
    if (decimals > 0 && !decimal.point) return exactly(static_cast<double>(decimal.units));
    if (decimals > 0 && round_to(decimals, text, decimal)) return fixed_interval(decimal);
  }
  return any_values(text, format);
}

std::optional<ByteInterval> bytes_printed_as(std::string_view text, Format format, std::int64_t unit) {
  if (unit <= 0 || (unit & (unit - 1)) != 0) return std::nullopt;  // std::has_single_bit() counts all bits
  if (!is_byte_format(format)) return std::nullopt;
  if (const auto decimal = read_fixed(text, format))
    if (const auto interval = bytes_between_ties(*decimal, static_cast<std::uint64_t>(unit)))
      return counts(interval->low, interval->high);
  return any_bytes(text, format, unit);
}

}  // namespace shardstats
