// Texts are the same if all of their bytes are, however long they are.
#include "shardstats/log/same_text.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats {
namespace {

TEST(SameText, LooksAtEveryByte) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'x');
    EXPECT_TRUE(same_text(text, std::string(text)));
    EXPECT_FALSE(same_text(text, text + 'x'));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      EXPECT_FALSE(same_text(text, other)) << at;
    }
  }
}

}  // namespace
}  // namespace shardstats
