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

// Then its columns are bytes. One line with another character, wherever it stands, has them otherwise.
TEST(Blocks, ArePlainIfAllOfTheirLinesAre) {
  const std::string log = "of others: \xC3\xA9\n" + block("");
  EXPECT_TRUE(find_blocks(log).at(0).is_plain);
  for (const std::string& line : {kTitle, kLine}) {
    std::string other = log;
    other.replace(other.find(line) + line.size() - 4, 2, "\xC3\xA9");
    const auto blocks = find_blocks(other);
    ASSERT_EQ(blocks.size(), 1u) << line;
    EXPECT_FALSE(blocks[0].is_plain) << line;
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

// Texts of another process in front of a line and behind it: the box line is found, and what stands behind it stays
// with it.
TEST(Blocks, ForeignTextOnBothSides) {
  const std::string whole = block("INFO:x:");
  for (const std::string behind : {"[rank1]: step 12", "\x98\x02"}) {
    std::string log = whole;
    log.replace(log.find("INFO:x:# Batch"), 7 + kLine.size(), "\xC3\xBC# " + kLine + behind);
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u);
    ASSERT_EQ(blocks[0].lines.size(), 4u);
    EXPECT_EQ(blocks[0].lines[2].text, kLine + behind);
    EXPECT_EQ(blocks[0].lines[2].place, (Place{3, 5}));
  }
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

// Only a run as wide as the box closes it, and a line of the box does not start with two '#'.
TEST(Blocks, BannersInBetween) {
  for (const std::string& banner :
       {std::string(80, '#'), "#### phase 2 " + std::string(77, '#'), "##" + kLine.substr(2)}) {
    std::string log = block("");
    log.insert(log.find("# Batch"), banner + "\n");
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << banner;
    EXPECT_EQ(blocks[0].lines.size(), 4u) << banner;
    EXPECT_TRUE(blocks[0].closed) << banner;
    EXPECT_EQ(blocks[0].foreign.size(), 1u) << banner;
  }
}

TEST(Blocks, DamagedClosingBorder) {
  const std::string whole = block("");
  const auto blocks = find_blocks(whole.substr(0, whole.size() - 6) + "\nafter\n");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_TRUE(blocks[0].closed);
  EXPECT_TRUE(blocks[0].foreign.empty());
}

// Of a block whose start is lost not even the border may pass for that of the next one.
TEST(Blocks, EndInFrontOfAWholeOne) {
  std::string tail = "# HBM Imbalance Statistics";
  tail += std::string(kBorder.size() - tail.size() - 1, ' ') + "#\n" + kBorder + "\n";
  for (const std::string between : {"", "text\n"}) {
    const auto blocks = find_blocks(tail + between + block(""));
    ASSERT_EQ(blocks.size(), 2u) << between;
    EXPECT_EQ(blocks[0].lines.size(), 2u) << between;
    EXPECT_TRUE(!blocks[0].opened && blocks[0].closed) << between;
    EXPECT_EQ(blocks[1].lines.size(), 4u) << between;
    EXPECT_TRUE(blocks[1].opened && blocks[1].closed) << between;
  }
}

// The prefix may have another length on every line, and a '#' of its own.
TEST(Blocks, ChangingPrefixes) {
  std::string log;
  const std::string lines[] = {kBorder, kTitle, kLine, kBorder};
  const std::string prefixes[] = {"run # 9: ", "run # 10: ", "run # 100: ", "# "};
  for (std::size_t i = 0; i < 4; ++i) log += prefixes[i] + lines[i] + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].lines.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(blocks[0].lines[i].text, lines[i]);
    EXPECT_EQ(blocks[0].lines[i].place.column, prefixes[i].size() + 1);
  }
}

// A line that overflows the box, and one with characters of several bytes, keep their start.
TEST(Blocks, LinesOfAnotherLength) {
  const std::string overflow = "# Mean HBM: 1.0 GB on ranks [" + std::string(100, '1') + "]#";
  std::string wide = kLine;
  wide.replace(2, 2, "\xc3\xb6\xc3\xb6");
  for (const std::string& line : {overflow, wide}) {
    std::string log;
    for (const std::string& text : {"a: " + kBorder, "a: " + kTitle, "bcd: " + line, "a: " + kBorder})
      log += text + "\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << line;
    ASSERT_EQ(blocks[0].lines.size(), 4u) << line;
    EXPECT_EQ(blocks[0].lines[2].text, line);
  }
}

TEST(Blocks, None) {
  for (const std::string log : {"", "\n", "#\n", "no box here\n", "--- Planner Statistics ---\n"})
    EXPECT_TRUE(find_blocks(log).empty()) << log;
  EXPECT_EQ(nearest_line("a\nx Planner Statistics\n").place.line, 2u);
  EXPECT_EQ(nearest_line("a\nINFO planner stats follow\n").place.line, 2u);
  EXPECT_EQ(nearest_line("a\nb\n").place.line, 0u);
}

// As mails break lines: at 76 characters, with a '='.
std::string quoted_printable(const std::string& log) {
  constexpr std::size_t kMost = 75;
  std::string text;
  std::size_t in_line = 0;
  for (const char c : log) {
    if (in_line == kMost && c != '\n') text += "=\n";
    in_line = c == '\n' ? 0 : in_line % kMost + 1;
    text += c;
  }
  return text;
}

TEST(Blocks, InQuotedPrintableTextAreNotRead) {
  for (const std::string prefix : {"", "INFO:x.y.stats:", "INFO:torchrec.distributed.planner.stats:"}) {
    const std::string log = block("") + "x\n" + quoted_printable(block(prefix));
    BlockFinder finder(log);
    EXPECT_TRUE(finder.next()) << prefix;
    EXPECT_FALSE(finder.next()) << prefix;
    ASSERT_TRUE(finder.problem()) << prefix;
    EXPECT_NE(finder.problem()->hint.find("quopri"), std::string::npos);
  }
}

}  // namespace
}  // namespace shardstats
