// Amounts as users write them in options: sizes, percentages, times. Tested by tests/cli/sizes_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardstats::cli {

// Bytes, cut to whole ones: "72GiB", "1.5 TiB", "80GB" (10^9), "4096B". Units: B, kB, KB, MB, GB, TB, KiB, MiB, GiB,
// TiB; 0 and numbers from 1 MiB on, which no one takes for another unit, need none. std::nullopt: no such size, or more
// than 64 bits hold.
std::optional<std::int64_t> parse_size(std::string_view text);

inline constexpr std::string_view kSizes = "a size such as 72GiB or 80GB";

// What may be meant by a text that is no size: "; did you mean '16GB' or '16GiB'?" of "16G", '16GiB' of "16gib" and of
// "16", "; say MiB or GiB" of "8192", or nothing.
std::string near_size(std::string_view text);

// Bytes a millisecond, above zero, of a size a second: "450GB/s".
std::optional<double> parse_rate(std::string_view text);

// "450GB/s" of "450GB"; empty: the text is another one.
std::string rate_meant(std::string_view text);

// Not negative, with or without the unit behind it: parse_amount("10%", "%"), parse_amount("2.5", "ms").
std::optional<double> parse_amount(std::string_view text, std::string_view unit);

}  // namespace shardstats::cli
