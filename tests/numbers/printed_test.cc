#include "shardstats/numbers/printed.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace shardstats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kFormats = {Format::integer, Format::thousands, Format::r1, Format::r2,
                                 Format::r3,      Format::f1,        Format::f2, Format::f3,
                                 Format::p0,      Format::g3,        Format::c1, Format::python_float};
constexpr std::array<std::string_view, kFormats.size()> kFormatNames = {
    "integer", "thousands", "r1", "r2", "r3", "f1", "f2", "f3", "p0", "g3", "c1", "python_float"};

std::string_view name(Format format) { return kFormatNames[static_cast<std::size_t>(format)]; }

double up(double value) { return std::nextafter(value, kInfinity); }
double down(double value) { return std::nextafter(value, -kInfinity); }

// float.hex() of Python: [-]0x1.8p+0, or nan.
double from_python_hex(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.starts_with("0x")) text.remove_prefix(2);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << text;
  return negative ? -value : value;
}

// The interval of `text` holds doubles that print so, and its outer neighbours print otherwise.
void expect_tight(const RealInterval& interval, std::string_view text, Format f) {
  ASSERT_LE(interval.low, interval.high) << text << ' ' << name(f);
  EXPECT_EQ(format(interval.low, f), text) << name(f) << " low " << interval.low;
  EXPECT_EQ(format(interval.high, f), text) << name(f) << " high " << interval.high;
  EXPECT_NE(format(down(interval.low), f), text) << name(f) << " below " << interval.low;
  EXPECT_NE(format(up(interval.high), f), text) << name(f) << " above " << interval.high;
}

void expect_round_trip(double value, Format f) {
  const std::string text = format(value, f);
  const auto interval = values_printed_as(text, f);
  ASSERT_TRUE(interval.has_value()) << text << ' ' << name(f);
  EXPECT_TRUE(interval->contains(value)) << text << ' ' << name(f) << ' ' << value;
  expect_tight(*interval, text, f);
}

// --- against Python itself ---

struct PythonCase {
  std::string_view value;
  Format format;
  std::string_view text;
};
constexpr PythonCase kPythonCases[] = {
#define X(value, format, text) {value, Format::format, text},
#include "python_formats.inc"
#undef X
};

TEST(Format, PrintsWhatPythonPrints) {
  static_assert(std::size(kPythonCases) > 300);
  for (const auto& [value, f, text] : kPythonCases)
    EXPECT_EQ(format(from_python_hex(value), f), text) << value << ' ' << name(f);
}

TEST(ValuesPrintedAs, HoldTheValueThatPythonPrinted) {
  for (const auto& [hex, f, text] : kPythonCases) {
    const double value = from_python_hex(hex);
    if (std::isnan(value)) {
      EXPECT_EQ(values_printed_as(text, f), std::nullopt) << name(f);
      continue;
    }
    const auto interval = values_printed_as(text, f);
    ASSERT_TRUE(interval.has_value()) << text << ' ' << name(f);
    EXPECT_TRUE(interval->contains(value)) << text << ' ' << name(f);
    expect_tight(*interval, text, f);
  }
}

// --- format ---

struct FormatCase {
  double value;
  Format format;
  std::string_view text;
};

