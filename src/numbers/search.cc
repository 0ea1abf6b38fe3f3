#include "numbers/search.h"

#include <bit>
#include <limits>
#include <numeric>
#include <string>

namespace shardstats::numbers_detail {
namespace {

// Doubles numbered in ascending order; -0.0 is -1 and 0.0 is 0, because they print differently.
std::int64_t ordinal(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : ~(bits & std::numeric_limits<std::int64_t>::max());
}
double double_at(std::int64_t ordinal) {
  return std::bit_cast<double>(ordinal >= 0 ? ordinal : ~ordinal | std::numeric_limits<std::int64_t>::min());
}

// A double that prints as `text`: the one the text reads as (for p0 its hundredth), or a neighbour.
std::optional<double> sample(std::string_view text, Format text_format) {
  std::string digits(text);
  if (text_format == Format::thousands) std::erase(digits, ',');
  const auto value = parse_real(digits);
  if (!value) return std::nullopt;
  const double near = text_format == Format::p0 ? *value / 100 : *value;
  // Dividing and multiplying again errs by at most two units in the last place; and subnormal numbers are so coarse
  // that the one nearest to a text may print as another.
  for (const std::int64_t step : {0, -1, 1, -2, 2}) {
    const double value_near = double_at(ordinal(near) + step);
    if (format(value_near, text_format) == text) return value_near;
  }
  return std::nullopt;
}

// The last double that prints as `text`, going from `inside`, which does, to `outside`.
double last_printed_as(std::string_view text, Format text_format, double inside, double outside) {
  if (format(outside, text_format) == text) return outside;
  std::int64_t yes = ordinal(inside);
  std::int64_t no = ordinal(outside);
  while (std::midpoint(yes, no) != yes) {
    const std::int64_t middle = std::midpoint(yes, no);
    (format(double_at(middle), text_format) == text ? yes : no) = middle;
  }
  return double_at(yes);
}

}  // namespace

std::optional<RealInterval> search_values(std::string_view text, Format text_format) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const auto inside = sample(text, text_format);
  if (!inside) return std::nullopt;
  if (text_format == Format::python_float) return exactly(*inside);  // repr is injective
  return RealInterval{last_printed_as(text, text_format, *inside, -kMax),
                      last_printed_as(text, text_format, *inside, kMax)};
}

}  // namespace shardstats::numbers_detail
