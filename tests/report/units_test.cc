#include "shardstats/report/units.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

TEST(Units, Commas) {
  const struct {
    std::int64_t n;
    const char* text;
  } cases[] = {{0, "0"},
               {999, "999"},
               {1000, "1,000"},
               {-1234567, "-1,234,567"},
               {1024000000, "1,024,000,000"},
               {INT64_MIN, "-9,223,372,036,854,775,808"}};
  for (const auto& c : cases) EXPECT_EQ(with_commas(c.n), c.text);
}

TEST(Units, Bytes) {
  const struct {
    double bytes;
    const char* text;
  } cases[] = {{0, "0 B"},
               {1023, "1,023 B"},
               {1024, "1.000 KiB"},
               {1536, "1.500 KiB"},
               {359.26 * 1073741824, "359.3 GiB"},
               {12.5 * 1048576, "12.50 MiB"},
               {-1536, "-1.500 KiB"},
               {-12.5 * 1048576, "-12.50 MiB"}};
  for (const auto& c : cases) EXPECT_EQ(human_bytes(c.bytes), c.text);
}

TEST(Units, Bounds) {
  EXPECT_EQ(human_bytes(ByteInterval{1024, 1024}), "1.000 KiB");
  EXPECT_EQ(human_bytes(ByteInterval{1024, 2048}), "1.000..2.000 KiB");
  EXPECT_EQ(human_bytes(ByteInterval{0, 2048}), "0 B..2.000 KiB");
}

TEST(Units, OneNumberWhereItIsGoodToAPercent) {
  EXPECT_EQ(human_bytes(1536, {1522, 1550}), "1.500 KiB");
  EXPECT_EQ(human_bytes(1536, {1536, 1552}), "1.500..1.516 KiB");
  EXPECT_EQ(human_bytes(1536, {0, 3072}), "0 B..3.000 KiB");
  EXPECT_EQ(human_bytes(0, exactly(0.0)), "0 B");
}

TEST(Units, Milliseconds) {
  EXPECT_EQ(human_ms(exactly(0.96949)), "0.969 ms");
  EXPECT_EQ(human_ms(exactly(12.345)), "12.35 ms");
  EXPECT_EQ(human_ms({1300.3, 1300.31}), "1,300.3 ms");
  EXPECT_EQ(human_ms({2.1, 2.25}), "2.100..2.250 ms");
}

TEST(Units, Bandwidths) {
  const auto gib = [](double per_second) { return per_second * 1073741824 / 1000; };  // bytes/ms
  EXPECT_EQ(human_bandwidth(exactly(gib(897))), "897 GiB/s");
  EXPECT_EQ(human_bandwidth({gib(142.97), gib(626.51)}), "142.97..626.51 GiB/s");
  EXPECT_EQ(human_bandwidth({gib(7.2184), 1e15}), "at least 7.2184 GiB/s");  // no bound from above
}

}  // namespace
}  // namespace shardstats
