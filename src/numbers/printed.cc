// Formatting: binary64 to the text Python prints (log-format.md section 2). The inverse is in printed_as.cc.
#include "shardstats/numbers/printed.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "numbers/format.h"
#include "shardstats/ascii.h"
#include "shardstats/numbers/commas.h"

namespace shardstats {
namespace {

// The longest text is that of -DBL_MAX with three decimals: 1 + 309 + 1 + 3 characters.
using Buffer = std::array<char, 320>;

std::string_view written(const Buffer& buffer, std::to_chars_result result) {
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

// C's "%.<decimals>f", correctly rounded.
std::string_view write_fixed(Buffer& buffer, double value, int decimals) {
  return written(
      buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals));
}

// C's "%.<digits>g".
std::string_view write_general(Buffer& buffer, double value, int digits) {
  return written(
      buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits));
}

// The shortest digits that read back as the same double, laid out as Python does: positional for decimal exponents
// -4..15, with ".0" where there is no fraction; else d.ddde+XX.
std::string repr(double value) {
  Buffer buffer;
  std::string_view text = written(
      buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);

  std::string result;
  if (text.front() == '-') result += '-';
  std::string digits;
  for (const char c : text.substr(0, e))
    if (is_digit(c)) digits += c;
  if (exponent < 0) return result + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole - digits.size() + 1, '0');
  return result + digits.substr(0, whole) + '.' + digits.substr(whole);
}

// repr(round(value, decimals)).
std::string rounded(double value, int decimals) {
  Buffer buffer;
  std::string_view text = write_fixed(buffer, value, decimals);
  // Up to 15 digits the decimal is its own shortest repr, so only its trailing zeros have to go.
  if (std::abs(value) < 1e12) {
    const std::size_t point = text.find('.');
    while (text.size() > point + 2 && text.back() == '0') text.remove_suffix(1);
    return std::string(text);
  }
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return repr(result);
}

// A perf component: an integer from 1 up, else one significant digit.
std::string_view write_component(Buffer& buffer, double value) {
  return value >= 1 ? write_fixed(buffer, value, 0) : write_general(buffer, value, 1);
}

}  // namespace

std::string format(double value, Format format) {
  using numbers_detail::fixed_decimals;
  using numbers_detail::rounded_decimals;
  if (format == Format::p0) value *= 100;
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  Buffer buffer;
  switch (format) {
    case Format::r1:
    case Format::r2:
    case Format::r3:
      return rounded(value, *rounded_decimals(format));
    case Format::f1:
    case Format::f2:
    case Format::f3:
    case Format::f4:
    case Format::f5:
    case Format::f6:
    case Format::p0:
      return std::string(write_fixed(buffer, value, *fixed_decimals(format)));
    case Format::integer: {
      const std::string_view text = write_fixed(buffer, value, 0);
      return std::string(text == "-0" ? "0" : text);
    }
    case Format::thousands:
      return with_commas(write_fixed(buffer, value, 0));
    case Format::g3:
      return std::string(write_general(buffer, value, 3));
    case Format::c1:
      return std::string(write_component(buffer, value));
    case Format::python_float:
      return repr(value);
  }
  return {};  // not reached: every format is handled above
}

std::optional<std::int64_t> numbers_detail::parse_long_integer(std::string_view text, std::int64_t limit) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c) || value > kMost / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (value > kMost || static_cast<std::int64_t>(value) > limit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_number(std::string_view text) { return !text.empty() && number_length(text) == text.size(); }

}  // namespace shardstats
