// A line is plain if each of its bytes is a character of ASCII that is seen, wherever an odd one stands.
#include "input/decode.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats::input_detail {
namespace {

TEST(IsPlain, AsksEachByte) {
  const std::string none;
  EXPECT_TRUE(is_plain(none));
  for (std::size_t size = 1; size < 200; ++size) {
    std::string line(size, '#');
    EXPECT_TRUE(is_plain(line)) << size;
    for (const char odd : {'\t', '\r', '\0', '\x1f', '\x80', '\xc3', '\xff'})
      for (std::size_t at = 0; at < size; ++at) {
        line[at] = odd;
        EXPECT_FALSE(is_plain(line)) << size << " " << at;
        line[at] = '#';
      }
  }
}

TEST(IsPlain, TakesAllThatAreSeen) {
  for (char c = ' '; c < '\x7f'; ++c) EXPECT_TRUE(is_plain(std::string(70, c))) << c;
}

}  // namespace
}  // namespace shardstats::input_detail
