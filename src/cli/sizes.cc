#include "cli/sizes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "shardstats/numbers/interval.h"

namespace shardstats::cli {
namespace {

struct ByteUnit {
  std::string_view name;
  double bytes;
};
constexpr std::array<ByteUnit, 11> kUnits = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1e3},
                                              {"KB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"KiB", 1024},
                                              {"MiB", 1 << 20},
                                              {"GiB", 1 << 30},
                                              {"TiB", 1024.0 * (1 << 30)}}};

// Digits with at most one point, and what follows them.
struct Amount {
  double number = 0;
  std::string_view unit;
};
std::optional<Amount> split(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  Amount amount;
  const auto read = std::from_chars(text.data(), text.data() + end, amount.number, std::chars_format::fixed);
  if (end == 0 || read.ec != std::errc() || read.ptr != text.data() + end) return std::nullopt;
  amount.unit = text.substr(end);
  if (amount.unit.starts_with(' ')) amount.unit.remove_prefix(1);
  return amount;
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto amount = split(text);
  if (!amount) return std::nullopt;
  const auto unit = std::ranges::find(kUnits, amount->unit, &ByteUnit::name);
  if (unit == kUnits.end()) return std::nullopt;
  const std::int64_t bytes = capped(amount->number * unit->bytes);
  if (bytes == INT64_MAX) return std::nullopt;
  return bytes;
}

std::optional<double> parse_amount(std::string_view text, std::string_view unit) {
  const auto amount = split(text);
  if (!amount || amount->unit != unit) return std::nullopt;
  return amount->number;
}

}  // namespace shardstats::cli
