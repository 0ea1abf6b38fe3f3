// The number of decimals of each format, shared by formatting and its inverse. Private to src/numbers.
#pragma once

#include <optional>

#include "shardstats/numbers/printed.h"

namespace shardstats::numbers_detail {

// r1..r3: rounded, trailing zeros dropped down to one decimal.
constexpr std::optional<int> rounded_decimals(Format format) {
  switch (format) {
    case Format::r1:
      return 1;
    case Format::r2:
      return 2;
    case Format::r3:
      return 3;
    default:
      return std::nullopt;
  }
}

// Formats with a fixed number of decimals, all of them printed.
constexpr std::optional<int> fixed_decimals(Format format) {
  switch (format) {
    case Format::f1:
      return 1;
    case Format::f2:
      return 2;
    case Format::f3:
      return 3;
    case Format::f4:
      return 4;
    case Format::f5:
      return 5;
    case Format::f6:
      return 6;
    case Format::p0:
    case Format::thousands:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace shardstats::numbers_detail
