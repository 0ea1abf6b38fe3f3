// Text in quotes in which a quote is written twice, as fields of CSV and scalars of YAML in 'single' quotes are.
// Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "input/box.h"
#include "input/rewrite.h"

namespace shardstats::input_detail {

// Where the quote stands that ends the text, or kNowhere. `from`: behind the one that opens it.
inline std::size_t closing_quote(std::string_view line, std::size_t from, char quote) {
  std::size_t at = line.find(quote, from);
  while (at != kNowhere && line.substr(at + 1).starts_with(quote)) at = line.find(quote, at + 2);
  return at;
}

inline Transcript without_doubled_quotes(const Transcript& line, char quote) {
  return rewrite(line, [pair = std::string(2, quote)](std::string_view text, std::size_t at) {
    return text.substr(at).starts_with(pair) ? Change{2, pair.substr(1)} : Change{};
  });
}

}  // namespace shardstats::input_detail