TEST(Format, Cases) {
  const FormatCase cases[] = {
      {2560, Format::integer, "2560"},
      {-0.0, Format::integer, "0"},
      {1709, Format::thousands, "1,709"},
      {12, Format::r3, "12.0"},
      {12.345, Format::r3, "12.345"},
      {0.0625, Format::r3, "0.062"},
      {-0.0001, Format::r3, "-0.0"},
      {1e16, Format::r3, "1e+16"},
      {0.0004, Format::r3, "0.0"},
      {48.19, Format::f2, "48.19"},
      {0, Format::f3, "0.000"},
      {0.85, Format::p0, "85"},
      {1.04, Format::p0, "104"},
      {-0.001, Format::p0, "-0"},
      {1e308, Format::p0, "inf"},
      {1000, Format::g3, "1e+03"},
      {0.9741, Format::g3, "0.974"},
      {0, Format::c1, "0"},
      {0.95, Format::c1, "0.9"},
      {0.951, Format::c1, "1"},
      {1.5, Format::c1, "2"},
      {2.5, Format::c1, "2"},
      {2e-5, Format::c1, "2e-05"},
      {1e-5, Format::python_float, "1e-05"},
      {0.0001, Format::python_float, "0.0001"},
      {1234567, Format::python_float, "1234567.0"},
      {kInfinity, Format::r3, "inf"},
      {-kInfinity, Format::g3, "-inf"},
  };
  for (const auto& [value, f, text] : cases) EXPECT_EQ(format(value, f), text) << name(f);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Format f : kFormats) {
    EXPECT_EQ(format(nan, f), "nan") << name(f);
    EXPECT_EQ(format(std::copysign(nan, -1.0), f), "nan") << name(f);
  }
}

// --- values_printed_as ---

struct ValuesCase {
  std::string_view text;
  Format format;
  RealInterval interval;
};

// Ends written as a plain decimal are the double nearest to it; up() and down() step over a tie that goes to the even
// neighbour, or to the double that lies inside.
TEST(ValuesPrintedAs, Cases) {
  const ValuesCase cases[] = {
      {"7", Format::r3, {7, 7}},
      {"-7", Format::r1, {-7, -7}},
      {"0", Format::r2, {0, 0}},
      {"2560", Format::integer, {2560, 2560}},
      {"0", Format::c1, {0, 0}},
      {"0", Format::g3, {0, 0}},
      {"0.2", Format::python_float, {0.2, 0.2}},
      {"0.062", Format::r3, {up(0.0615), 0.0625}},
      {"0.063", Format::r3, {up(0.0625), down(0.0635)}},
      {"0.0", Format::r3, {0.0, down(0.0005)}},
      {"-0.0", Format::r3, {up(-0.0005), -0.0}},
      {"3.858", Format::r3, {up(3.8575), 3.8585}},
      {"2.5", Format::r1, {2.45, 2.55}},
      {"-2.5", Format::r1, {-2.55, -2.45}},
      {"1.2", Format::f1, {up(1.15), 1.25}},
      {"1.3", Format::f1, {up(1.25), down(1.35)}},
      {"1,709", Format::thousands, {up(1708.5), down(1709.5)}},
      {"1,710", Format::thousands, {1709.5, 1710.5}},
      {"-1", Format::thousands, {up(-1.5), down(-0.5)}},
      {"1", Format::c1, {up(0.95), down(1.5)}},
      {"2", Format::c1, {1.5, 2.5}},
      {"3", Format::c1, {up(2.5), down(3.5)}},
      {"0.2", Format::c1, {up(0.15), 0.25}},
      {"0.3", Format::c1, {up(0.25), 0.35}},
      {"0.1", Format::c1, {0.095, 0.15}},
      {"3e-05", Format::c1, {2.5e-05, 3.5e-05}},
      {"-0.3", Format::c1, {-0.35, down(-0.25)}},
      {"100", Format::g3, {99.95, 100.5}},
      {"1e+03", Format::g3, {999.5, 1005.0}},
      {"0.974", Format::g3, {0.9735, down(0.9745)}},
      {"85", Format::p0, {up(0.845), down(0.855)}},
      {"0", Format::p0, {0.0, 0.005}},
      {"12", Format::p0, {down(0.115), 0.125}},
      {"13", Format::p0, {up(0.125), down(0.135)}},
  };
  for (const auto& [text, f, expected] : cases)
    EXPECT_EQ(values_printed_as(text, f), expected) << text << ' ' << name(f);
}

struct TextCase {
  Format format;
  std::string_view text;
};

