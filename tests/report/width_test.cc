#include "report/width.h"

#include <gtest/gtest.h>

#include "report/words.h"

namespace shardstats {
namespace {

TEST(Width, Columns) {
  const struct {
    std::string_view text;
    std::size_t columns;
  } cases[] = {{"", 0},
               {"table", 5},
               {"größe", 5},
               {"用户表", 6},
               {"ｗ", 2},
               {"😀x", 3},
               {"e\u0301t", 2},   // e and an acute accent
               {"a\u200Bb", 2},   // a blank of no width
               {"\xFF\x80x", 3},  // no characters: each is shown as a mark
               {"\xE7\x94", 2},   // nor is what is cut off
               {"\u0085x\t", 3},  // controls are shown as marks
               {"\x1b[1m表\x1b[0m", 2}};
  for (const auto& c : cases) EXPECT_EQ(columns_of(c.text), c.columns) << c.text;
}

TEST(Width, FirstCharactersThatFit) {
  EXPECT_EQ(bytes_within("table", 3), 3U);
  EXPECT_EQ(bytes_within("table", 9), 5U);
  EXPECT_EQ(bytes_within("用户表", 3), 3U);    // a half of a character fits nowhere
  EXPECT_EQ(bytes_within("e\u0301t", 1), 3U);  // with what combines with it
}

TEST(Width, LastCharactersThatFit) {
  EXPECT_EQ(end_within("table", 3), "ble");
  EXPECT_EQ(end_within("table", 9), "table");
  EXPECT_EQ(end_within("table", 0), "");
  EXPECT_EQ(end_within("用户表", 3), "表");
  EXPECT_EQ(end_within("e\u0301t", 1), "t");
  EXPECT_EQ(end_within("te\u0301", 1), "e\u0301");
}

TEST(Width, CellsAreFilledUpAndCutByColumns) {
  EXPECT_EQ(padded("表", 4), "表  ");
  EXPECT_EQ(right_aligned("表", 4), "  表");
  EXPECT_EQ(with_its_end("ebc.用户表", 7, "..."), "...户表");
  EXPECT_EQ(with_its_end("ebc.用户表", 8, "..."), "...户表");
  EXPECT_EQ(with_its_end("ebc.用户表", 10, "..."), "ebc.用户表");
}

}  // namespace
}  // namespace shardstats
