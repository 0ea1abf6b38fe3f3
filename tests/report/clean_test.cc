#include "report/clean.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

TEST(Clean, ReplacesWhatIsNoText) {
  const struct {
    std::string_view text, cleaned;
  } cases[] = {
      {"", ""},
      {"table_7", "table_7"},
      {"\u00fc\u20ac\U0001F600", "\u00fc\u20ac\U0001F600"},
      {"a\nb\tc\x7f", "a\uFFFDb\uFFFDc\uFFFD"},
      {std::string_view("a\0b", 3), "a\uFFFDb"},
      {"\xff", "\uFFFD"},
      {"\xc3", "\uFFFD"},                                // cut off
      {"\xc0\xaf", "\uFFFD\uFFFD"},                      // too long a form of '/'
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},            // a surrogate
      {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // beyond U+10FFFF
      {"\u0085", "\uFFFD"},                              // a control of the second set
      {"\uFFFF", "\uFFFD"},                              // forbidden in XML
      {"\uFFFD", "\uFFFD"},
  };
  for (const auto& c : cases) EXPECT_EQ(clean(c.text), c.cleaned) << c.cleaned;
}

TEST(Clean, LeavesATerminalOurColoursOnly) {
  const struct {
    std::string_view text, cleaned;
  } cases[] = {
      {"\033[1;31merror\033[0m: x\n", "\033[1;31merror\033[0m: x\n"},
      {"\033[8mhidden", "\uFFFD[8mhidden"},
      {"\033]2;title\a", "\uFFFD]2;title\uFFFD"},
      {"\033[1", "\uFFFD[1"},
      {"a\rb\t\u009bc\xff", "a\uFFFDb\uFFFD\uFFFDc\uFFFD"},
  };
  for (const auto& c : cases) EXPECT_EQ(clean_for_terminal(c.text), c.cleaned);
}

TEST(Clean, CutsBetweenCharacters) {
  EXPECT_EQ(clean("abcdef", 6), "abcdef");
  EXPECT_EQ(clean("abcdefg", 6), "abc...");
  EXPECT_EQ(clean("ab\u20acdef", 6), "ab...");
  EXPECT_EQ(clean("abc\u20ac", 6), "abc\u20ac");
  EXPECT_EQ(clean("abcde\u20ac", 6), "abc...");
  EXPECT_EQ(clean("\xff\xff\xff", 6), "\uFFFD...");
}

}  // namespace
}  // namespace shardstats
