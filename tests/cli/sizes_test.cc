#include "cli/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardstats::cli {
namespace {

TEST(Sizes, Bytes) {
  const struct {
    const char* text;
    std::int64_t bytes;
  } cases[] = {{"0", 0},
               {"0.0", 0},
               {"0GiB", 0},
               {"17B", 17},
               {"1kB", 1000},
               {"1KB", 1000},
               {"1KiB", 1024},
               {"3MB", 3'000'000},
               {"3MiB", 3'145'728},
               {"72GB", 72'000'000'000},
               {"72GiB", 77'309'411'328},
               {"1.5GiB", 1'610'612'736},
               {"1.5 GiB", 1'610'612'736},
               {"0.1GiB", 107'374'182},
               {"0.000001GB", 1'000},
               {"0.999999TiB", 1'099'510'528'264},
               {"1.0000001GiB", 1'073'741'931},
               {"2.1234567890123456789GB", 2'123'456'789},
               {"0.00000000000000000000000001TiB", 0},
               {"0.99999999999999999999999999GiB", 1'073'741'823},
               {"8388607.9999999TiB", 9'223'372'036'854'665'856},
               {"2TB", 2'000'000'000'000},
               {"1TiB", 1'099'511'627'776},
               {"1048576", 1'048'576},
               {"85899345920", 85'899'345'920},
               {"85899345920.0", 85'899'345'920},
               {"9223372036854775807", INT64_MAX},
               {"9223372036854775807B", INT64_MAX},
               {"8388607TiB", 9'223'370'937'343'148'032}};
  for (const auto& c : cases) EXPECT_EQ(parse_size(c.text), c.bytes) << c.text;
}

TEST(Sizes, Near) {
  const struct {
    const char *text, *hint;
  } cases[] = {{"16G", "; did you mean '16GB' or '16GiB'?"},
               {"1.5 g", "; did you mean '1.5GB' or '1.5GiB'?"},
               {"16gib", "; did you mean '16GiB'?"},
               {"16Mb", "; did you mean '16MB'?"},
               {"72", "; did you mean '72GiB'?"},
               {"0.5", "; did you mean '0.5GiB'?"},
               {"1023", "; did you mean '1023GiB'?"},
               {"1024", "; say MiB or GiB"},
               {"8192", "; say MiB or GiB"},
               {"1048575", "; say MiB or GiB"}};
  for (const auto& c : cases) EXPECT_EQ(near_size(c.text), c.hint) << c.text;
  for (const char* text : {"", "G", "16 ", "16X", "-16GB", "1.2.3G"}) EXPECT_EQ(near_size(text), "") << text;
}

TEST(Sizes, RateMeant) {
  EXPECT_EQ(rate_meant("450GB"), "450GB/s");
  for (const char* text : {"", "450", "450GB/s", "fast"}) EXPECT_EQ(rate_meant(text), "") << text;
}

TEST(Sizes, NoBytes) {
  for (const char* text : {"",
                           " ",
                           "GiB",
                           "-1GiB",
                           "+1GiB",
                           "1GIB",
                           "1gb",
                           "1G",
                           "1Gi",
                           "1  GiB",
                           "1GiB ",
                           " 1GiB",
                           "1.GiB",
                           ".5GiB",
                           "1.2.3GiB",
                           "1,5GiB",
                           "1e3",
                           "0x10",
                           "inf",
                           "nan",
                           "1.5.GiB",
                           "1 ",
                           "9223372036854775808B",
                           "72",
                           "0.5",
                           "4096",
                           "1048575",
                           "1048575.9",
                           "1.048.576",
                           "1,048,576",
                           "9223372036854775808",
                           "8388608TiB",
                           "8388608.0000001TiB",
                           "1.0000000xGiB",
                           "99999999999999999999GiB"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Sizes, Amounts) {
  const struct {
    const char *text, *unit;
    double value;
  } cases[] = {{"10", "%", 10},        {"10%", "%", 10},        {"2.5 %", "%", 2.5}, {"0", "%", 0},
               {"12.5ms", "ms", 12.5}, {"12.5 ms", "ms", 12.5}, {"0.25", "ms", 0.25}};
  for (const auto& c : cases) EXPECT_EQ(parse_amount(c.text, c.unit), c.value) << c.text;
  for (const char* text : {"", "%", "-1", "-0", "ten", "10%%", "10ms", "10 ", "nan", "inf", "1e2", "1e999"})
    EXPECT_EQ(parse_amount(text, "%"), std::nullopt) << text;
}

TEST(Sizes, Rates) {
  EXPECT_EQ(parse_rate("450GB/s"), 450e6);  // bytes/ms
  EXPECT_EQ(parse_rate("1KiB/s"), 1.024);
  EXPECT_EQ(parse_rate("450000000000/s"), 450e6);
  for (const std::string_view wrong : {"", "450GB", "/s", "450/s", "0GB/s", "450GB/ms", "-1GB/s", "450 /s/s"})
    EXPECT_EQ(parse_rate(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace shardstats::cli