TEST(ValuesPrintedAs, RefusesWhatTheFormatNeverPrints) {
  const TextCase cases[] = {
      {Format::r3, ""},
      {Format::r3, "-"},
      {Format::r3, "3.8580"},
      {Format::r3, "3.85841"},
      {Format::r3, "3."},
      {Format::r3, ".5"},
      {Format::r3, "01.5"},
      {Format::r3, "1.5 "},
      {Format::r3, " 1.5"},
      {Format::r3, "+1.5"},
      {Format::r3, "--1.5"},
      {Format::r3, "1.2.3"},
      {Format::r3, "1,5"},
      {Format::r3, "nan"},
      {Format::r3, "inf"},
      {Format::r3, "-inf"},
      {Format::r3, "1e+15"},
      {Format::r3, "1e16"},
      {Format::r3, "5e-05"},
      {Format::r3, "007"},
      {Format::r3, "-0"},
      {Format::r3, "0x1"},
      {Format::r3, "1e+999"},
      {Format::r3, "1234567890123456.789"},
      {Format::r2, "1.234"},
      {Format::r2, "1.20"},
      {Format::r1, "1.25"},
      {Format::r1, "10000000000000000.0"},
      {Format::f1, "7"},
      {Format::f1, "7.00"},
      {Format::f2, "7.0"},
      {Format::f2, "1e+20"},
      {Format::f3, "1.38"},
      {Format::f3, "01.380"},
      {Format::f3, "nan"},
      {Format::p0, "85.0"},
      {Format::p0, "85%"},
      {Format::p0, "085"},
      {Format::p0, "1e+02"},
      {Format::g3, "12.34"},
      {Format::g3, "11.0"},
      {Format::g3, "1000"},
      {Format::g3, "0.0"},
      {Format::g3, "0.00001"},
      {Format::g3, "1e+3"},
      {Format::g3, "1e+02"},
      {Format::g3, "1.230e+03"},
      {Format::g3, "1.20e+03"},
      {Format::g3, "12e+03"},
      {Format::g3, "0e+03"},
      {Format::g3, "0.5e+03"},
      {Format::g3, "0.12e+05"},
      {Format::g3, "1.e+03"},
      {Format::g3, "e+03"},
      {Format::c1, "0.0"},
      {Format::c1, "0.35"},
      {Format::c1, "0.30"},
      {Format::c1, "1.0"},
      {Format::c1, "2.5"},
      {Format::c1, "0.00003"},
      {Format::c1, "3e-5"},
      {Format::c1, "3e-04"},
      {Format::c1, "30e-06"},
      {Format::c1, "0e-05"},
      {Format::c1, "1e+03"},
      {Format::c1, "02"},
      {Format::c1, "inf"},
      {Format::integer, ""},
      {Format::integer, "1.0"},
      {Format::integer, "1,000"},
      {Format::integer, "012"},
      {Format::integer, "-0"},
      {Format::integer, "1e+16"},
      {Format::integer, "nan"},
      {Format::thousands, "1709"},
      {Format::thousands, ","},
      {Format::thousands, "1,70"},
      {Format::thousands, ",709"},
      {Format::thousands, "0,709"},
      {Format::thousands, "17,09"},
      {Format::thousands, "1,,09"},
      {Format::thousands, "1709,"},
      {Format::thousands, "1.5"},
      {Format::python_float, "7"},
      {Format::python_float, "0.20"},
      {Format::python_float, "0.00001"},
      {Format::python_float, "None"},
      {Format::python_float, "1e5"},
      {Format::python_float, "0.1000000000000000055"},
  };
  for (const auto& [f, text] : cases)
    EXPECT_EQ(values_printed_as(text, f), std::nullopt) << '"' << text << "\" " << name(f);
}

TEST(ValuesPrintedAs, ExactIntegersOfAnyLength) {
  EXPECT_EQ(values_printed_as("9007199254740992", Format::r3), exactly(9007199254740992.0));
  EXPECT_EQ(values_printed_as("100000000000000000000", Format::integer), exactly(1e20));
  EXPECT_EQ(values_printed_as(std::string(400, '9'), Format::integer), std::nullopt);
}

