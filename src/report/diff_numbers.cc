// Numbers as the reports of diff say them, with the digits that their bounds agree on.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "report/diff_words.h"
#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/units.h"

namespace shardstats::diff_words {
namespace {

struct Scale {
  double unit;
  std::string_view name;
};

bool is_zero(std::string_view digits) { return digits.find_first_of("123456789") == std::string_view::npos; }

Scale scale_of(RealInterval value, DiffUnit unit) {
  if (unit == DiffUnit::ms) return {1, " ms"};
  if (unit == DiffUnit::count) return {1, ""};
  constexpr std::array<Scale, 5> kBytes = {
      {{1, " B"}, {1024, " KiB"}, {1 << 20, " MiB"}, {1 << 30, " GiB"}, {1024.0 * (1 << 30), " TiB"}}};
  const double largest = std::max(std::fabs(value.low), std::fabs(value.high));
  std::size_t i = 0;
  while (i + 1 < kBytes.size() && largest >= kBytes[i + 1].unit) ++i;
  return kBytes[i];
}

constexpr double kWithoutDecimals = 1000;  // numbers from here on
constexpr double kNegligible = 0.01;       // of a number: what may be left out where it is shown

// A number below a thousand with decimals, a larger one with commas; no "-0.0".
std::string digits_of(double x, Format decimals) {
  if (decimals == Format::integer || std::fabs(x) >= kWithoutDecimals) return with_commas(capped(std::round(x)));
  const std::string text = format(x, decimals);
  return is_zero(text) && text.starts_with('-') ? text.substr(1) : text;
}

std::string with_sign(std::string text) { return text.starts_with('-') ? text : "+" + text; }

struct Rounding {
  Format decimals;
  double steps;  // in a unit
};
constexpr std::array<Rounding, 4> kRoundings = {
    {{Format::r3, 1000}, {Format::r2, 100}, {Format::r1, 10}, {Format::integer, 1}}};

double rounded_to(double x, const Rounding& rounding) {
  const double steps = std::fabs(x) >= kWithoutDecimals ? 1 : rounding.steps;
  return std::round(x * steps) / steps;
}

std::string digits_of(double x, Format decimals, bool sign) {
  std::string digits = digits_of(x, decimals);
  return sign ? with_sign(std::move(digits)) : digits;
}

// The decimals of the one that has more, where both have some.
void align_decimals(std::string& a, std::string& b) {
  const std::size_t dot_a = a.find('.'), dot_b = b.find('.');
  if (dot_a == std::string::npos || dot_b == std::string::npos) return;
  const std::size_t decimals = std::max(a.size() - dot_a, b.size() - dot_b);
  a.resize(dot_a + decimals, '0');
  b.resize(dot_b + decimals, '0');
}

// Do both bounds read the same, and does that say about as much as they do?
bool agree_on(RealInterval value, const Rounding& rounding) {
  const double largest = std::max(std::fabs(value.low), std::fabs(value.high));
  const double shown = rounded_to(value.low, rounding);
  const double off = std::max(std::fabs(value.low - shown), std::fabs(value.high - shown));
  const bool says_enough = rounding.decimals == Format::r3 || off <= kNegligible * largest;
  const std::string low = digits_of(value.low, rounding.decimals);
  return low == digits_of(value.high, rounding.decimals) && says_enough && (!is_zero(low) || value == RealInterval{});
}

// The finest rounding that both bounds agree on; nullptr if none.
const Rounding* agreed_rounding(RealInterval value) {
  const auto found = std::ranges::find_if(kRoundings, [&](const Rounding& r) { return agree_on(value, r); });
  return found == kRoundings.end() ? nullptr : &*found;
}

// Rounded outwards, to digits that tell the two apart and lose little of either.
std::string bounds_text(RealInterval value, bool sign) {
  const double width = value.high - value.low, largest = std::max(std::fabs(value.low), std::fabs(value.high));
  const auto outwards = [&](double x, auto round) {
    constexpr double kLittle = 0.05;
    const double coarsest = width >= 100 || largest >= kWithoutDecimals ? 1 : width >= 1 ? 10 : 1000;
    for (const double steps : {1.0, 10.0})
      if (const double rounded = round(x * steps) / steps;
          steps >= coarsest && std::fabs(rounded - x) <= kLittle * std::fabs(x))
        return rounded;
    return round(x * 1000) / 1000;
  };
  std::string low = digits_of(outwards(value.low, [](double x) { return std::floor(x); }), Format::r3, sign);
  std::string high = digits_of(outwards(value.high, [](double x) { return std::ceil(x); }), Format::r3, sign);
  align_decimals(low, high);
  return from_to(low, high);
}

std::string text_of(RealInterval value, const Rounding* rounding, bool sign) {
  return rounding ? digits_of(value.low, rounding->decimals, sign) : bounds_text(value, sign);
}

// A time that the log bounds from below alone: what makes it longer, such as the misses of a cache, is not printed.
bool has_no_upper_bound(RealInterval value, DiffUnit unit) {
  constexpr double kNoTime = 1000;  // ms; of a training step
  constexpr double kTimes = 1000;
  return unit == DiffUnit::ms && value.low > 0 && value.high >= std::max(kNoTime, kTimes * value.low);
}

// Bytes and counts that no larger unit makes fractions of.
bool is_whole(const Scale& scale, DiffUnit unit) { return scale.unit == 1 && unit != DiffUnit::ms; }

RealInterval in(const Scale& scale, RealInterval value) { return {value.low / scale.unit, value.high / scale.unit}; }

std::string scaled(RealInterval value, DiffUnit unit, bool sign) {
  if (has_no_upper_bound(value, unit)) return scaled(exactly(value.low), unit, sign) + " or more";
  const Scale scale = scale_of(value, unit);
  if (is_whole(scale, unit)) value = {std::round(value.low), std::round(value.high)};
  value = in(scale, value);
  std::string text = text_of(value, agreed_rounding(value), sign);
  if (is_whole(scale, unit) && text.ends_with(".0")) text.resize(text.size() - 2);
  return text + std::string(scale.name);
}

}  // namespace

std::string value_text(RealInterval value, DiffUnit unit) { return scaled(value, unit, false); }
std::string signed_text(RealInterval change, DiffUnit unit) { return scaled(change, unit, true); }

std::string side_text(const std::optional<RealInterval>& value, DiffUnit unit) {
  return value ? value_text(*value, unit) : "not printed";
}

namespace {

// A side of a change as it is shown.
struct Side {
  Scale scale;
  RealInterval value;  // in that unit
  const Rounding* rounding;

