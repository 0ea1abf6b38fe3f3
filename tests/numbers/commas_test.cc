#include "shardstats/numbers/commas.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

TEST(Commas, StandBetweenThousands) {
  const struct {
    std::string_view number, text;
  } cases[] = {{"", ""},
               {"999", "999"},
               {"-999", "-999"},
               {"1000", "1,000"},
               {"-1234567", "-1,234,567"},
               {"1300.3", "1,300.3"},
               {"0.123456", "0.123456"},
               {"1e+16", "1e+16"},
               {"inf", "inf"}};
  for (const auto& c : cases) EXPECT_EQ(with_commas(c.number), c.text);
}

}  // namespace
}  // namespace shardstats