// A double near which something may go wrong: a border, a power of two, a plain number, or any bits at all.
double awkward_value(std::mt19937_64& random) {
  const auto pick = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); };
  double value = 0;
  switch (pick(0, 4)) {
    case 0:
      value = std::uniform_real_distribution<double>(0, std::pow(10.0, pick(-6, 18)))(random);
      break;
    case 1: {  // a border of up to four decimals
      const double odd = 2.0 * std::floor(std::pow(10.0, std::uniform_real_distribution<double>(0, 12)(random))) + 1;
      value = odd / (2 * std::pow(10.0, pick(0, 4)));
      break;
    }
    case 2:  // a border of significant digits
      value = (2.0 * pick(0, 1100) + 1) * std::pow(10.0, pick(-24, 6)) / 2;
      break;
    case 3:
      value = std::pow(2.0, pick(-60, 80)) * pick(1, 99);
      break;
    default:
      value = std::bit_cast<double>(random() & ~(std::uint64_t{1} << 63));
  }
  if (!std::isfinite(value)) value = std::numeric_limits<double>::max();
  for (int steps = pick(-2, 2); steps != 0; steps += steps < 0 ? 1 : -1) value = steps < 0 ? down(value) : up(value);
  return pick(0, 9) == 0 ? -value : value;
}

TEST(ValuesPrintedAs, HoldsEveryValueAndIsTight) {
  for (const Format f : kFormats) {
    if (f == Format::integer) continue;  // its values are whole: next test
    std::mt19937_64 random(20260821);
    for (int i = 0; i < 4000; ++i) {
      const double value = awkward_value(random);
      if (format(value, f).ends_with("inf")) continue;
      expect_round_trip(value, f);
      if (HasFailure()) return;
    }
  }
}

TEST(ValuesPrintedAs, IsTightForNumbersWithAnExponent) {
  for (double power = 10; power < 1e13; power *= 10)
    for (int digits = 100; digits < 1000; ++digits) expect_round_trip(digits * power, Format::g3);
}

TEST(ValuesPrintedAs, HoldsEveryWholeNumber) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<double>(static_cast<std::int64_t>(random()) >> (11 + i % 40));
    EXPECT_EQ(values_printed_as(format(value, Format::integer), Format::integer), exactly(value));
  }
}

// Neighbouring texts leave no double between them.
TEST(ValuesPrintedAs, NeighboursTileTheLine) {
  const TextCase firsts[] = {{Format::r3, "0.0"},      {Format::r2, "0.0"},   {Format::r1, "0.0"},
                             {Format::f1, "0.0"},      {Format::f3, "0.000"}, {Format::p0, "0"},
                             {Format::g3, "0.97"},     {Format::c1, "3e-06"}, {Format::c1, "0.5"},
                             {Format::thousands, "0"}, {Format::g3, "99"}};
  for (const auto& [f, first] : firsts) {
    auto interval = values_printed_as(first, f);
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(interval.has_value());
      const double next = up(interval->high);
      interval = values_printed_as(format(next, f), f);
      ASSERT_TRUE(interval.has_value()) << format(next, f) << ' ' << name(f);
      ASSERT_EQ(interval->low, next) << format(next, f) << ' ' << name(f);
    }
  }
}

// --- bytes_printed_as ---

struct BytesCase {
  std::string_view text;
  Format format;
  std::int64_t unit;
  std::optional<ByteInterval> interval;
};