  double shown() const { return rounded_to(value.low, *rounding); }
  double step() const { return scale.unit / rounding->steps; }  // of the last digit
  std::string text() const { return text_of(value, rounding, false); }
};

Side side_of(RealInterval value, DiffUnit unit) {
  const Scale scale = scale_of(value, unit);
  const RealInterval scaled_value = in(scale, value);
  return {scale, scaled_value, agreed_rounding(scaled_value)};
}

// Does the left side as shown give the right one as shown, whichever end of the change a reader adds?
bool add_up(const NumberDiff& number, const Side& left, const Side& right) {
  const auto gives_right = [&](double change) {
    const double sum = (left.shown() * left.scale.unit + change) / right.scale.unit;
    return rounded_to(sum, *right.rounding) == right.shown();
  };
  const double least = std::min(std::fabs(number.change.low), std::fabs(number.change.high));
  if (std::max(left.step(), right.step()) <= kNegligible * least) return true;
  return gives_right(number.change.low) && gives_right(number.change.high);
}

// With as many decimals on both sides; rounded so far that they no longer add up, with bounds instead.
Sides rounded_sides(const NumberDiff& number) {
  Side left = side_of(*number.before, number.unit), right = side_of(*number.after, number.unit);
  const bool same_unit = left.scale.unit == right.scale.unit;
  if (left.rounding && right.rounding) {
    const bool alike = std::abs(left.rounding - right.rounding) <= 1;  // what the other loses is a decimal
    if (same_unit) left.rounding = right.rounding = std::max(left.rounding, right.rounding);
    const bool enough = agree_on(left.value, *left.rounding) && agree_on(right.value, *right.rounding);
    if ((same_unit && !alike) || !enough || !add_up(number, left, right))
      for (Side* side : {&left, &right})
        side->rounding = agree_on(side->value, kRoundings.front()) ? &kRoundings.front() : nullptr;
  }
  std::string before = left.text(), after = right.text();
  if (same_unit && left.rounding && right.rounding) align_decimals(before, after);
  return {before + std::string(left.scale.name), after + std::string(right.scale.name)};
}

}  // namespace

Sides side_texts(const NumberDiff& number) {
  const auto is_fraction = [&](const std::optional<RealInterval>& value) {
    return value && !is_whole(scale_of(*value, number.unit), number.unit) && !has_no_upper_bound(*value, number.unit);
  };
  if (is_fraction(number.before) && is_fraction(number.after)) return rounded_sides(number);
  return {side_text(number.before, number.unit), side_text(number.after, number.unit)};
}

std::string percent_text(const NumberDiff& number) {
  const auto percent = number.percent();
  if (!percent || !number.changed) return {};
  if (has_no_upper_bound(number.change, number.unit) && percent->low > 0)
    return with_sign(digits_of(percent->low, Format::integer)) + "% or more";
  const std::string low = digits_of(percent->low, Format::f1), high = digits_of(percent->high, Format::f1);
  if (low == high) return is_zero(low) ? "" : with_sign(low) + "%";
  const std::string whole = digits_of(percent->low, Format::integer);
  if (whole == digits_of(percent->high, Format::integer) && !is_zero(whole)) return with_sign(whole) + "%";
  return from_to(with_sign(low), with_sign(high)) + "%";
}

bool may_have_changed(const NumberDiff& number) {
  if (!number.before || !number.after || number.changed) return false;
  return number.is_open() || std::max(-number.change.low, number.change.high) > kNegligible * middle(*number.before);
}

std::string change_text(const NumberDiff& number) {
  if (!number.before || !number.after) return {};
  if (!number.changed)
    return may_have_changed(number) ? signed_text(number.change, number.unit) + " as far as is known" : "no change";
  const std::string percent = percent_text(number);
  return signed_text(number.change, number.unit) + (percent.empty() ? "" : " (" + percent + ")");
}

std::string both_text(const NumberDiff& number) { return both_text(number, side_texts(number)); }

std::string both_text(const NumberDiff& number, const Sides& sides) {
  std::string text = sides.before + " -> " + sides.after;
  if (!number.changed) return text;
  const std::string percent = percent_text(number);
  return text + " (" + signed_text(number.change, number.unit) + (percent.empty() ? "" : ", " + percent) + ")";
}

}  // namespace shardstats::diff_words
