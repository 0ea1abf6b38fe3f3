// Lines of several workers that Ray shows as one: they are no block and no rows of one, and the block above tells it.
#include "input/ray.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "printed_block.h"

namespace shardstats {
namespace {

using namespace test;

const std::string kWorker = "(RayTrainWorker pid=4400, ip=10.0.1.0) ";
const std::string kOther = "(RayTrainWorker pid=4403, ip=10.0.1.3) ";
const std::string kSuffix = " [repeated 3x across cluster]";

// The closing border is counted with the opening one.
std::string merged(const std::string& front, const std::string& behind) {
  Texts lines = printed("64");
  lines.pop_back();
  return joined(each(lines, [&](const std::string& line) { return front + line + behind; }));
}

std::vector<Place> places_of_merged(const std::vector<Block>& blocks) {
  std::vector<Place> places;
  for (const Block& block : blocks)
    for (const Mended& mended : block.mended)
      if (mended.what == Mending::merged) places.push_back(mended.first);
  return places;
}

TEST(Ray, SuffixesOfMergedLines) {
  const std::string hint =
      " (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication, or see "
      "https://docs.ray.io/en/master/configure-logging.html#log-deduplication for more options.)";
  for (const std::string& end : {std::string(), std::string(" "), std::string("\x1b[0m"), hint, hint + "\x1b[0m"})
    EXPECT_TRUE(input_detail::is_merged_by_ray("# a #\x1b[32m" + kSuffix + end)) << end;
  for (const std::string line : {"# a #", "# [repeated 3x across cluster] #", "# a # [repeated 3x]", ""})
    EXPECT_FALSE(input_detail::is_merged_by_ray(line)) << line;
}

TEST(Ray, MergedLinesAreNoBlock) {
  const std::string first = joined(prefixed(kWorker)) + kWorker + "step 0\n";
  const Place behind{static_cast<std::uint32_t>(printed().size() + 2), 1};
  for (const std::string& suffix : {kSuffix, "\x1b[32m" + kSuffix + "\x1b[0m"}) {
    const std::string log = first + merged(kOther, suffix);
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(texts_of(blocks[0]), printed());
    EXPECT_EQ(places_of_merged(blocks), std::vector<Place>{behind});
  }
  EXPECT_TRUE(places_of_merged(find_blocks(first)).empty());
  // A shipper of logs may have put each line into a string.
  const std::string shipped = merged("{\"message\": \"" + kOther, kSuffix + "\"}");
  EXPECT_EQ(places_of_merged(find_blocks(first + shipped)), std::vector<Place>{behind});
  // What is printed later is a block as ever.
  const std::string log = first + merged(kOther, kSuffix) + joined(prefixed(kWorker, printed("256")));
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[1]), printed("256"));
  EXPECT_EQ(places_of_merged(blocks), std::vector<Place>{behind});
}

// Where workers print in turn, lines of the first block are merged, too: it stays without them.
TEST(Ray, MergedLinesAreNotThoseThatWereLost) {
  Texts lines = prefixed(kWorker);
  lines.pop_back();
  const std::string log = joined(lines) + kWorker + "step 0\n" + merged(kWorker, kSuffix);
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_FALSE(blocks[0].closed);
  EXPECT_EQ(texts_of(blocks[0]).size(), lines.size());
  EXPECT_EQ(places_of_merged(blocks).size(), 1u);
}

}  // namespace
}  // namespace shardstats
