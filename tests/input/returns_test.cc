// Carriage returns that end lines where others end in line feeds: no block is lost.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

TEST(Returns, EndLinesOfWholeLogs) {
  const auto block = [](const char* batch, const std::string& end, const std::string& prefix = {}) {
    return replaced(joined(prefixed(prefix, printed(batch))), "\n", end);
  };
  const auto returns = [&](const char* batch) { return block(batch, "\r"); };
  const auto feeds = [&](const char* batch) { return block(batch, "\n"); };
  struct Case {
    const char* what;
    std::string log;
    std::vector<const char*> batches;
  };
  for (const Case& c :
       {Case{"line feeds between and at the end", returns("1") + "\n" + returns("2") + "\n", {"1", "2"}},
        {"a line of others in front", "loading\n" + returns("1") + "\n", {"1"}},
        {"a line of others behind", returns("1") + "done\n" + feeds("2"), {"1", "2"}},
        {"several without one between", "\n" + returns("1") + returns("2") + returns("3"), {"1", "2", "3"}},
        {"other line ends behind", returns("1") + feeds("2"), {"1", "2"}},
        {"other line ends in front", feeds("1") + returns("2") + "\n", {"1", "2"}},
        {"both behind", returns("1") + block("2", "\r\n"), {"1", "2"}},
        {"two at the end of each line", block("1", "\r\r") + "\n" + feeds("2"), {"1", "2"}},
        {"a prefix", block("1", "\r", "INFO: ") + "\n" + block("2", "\r", "INFO: "), {"1", "2"}}}) {
    const auto blocks = find_blocks(c.log);
    ASSERT_EQ(blocks.size(), c.batches.size()) << c.what;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(texts_of(blocks[i]), printed(c.batches[i])) << c.what;
      EXPECT_TRUE(blocks[i].opened && blocks[i].closed) << c.what;
      for (const BoxLine& line : blocks[i].lines) EXPECT_EQ(byte_at(c.log, line.place_of(0)), '#') << c.what;
    }
    EXPECT_TRUE(was(Mending::glued, blocks.front()) || was(Mending::glued, blocks.back())) << c.what;
  }
}

TEST(Returns, EndTheFirstLines) {
  for (const std::size_t count : {3, 4, 8, 11})
    for (const std::string suffix : {"", ",pod-1"}) {
      std::string log;
      for (std::size_t i = 0; i < printed().size(); ++i)
        log += "x," + printed()[i] + suffix + (i < count ? "\r" : "\n");
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << count << suffix;
      EXPECT_EQ(texts_of(blocks[0]), printed()) << count << suffix;
    }
}

// Also of pieces, of which none is a line of a box.
TEST(Returns, LoseNoPartOfABlock) {
  const std::string first = replaced(joined(wrapped(printed("1"), 45)), "\n", "\r");
  const auto blocks = find_blocks(first + joined(printed("2")));
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_TRUE(texts_of(blocks[0]) == printed("1") || !blocks[0].opened || !blocks[0].closed);
  EXPECT_EQ(texts_of(blocks[1]), printed("2"));
}

// With columns of CSV behind them.
TEST(Returns, EndLinesOfBoxesOfOtherWidths) {
  const Texts lines = printed("1"),
              wide = each(printed("2"), [](std::string line) {
                const bool is_title = line.find("Planner") != std::string::npos;
                if (is_title) line.insert(1, 50, ' ');
                return line.insert(line.size() - 1, is_title ? 50 : 100, line[1] == '#' ? '#' : ' ');
              });
  for (const auto& [first, second] : {std::pair{lines, wide}, {wide, lines}}) {
    const auto blocks = find_blocks(replaced(joined(first) + joined(second), "\n", ",x\r"));
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(texts_of(blocks[0]), first);
    EXPECT_EQ(texts_of(blocks[1]), second);
  }
}

// What is lost of one is missing, whichever line ends it has.
TEST(Returns, EndLinesOfPartsOfLogs) {
  const Texts lines = printed();
  const std::string tail = replaced(joined(Texts(lines.begin() + 7, lines.end())), "\n", "\r");
  const auto blocks = find_blocks(tail + "\n" + joined(printed("2")));
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), Texts(lines.begin() + 7, lines.end()));
  EXPECT_FALSE(blocks[0].opened);
  EXPECT_EQ(texts_of(blocks[1]), printed("2"));
}

// Each of them was looked at once for every one behind it.
TEST(Returns, ManyInARowTakeNoTime) {
  const std::string many(300'000, '\r');
  std::string log = joined(printed("1"));
  log.insert(log.find('\n', log.find("Batch Size")), "\n# a " + many + "x");
  EXPECT_EQ(find_blocks(log).size(), 1u);
  EXPECT_EQ(find_blocks(log + "# b" + many + "# c" + many).size(), 1u);
}

}  // namespace
}  // namespace shardstats