TEST(BytesPrintedAs, Cases) {
  constexpr std::int64_t kTop = std::int64_t{1} << 62;
  const BytesCase cases[] = {
      {"0.0", Format::r3, kGiB, ByteInterval{0, 536870}},             // 2^30 / 2000 = 536870.912
      {"0.001", Format::r3, kGiB, ByteInterval{536871, 1610612}},     // 3 * 2^30 / 2000 = 1610612.736
      {"0.062", Format::r3, kGiB, ByteInterval{66035123, 67108864}},  // ends at 2^26, the tie 0.0625
      {"0.063", Format::r3, kGiB, ByteInterval{67108865, 68182605}},  // begins after it
      {"0.2", Format::r1, kMiB, ByteInterval{157287, 262144}},        // ends at the tie 0.25
      {"0.3", Format::f1, kMiB, ByteInterval{262145, 367001}},
      {"0.8", Format::f1, kMiB, ByteInterval{786432, 891289}},  // begins at the tie 0.75
      {"7", Format::r3, kGiB, exactly(7 * kGiB)},
      {"0", Format::r1, kMiB, ByteInterval{0, 0}},
      {"4294967295", Format::r3, kGiB, exactly(4294967295 * kGiB)},
      {"4294967296", Format::r3, kGiB, std::nullopt},  // 2^62
      {"4294967296.0", Format::r3, kGiB, std::nullopt},
      {"1e+16", Format::r3, 1,
       ByteInterval{9999999999999999, 10000000000000001}},  // counts that become 1e16 as doubles
      {"1e+16", Format::r3, kMiB, std::nullopt},
      {"0.5", Format::r1, 1, std::nullopt},  // no whole byte
      {"5.0", Format::r3, 1, ByteInterval{5, 5}},
      {"3.850", Format::r3, kGiB, std::nullopt},
      {"3.8584", Format::r3, kGiB, std::nullopt},
      {"3.85", Format::r1, kGiB, std::nullopt},
      {"7", Format::f1, kGiB, std::nullopt},
      {"7.00", Format::f1, kGiB, std::nullopt},
      {"07", Format::r3, kGiB, std::nullopt},
      {"-1.0", Format::r3, kGiB, std::nullopt},
      {"-0.0", Format::r3, kGiB, std::nullopt},
      {"-7", Format::r3, kGiB, std::nullopt},
      {"", Format::r3, kGiB, std::nullopt},
      {"nan", Format::r3, kGiB, std::nullopt},
      {"1.00", Format::f2, kGiB, ByteInterval{1'068'373'115, 1'079'110'533}},
      {"1", Format::p0, kGiB, std::nullopt},  // no format of byte counts
      {"1.0", Format::r3, 0, std::nullopt},
      {"1.0", Format::r3, 1000, std::nullopt},  // no power of two
      {"1.0", Format::r3, kTop, std::nullopt},
  };
  for (const auto& [text, f, unit, expected] : cases)
    EXPECT_EQ(bytes_printed_as(text, f, unit), expected) << text << ' ' << name(f) << ' ' << unit;
}

std::string printed_bytes(std::int64_t count, Format f, std::int64_t unit) {
  return format(static_cast<double>(count) / static_cast<double>(unit), f);
}

// A count below 2^bits, every other time at or next to a border of the third decimal.
std::int64_t awkward_count(std::mt19937_64& random, int bits, std::int64_t unit) {
  const auto count = static_cast<std::int64_t>(random() >> (64 - bits));
  if (random() % 2 == 0) return count;
  const double borders = std::floor(static_cast<double>(count) / static_cast<double>(unit) * 2000);
  return static_cast<std::int64_t>(borders / 2000 * static_cast<double>(unit)) +
         static_cast<std::int64_t>(random() % 3);
}

void expect_bytes_round_trip(std::int64_t count, Format f, std::int64_t unit) {
  const std::string text = printed_bytes(count, f, unit);
  const auto interval = bytes_printed_as(text, f, unit);
  ASSERT_TRUE(interval.has_value()) << text << ' ' << name(f) << ' ' << unit;
  EXPECT_TRUE(interval->contains(count)) << count << ' ' << text << ' ' << name(f) << ' ' << unit;
  EXPECT_EQ(printed_bytes(interval->low, f, unit), text) << name(f) << ' ' << unit;
  EXPECT_EQ(printed_bytes(interval->high, f, unit), text) << name(f) << ' ' << unit;
  EXPECT_NE(printed_bytes(interval->high + 1, f, unit), text) << name(f) << ' ' << unit;
  if (interval->low == 0) return;
  EXPECT_NE(printed_bytes(interval->low - 1, f, unit), text) << name(f) << ' ' << unit;
}

