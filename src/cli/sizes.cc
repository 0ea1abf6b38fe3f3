#include "cli/sizes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "shardstats/analysis/nearest.h"
#include "shardstats/ascii.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::cli {
namespace {

struct SizeUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<SizeUnit, 11> kUnits = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1'000},
                                              {"KB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000},
                                              {"TB", 1'000'000'000'000},
                                              {"KiB", 1'024},
                                              {"MiB", kMiB},
                                              {"GiB", kGiB},
                                              {"TiB", kGiB * 1'024}}};

constexpr std::int64_t kLeastWithoutUnit = kMiB;  // bytes; fewer may be meant as GiB or MiB
constexpr std::int64_t kLeastAsMiB = 1'024;       // a number without unit that is too large for GiB

// What is behind the number, without the blank between them.
std::string_view unit_behind(std::string_view text, std::size_t number_end) {
  std::string_view unit = text.substr(number_end);
  if (unit.size() > 1 && unit.front() == ' ') unit.remove_prefix(1);
  return unit;
}

// Whole bytes of "25" in "1.25GiB", however many digits there are.
std::optional<std::int64_t> decimals(std::string_view digits, std::int64_t unit) {
  if (digits.empty()) return std::nullopt;
  std::int64_t bytes = 0;
  // From the last digit on: what is cut off in between never reaches a whole byte.
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit < '0' || *digit > '9') return std::nullopt;
    bytes = ((*digit - '0') * unit + bytes) / 10;
  }
  return bytes;
}

// "16GB" and "16GiB" of "16G", "16GiB" of "16gib".
std::vector<std::string> spelt_right(std::string_view number, std::string_view unit) {
  std::vector<std::string> sizes;
  for (const SizeUnit& known : kUnits) {
    const std::string_view prefix = known.name.substr(0, std::min<std::size_t>(known.name.size(), 1));
    const bool is_meant = equal_without_case(unit, known.name) || equal_without_case(unit, prefix);
    const std::string size = std::string(number) + std::string(known.name);
    if (!number.empty() && known.name != "KB" && is_meant && parse_size(size)) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto* unit = std::ranges::find(kUnits, unit_behind(text, end), &SizeUnit::name);
  if (unit == kUnits.end()) return std::nullopt;
  const std::string_view number = text.substr(0, end);
  const std::size_t point = std::min(number.find('.'), number.size());
  const auto whole = parse_integer(number.substr(0, point), INT64_MAX / unit->bytes);
  const bool is_zero = number.find_first_not_of("0.") == std::string_view::npos;
  if (!whole || (unit->name.empty() && !is_zero && *whole < kLeastWithoutUnit)) return std::nullopt;
  if (point == number.size()) return *whole * unit->bytes;
  const auto part = decimals(number.substr(point + 1), unit->bytes);
  std::int64_t sum = 0;
  if (!part || __builtin_add_overflow(*whole * unit->bytes, *part, &sum)) return std::nullopt;
  return sum;
}

std::string near_size(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = unit_behind(text, end);
  if (!unit.empty()) return did_you_mean(spelt_right(text.substr(0, end), unit));
  const auto number = parse_size(std::string(text) + "B");
  if (!number) return {};
  return *number < kLeastAsMiB ? did_you_mean(std::string(text) + "GiB") : "; say MiB or GiB";
}

std::optional<double> parse_rate(std::string_view text) {
  constexpr std::string_view kPerSecond = "/s";
  constexpr double kMsPerSecond = 1000;
  if (!text.ends_with(kPerSecond)) return std::nullopt;
  const auto bytes = parse_size(text.substr(0, text.size() - kPerSecond.size()));
  if (!bytes || *bytes == 0) return std::nullopt;
  return static_cast<double>(*bytes) / kMsPerSecond;
}

std::string rate_meant(std::string_view text) {
  std::string rate = std::string(text) + "/s";
  const bool has_unit = text.find_first_not_of("0123456789.") != std::string_view::npos;
  return has_unit && parse_rate(rate) ? rate : "";
}

std::optional<double> parse_amount(std::string_view text, std::string_view unit) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (read.ec != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  const std::string_view behind = unit_behind(text, static_cast<std::size_t>(read.ptr - text.data()));
  if (!behind.empty() && behind != unit) return std::nullopt;
  return value;
}

}  // namespace shardstats::cli
