#include "shardstats/input/containers.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

using namespace std::string_view_literals;

TEST(Containers, AreToldByTheirFirstBytes) {
  const auto unpack = [](std::string_view bytes) {
    const OtherContainer* other = other_container(bytes);
    return other == nullptr ? "" : other->unpack;
  };
  EXPECT_EQ(unpack("PK\x03\x04\x14\x00"sv), "unzip -p");
  EXPECT_EQ(unpack("\x04\x22\x4d\x18\x64"sv), "lz4 -dc");
  EXPECT_EQ(unpack("PK"), "");
  EXPECT_EQ(unpack("\x1f\x8b\x08\x00"sv), "");  // gzip is read
}

}  // namespace
}  // namespace shardstats
