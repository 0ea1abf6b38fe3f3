#include "cli/sizes.h"

#include <gtest/gtest.h>

namespace shardstats::cli {
namespace {

TEST(Sizes, Read) {
  const struct {
    std::string_view text;
    std::int64_t bytes;
  } cases[] = {{"0", 0},
               {"4096", 4096},
               {"7B", 7},
               {"2GiB", std::int64_t{2} << 30},
               {"1.5 TiB", std::int64_t{3} << 39},
               {"80GB", 80'000'000'000},
               {"1.5kB", 1500},
               {"0.5KiB", 512}};
  for (const auto& c : cases) EXPECT_EQ(parse_size(c.text), c.bytes) << c.text;
}

TEST(Sizes, Refused) {
  for (const std::string_view text : {"", "GiB", "-1GiB", "1 2", "1.2.3GB", "2gib", "3%", "1e3", "9999999TiB", "."})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Sizes, Amounts) {
  EXPECT_EQ(parse_amount("3%", "%"), 3);
  EXPECT_EQ(parse_amount("2.5 %", "%"), 2.5);
  EXPECT_EQ(parse_amount("3", "%"), std::nullopt);
  EXPECT_EQ(parse_amount("-3%", "%"), std::nullopt);
}

}  // namespace
}  // namespace shardstats::cli
