#include "shardstats/report/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "report/words.h"
#include "shardstats/numbers/printed.h"

namespace shardstats {
namespace {

struct Scaled {
  std::string number, unit;
};

Scaled scaled(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0) return {with_commas(capped(std::round(bytes))), kUnits[unit]};
  return {format(bytes, std::abs(bytes) < 10    ? Format::f3
                        : std::abs(bytes) < 100 ? Format::f2
                                                : Format::f1),
          kUnits[unit]};
}

}  // namespace

std::string with_commas(std::int64_t n) { return with_commas(std::string_view(std::to_string(n))); }

std::string shortest(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, std::end(buffer), x).ptr};
}

std::string human_bytes(double bytes) {
  const Scaled s = scaled(bytes);
  return s.number + " " + s.unit;
}

std::string human_bytes(ByteInterval bytes) {
  const Scaled low = scaled(static_cast<double>(bytes.low)), high = scaled(static_cast<double>(bytes.high));
  if (low.unit == high.unit) return from_to(low.number, high.number) + " " + high.unit;
  return low.number + " " + low.unit + ".." + high.number + " " + high.unit;
}

std::string human_bytes(RealInterval bytes) { return human_bytes(ByteInterval{capped(bytes.low), capped(bytes.high)}); }

std::string human_bytes(double nominal, RealInterval bounds) {
  constexpr double kGood = 0.01;
  const double off = std::max(bounds.high - nominal, nominal - bounds.low);
  return off <= kGood * std::abs(nominal) ? human_bytes(nominal) : human_bytes(bounds);
}

std::string human_ms(RealInterval ms) {
  const Format form = ms.high < 10 ? Format::f3 : ms.high < 100 ? Format::f2 : Format::f1;
  return from_to(with_commas(format(ms.low, form)), with_commas(format(ms.high, form))) + " ms";
}

std::string human_bandwidth(RealInterval bytes_per_ms) {
  const auto text = [](double x) {
    constexpr int kDigits = 5;
    char buffer[32];
    const double gigabytes = x * 1000 / static_cast<double>(kGiB);
    const auto end = std::to_chars(buffer, std::end(buffer), gigabytes, std::chars_format::general, kDigits).ptr;
    return std::string(buffer, end);
  };
  constexpr double kNoBound = 1e6 * static_cast<double>(kGiB) / 1000;  // bytes/ms; no memory and no link is as fast
  if (bytes_per_ms.low < kNoBound && bytes_per_ms.high >= kNoBound)
    return "at least " + text(bytes_per_ms.low) + " GiB/s";
  return from_to(text(bytes_per_ms.low), text(bytes_per_ms.high)) + " GiB/s";
}

}  // namespace shardstats
