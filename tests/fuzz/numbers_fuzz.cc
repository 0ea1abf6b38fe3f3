// Any text as a printed number or list, and any double as a number to print.
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "fuzz/fuzz.h"
#include "shardstats/log/printed.h"
#include "shardstats/numbers/printed.h"

namespace {

using namespace shardstats;
using fuzz::require;

constexpr std::array kFormats = {Format::integer, Format::thousands, Format::r1, Format::r2,
                                 Format::r3,      Format::f1,        Format::f2, Format::f3,
                                 Format::p0,      Format::g3,        Format::c1, Format::python_float};
constexpr std::size_t kFewRanks = 64;

// Text of r1..r3 without a point stands for a Python int, which a double does not print as.
bool is_int_text(std::string_view text, Format format) {
  const bool rounded = format == Format::r1 || format == Format::r2 || format == Format::r3;
  return format == Format::integer || (rounded && text.find_first_of(".e") == std::string_view::npos);
}

void check_text(std::string_view text, Format form) {
  if (const auto values = values_printed_as(text, form)) {
    require(values->low <= values->high, "bounds in order");
    require(is_number(text) || form == Format::thousands, "only numbers have values");
    if (!is_int_text(text, form)) {
      require(format(values->low, form) == text, "the lower bound prints as the text");
      require(format(values->high, form) == text, "the upper bound prints as the text");
    }
  }
  for (const std::int64_t unit : {kMiB, kGiB})
    if (const auto bytes = bytes_printed_as(text, form, unit)) {
      require(0 <= bytes->low && bytes->low <= bytes->high, "byte bounds in order");
      if (is_int_text(text, form)) continue;
      const auto printed = [&](std::int64_t n) {
        return format(static_cast<double>(n) / static_cast<double>(unit), form);
      };
      require(printed(bytes->low) == text && printed(bytes->high) == text, "byte bounds print as the text");
    }
}

void check_value(double value, Format form) {
  constexpr double kNearMost = 1e308;  // may round to a text beyond all doubles
  const std::string text = format(value, form);
  if (std::abs(value) >= kNearMost) return;
  if (!std::isfinite(value) || text == "inf" || text == "-inf") return;
  if (form == Format::integer && value != std::trunc(value)) return;  // of Python ints only
  const auto values = values_printed_as(text, form);
  require(values && values->contains(value), "a value lies in the bounds of its text");
}

void check_integer(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) return;
  std::string_view digits = text;
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  require(std::to_string(*value) == digits, "an integer is what its digits say");
}

void check_lists(std::string_view text) {
  std::vector<int> ranks;
  if (parse_ranks(text, ranks, kFewRanks)) {
    require(ranks.size() <= kFewRanks, "no more ranks than asked for");
    for (const int rank : ranks) require(rank >= 0, "ranks are not negative");
  }
  shard_counts({text, {1, 1}});
  std::vector<std::int64_t> sizes;
  const auto summary = summarize_batch_sizes(text, INT64_MAX);
  if (!parse_batch_sizes(text, sizes, kFewRanks)) return;
  require(summary && summary->count == static_cast<std::int64_t>(sizes.size()), "as many batch sizes as summed up");
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    require(summary->least <= size && size <= summary->most, "a batch size lies in the bounds");
    total += size;
  }
  require(summary->first_total == total, "batch sizes add up");
}

// Most doubles are longer than any number of a log; all but a few get an exponent of those.
double as_printed(double value, bool any) {
  constexpr int kExponents = 80;
  if (any || !std::isfinite(value)) return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(mantissa, exponent % kExponents);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Format form = kFormats[data[0] % kFormats.size()];
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  check_text(text, form);
  check_integer(text);
  check_lists(text);
  double value = 0;
  if (text.size() < sizeof value) return 0;
  std::memcpy(&value, text.data(), sizeof value);
  check_value(as_printed(value, data[0] >= 0xf0), form);
  return 0;
}
