// Finding blocks behind prefixes, between foreign lines, cut off, several in one log.
#include "shardstats/input/blocks.h"

#include <gtest/gtest.h>

#include <string>

namespace shardstats {
namespace {

const std::string kBorder(90, '#');
const std::string kTitle = "#" + std::string(31, ' ') + "--- Planner Statistics ---" + std::string(31, ' ') + "#";
const std::string kLine = "# Batch Size: 512" + std::string(72, ' ') + "#";

std::string block(const std::string& prefix) {
  std::string log;
  for (const std::string& line : {kBorder, kTitle, kLine, kBorder}) log += prefix + line + "\n";
  return log;
}

TEST(Blocks, Prefixes) {
  for (const std::string prefix : {"", "INFO:torchrec.distributed.planner.stats:", "I0617 093200.096 stats.py:192] ",
                                   "[default0]:INFO:x:", "2024-05-01 12:00:00,123 INFO ", "    ", "> ", "issue #7: "}) {
    const std::string log = "before\n" + block(prefix) + "after\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << prefix;
    ASSERT_EQ(blocks[0].lines.size(), 4u) << prefix;
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << prefix;
    EXPECT_EQ(blocks[0].lines[2].text, kLine);
    EXPECT_EQ(blocks[0].lines[2].place, (Place{4, static_cast<std::uint32_t>(prefix.size() + 1)}));
    EXPECT_TRUE(blocks[0].foreign.empty());
  }
}

TEST(Blocks, ForeignLinesInBetween) {
  std::string log = block("INFO:x:");
  log.insert(log.find("INFO:x:# Batch"), "another logger speaks\n");
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines.size(), 4u);
  ASSERT_EQ(blocks[0].foreign.size(), 1u);
  EXPECT_EQ(blocks[0].foreign[0].text, "another logger speaks");
  EXPECT_EQ(blocks[0].foreign[0].place.line, 3u);
}

TEST(Blocks, CutOffAndSeveral) {
  const std::string whole = block("");
  const std::string cut = whole.substr(0, whole.size() - kBorder.size() - 1);
  const auto blocks = find_blocks(cut + whole + "text\n" + cut + "tail\n");
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_FALSE(blocks[0].closed);
  EXPECT_TRUE(blocks[1].opened && blocks[1].closed);
  EXPECT_FALSE(blocks[2].closed);
  EXPECT_TRUE(blocks[2].foreign.empty());
  EXPECT_EQ(blocks[1].lines[0].place.line, 4u);
}

TEST(Blocks, WithoutOpeningBorder) {
  const auto blocks = find_blocks(block("").substr(kBorder.size() + 1));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_FALSE(blocks[0].opened);
  EXPECT_TRUE(blocks[0].closed);
}

TEST(Blocks, LineEnds) {
  std::string log = block("");
  for (std::size_t at = 0; (at = log.find('\n', at)) != std::string::npos; at += 2) log.replace(at, 1, "\r\n");
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].lines[2].text, kLine);
}

TEST(Blocks, None) {
  for (const std::string log : {"", "\n", "#\n", "no box here\n", "--- Planner Statistics ---\n"})
    EXPECT_TRUE(find_blocks(log).empty()) << log;
  EXPECT_EQ(nearest_line("a\nx Planner Statistics\n").place.line, 2u);
  EXPECT_EQ(nearest_line("a\nb\n").place.line, 0u);
}

}  // namespace
}  // namespace shardstats
