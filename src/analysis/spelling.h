// How the planner spells a rounded number (log-format.md section 2): "07", "0.50", "1.2345", "-3" and "nan" are no
// numbers that it prints. Private to src/analysis.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "shardstats/ascii.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {

// Decimals.
constexpr std::size_t kWhole = 0, kOne = 1, kTwo = 2, kThree = 3;
constexpr std::size_t kDigits = 96;  // none, of a column whose cells are read as digits alone
constexpr std::size_t kFixed = 97;   // v0.1.0
constexpr std::size_t kAsNeeded = 98;
constexpr std::size_t kComponent = 99;  // none, or below 1 one digit that is not zero (C1)

constexpr std::size_t kFewCharacters = 15;    // whose every decimal is printed by some number
constexpr std::size_t kMostWholeDigits = 16;  // from 10^16 on Python prints an exponent (limits.h)

// "0", "12", "0.3", "0.0005", "3e-05"
inline bool is_component(std::string_view text) {
  const std::size_t point = text.find('.'), digit = text.find_first_not_of("0.");
  if (point == std::string_view::npos) return text.size() < 2 || text[0] != '0';
  return text.starts_with("0.") && digit == text.size() - 1;
}

inline Format format_of_decimals(std::size_t decimals) {
  constexpr std::array kRounded = {Format::integer, Format::r1, Format::r2, Format::r3};
  if (decimals == kDigits) return Format::integer;
  return decimals == kComponent ? Format::c1 : decimals == kAsNeeded ? Format::python_float : kRounded[decimals];
}

// Rounded to `decimals` and printed by Python: no needless zeros in front, none behind the first decimal.
// A number without a point is judged by its value alone.
inline bool has_shape(std::string_view text, std::size_t decimals) {
  if (text.size() < 2) return true;
  if (decimals == kComponent) return is_component(text);
  if (text[0] == '0' && is_digit(text[1])) return false;
  std::size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  if (decimals == kWhole) return point == text.size();
  if (point + 2 >= text.size()) return point + 1 != text.size();  // none, or one decimal
  return text.size() - point - 1 <= decimals && text.back() != '0';
}

// "0.3", "0.0005", "3e-05": below 1 a component has one digit, at one of few places.
inline bool is_usual_below_one(std::string_view text) {
  const auto is_from = [](char c, char least) { return least <= c && c <= '9'; };
  if (text.size() == 5 && text[1] == 'e')
    return text.substr(2, 2) == "-0" && is_from(text[0], '1') && is_from(text[4], '5');
  if (text.size() < 3 || text[0] != '0' || text[1] != '.') return false;
  std::size_t digit = 2;
  while (text[digit] == '0' && digit + 1 < text.size()) ++digit;
  return digit + 1 == text.size() && is_from(text[digit], '1');
}

// "12.345", of few characters: if that is a number at all, only digits stand around a point so near to its end, and no
// needless zeros among them.
inline bool is_usual_decimal(std::string_view text, std::size_t decimals) {
  if (!is_digit(text[0]) || (text[0] == '0' && text[1] != '.')) return false;
  const std::size_t size = text.size();
  const auto is_point = [&](std::size_t behind) {
    return behind <= decimals && size > behind + 1 && text[size - behind - 1] == '.';
  };
  return is_point(1) || (text.back() != '0' && (is_point(2) || is_point(3)));
}

// Is it, at one look, what nearly all cells are: "None", or digits without needless zeros, perhaps with a point among
// them? What is not recognised here is left to spelling_of(). Of other decimals than is_usual_decimal() knows.
template <std::size_t decimals>
inline bool looks_usual(std::string_view text) {
  if (text.size() > kFewCharacters) return false;
  if (decimals == kDigits) return text[0] != '0';
  if (decimals == kAsNeeded && text[0] == 'N') return text == "None";
  if (decimals == kComponent && text[0] == '0') return is_usual_below_one(text);
  const std::size_t point = skip_digits(text, 0);
  if (decimals == kFixed) return point > 0;
  if (point == text.size()) return text[0] != '0';
  if (decimals == kComponent) return is_usual_below_one(text);
  if (text[point] != '.' || decimals == kWhole) return text == "None";
  const std::size_t behind = text.size() - point - 1;
  if (behind == 0 || (text[0] == '0' && point != 1)) return false;
  if (behind > 1 && (behind > decimals || text.back() == '0')) return false;
  return skip_digits(text, point + 1) == text.size();
}
template <std::size_t decimals>
[[gnu::always_inline]] inline bool is_usual(std::string_view text) {
  if (text.size() < 2) return true;
  // Nearly all numbers of these columns, so that nothing is called for them.
  constexpr bool is_decimal = decimals == kOne || decimals == kTwo || decimals == kThree;
  if (is_decimal && text.size() <= kFewCharacters && is_usual_decimal(text, decimals)) return true;
  return looks_usual<decimals>(text);
}

// Those of the columns of a row.
template <std::size_t... decimals>
using Decimals = std::index_sequence<decimals...>;

// Not "None", and not "nan", "inf" or a negative number, which no amount of anything is.
inline bool is_amount(std::string_view text) { return is_digit(text[0]) && is_number(text); }

// A number that is not printed so by any double.
inline bool is_misspelled(std::string_view text, std::size_t decimals) {
  if (decimals == kFixed) return false;
  const bool is_short = text.size() <= kFewCharacters && text.find('e') == std::string_view::npos;
  return is_short ? !has_shape(text, decimals)
                  : !has_shape(text, decimals) || !values_printed_as(text, format_of_decimals(decimals));
}

// "1,709": only v0.1.0 prints numbers so.
inline bool has_separators(std::string_view text) {
  return is_digit(text[0]) && text.find(',') != std::string_view::npos;
}

enum class Spelling : std::uint8_t { usual, odd, beyond };
inline Spelling spelling_of(std::string_view text, std::size_t decimals) {
  // "None", or damage that is found where the cell is read; separators are read in any release.
  if (!is_number(text)) return decimals != kFixed && has_separators(text) ? Spelling::odd : Spelling::usual;
  if (!is_amount(text)) return Spelling::odd;
  if (skip_digits(text, 0) > kMostWholeDigits) return Spelling::beyond;
  if (is_misspelled(text, decimals)) return Spelling::odd;
  return text.find("e+") == std::string_view::npos ? Spelling::usual : Spelling::beyond;
}

}  // namespace shardstats::analysis