TEST(BytesPrintedAs, HoldsEveryCountAndIsTight) {
  std::mt19937_64 random(20260821);
  for (const std::int64_t unit : {kGiB, kMiB, std::int64_t{1024}}) {
    for (const Format f : {Format::r1, Format::r2, Format::r3, Format::f1}) {
      for (int i = 0; i < 20000; ++i) {
        expect_bytes_round_trip(awkward_count(random, 1 + i % 61, unit), f, unit);
        if (HasFailure()) return;
      }
    }
  }
}

// Every count that is a tie of the third decimal up to 64 GiB: odd multiples of 2^30 / 16.
TEST(BytesPrintedAs, TiesGoToTheEvenText) {
  for (std::int64_t sixteenths = 1; sixteenths < 16 * 64; sixteenths += 2) {
    const std::int64_t tie = sixteenths * (kGiB / 16);
    for (const std::int64_t count : {tie - 1, tie, tie + 1}) expect_bytes_round_trip(count, Format::r3, kGiB);
  }
}

// --- parse_integer, parse_real, is_number ---

TEST(ParseInteger, Cases) {
  struct Case {
    std::string_view text;
    std::int64_t limit;
    std::optional<std::int64_t> value;
  };
  const Case cases[] = {
      {"0", INT64_MAX, 0},     {"2560", INT64_MAX, 2560},
      {"2560", 2560, 2560},    {"2561", 2560, std::nullopt},
      {"007", INT64_MAX, 7},   {"9223372036854775807", INT64_MAX, INT64_MAX},
      {"", INT64_MAX, {}},     {"9223372036854775808", INT64_MAX, std::nullopt},
      {"-1", INT64_MAX, {}},   {"99999999999999999999999", INT64_MAX, std::nullopt},
      {"+1", INT64_MAX, {}},   {"1 ", INT64_MAX, std::nullopt},
      {" 1", INT64_MAX, {}},   {"1.0", INT64_MAX, std::nullopt},
      {"0x10", INT64_MAX, {}}, {"1,709", INT64_MAX, std::nullopt},
  };
  for (const auto& [text, limit, value] : cases) EXPECT_EQ(parse_integer(text, limit), value) << '"' << text << '"';
}

TEST(ParseReal, Cases) {
  struct Case {
    std::string_view text;
    std::optional<double> value;
  };
  const Case cases[] = {{"0", 0},      {"7", 7},   {"7.0", 7},   {"-0.25", -0.25}, {"3e-05", 3e-05}, {"1e400", {}},
                        {"", {}},      {"-", {}},  {"nan", {}},  {"inf", {}},      {"1 ", {}},       {" 1", {}},
                        {"1,709", {}}, {"5%", {}}, {"0x10", {}}, {"+1", {}}};
  for (const auto& [text, value] : cases) EXPECT_EQ(parse_real(text), value) << '"' << text << '"';
}

TEST(IsNumber, Cases) {
  for (const std::string_view text :
       {"0", "7", "-7", "0.5", "-0.0", "12.345", "1e+16", "1.5e+17", "3e-05", "nan", "inf", "007"})
    EXPECT_TRUE(is_number(text)) << text;
  for (const std::string_view text : {"",      "-",   ".5", "5.", "+5",  "1e5",  "1e+", "1e",    "1.e+5",    "--1",
                                      "1,709", "85%", " 1", "1 ", "NaN", "None", "0x1", "1.2.3", "infinity", "-nan"})
    EXPECT_FALSE(is_number(text)) << text;
}

}  // namespace
}  // namespace shardstats
