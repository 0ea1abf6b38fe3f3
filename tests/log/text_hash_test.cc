// Every byte and the length of a text count for its hash.
#include "shardstats/log/text_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shardstats {
namespace {

TEST(TextHash, LooksAtEveryByte) {
  std::set<std::uint64_t> hashes;
  std::size_t texts = 0;
  const auto add = [&](const std::string& text) {
    ++texts;
    hashes.insert(text_hash(text));
  };
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'x');
    add(text);
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      add(other);
    }
    EXPECT_EQ(text_hash(text), text_hash(std::string(text)));
  }
  EXPECT_EQ(hashes.size(), texts);
}

}  // namespace
}  // namespace shardstats
