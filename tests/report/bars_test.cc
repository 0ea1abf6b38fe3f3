#include "report/bars.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

TextStyle plain(bool ascii) {
  TextStyle style;
  style.ascii = ascii;
  return style;
}

TEST(Bars, Bar) {
  const struct {
    double share;
    int width;
    bool ascii;
    const char* text;
  } cases[] = {{0, 4, false, "    "},    {1, 4, false, "████"},   {0.5, 4, false, "██  "}, {0.53125, 4, false, "██▏ "},
               {0.99, 4, false, "████"}, {1.7, 2, false, "██"},   {-1, 2, false, "  "},    {0.5, 4, true, "##  "},
               {0.4, 4, true, "##  "},   {0.01, 4, true, "    "}, {1, 4, true, "####"}};
  for (const auto& c : cases) EXPECT_EQ(bar(c.share, c.width, plain(c.ascii)), c.text) << c.share;
}

TEST(Bars, HistogramShowsWhateverThereIs) {
  const std::int64_t counts[] = {0, 1, 50, 100};
  EXPECT_EQ(histogram(counts, plain(false)), "·▁▄█");
  EXPECT_EQ(histogram(counts, plain(true)), "_.=#");
  EXPECT_EQ(histogram({}, plain(false)), "");
  const std::int64_t none[] = {0, 0};
  EXPECT_EQ(histogram(none, plain(false)), "··");
}

}  // namespace
}  // namespace shardstats
