#include "shardstats/report/log_lines.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

constexpr std::string_view kLog = "one\n\nthree\r\nfour\nlast";

TEST(LogLines, ForwardsAndBackwards) {
  const std::string_view expected[] = {"one", "", "three\r", "four", "last"};
  LogLines lines(kLog);
  for (const std::uint32_t number : {1, 3, 5, 4, 2, 1, 5, 2, 3, 3, 1})
    EXPECT_EQ(lines.line(number), expected[number - 1]) << number;
  EXPECT_EQ(lines.line(6), "");
  EXPECT_EQ(lines.line(7), "");
  EXPECT_EQ(lines.line(4), "four");
}

TEST(LogLines, FromTheMiddle) {
  LogLines lines(kLog, 5, 3);
  EXPECT_EQ(lines.line(3), "three\r");
  EXPECT_EQ(lines.line(1), "one");
  EXPECT_EQ(lines.line(5), "last");
}

TEST(LogLines, OfNothing) {
  LogLines lines;
  EXPECT_EQ(lines.line(1), "");
  EXPECT_EQ(lines.line(9), "");
  LogLines blank("\n\nx");
  EXPECT_EQ(blank.line(3), "x");
  EXPECT_EQ(blank.line(2), "");
  EXPECT_EQ(blank.line(1), "");
}

TEST(LogLines, Utf16Units) {
  EXPECT_EQ(utf16_units(""), 0U);
  EXPECT_EQ(utf16_units("abc"), 3U);
  EXPECT_EQ(utf16_units("\u00fc\u20ac"), 2U);
  EXPECT_EQ(utf16_units("\U0001F600!"), 3U);
  EXPECT_EQ(utf16_units("\xff\xc3"), 2U);
}

}  // namespace
}  // namespace shardstats
