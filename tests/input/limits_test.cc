#include "shardstats/limits.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>

#include "shardstats/input/blocks.h"
#include "shardstats/input/source.h"

namespace shardstats {
namespace {

using ::testing::HasSubstr;

std::string title_line() {
  return "#" + std::string(32, ' ') + "--- Planner Statistics ---" + std::string(31, ' ') + "#\n";
}
std::string border() { return std::string(91, '#') + "\n"; }
std::string small_block() { return border() + title_line() + "# Parameter Info:\n# HBM (GB)\n" + border(); }

// The blocks that are read, and why no more are.
struct Read {
  std::size_t blocks = 0;
  std::optional<Error> problem;
};
Read read(std::string_view log) {
  BlockFinder finder(log);
  Read read;
  while (finder.next()) ++read.blocks;
  read.problem = finder.problem();
  return read;
}

TEST(Limits, TheDocumentHasEachWithItsReason) {
  std::ifstream file(SHARDSTATS_SOURCE_DIR "/docs/damage.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const Limit& limit : kLimits)
    EXPECT_THAT(text, HasSubstr("| " + std::string(limit.what) + " | " + std::to_string(limit.most) + " | " +
                                std::string(limit.reason) + " |"));
}

TEST(Limits, LogsWithinThemHaveNoProblem) {
  const Read found = read("x\n" + small_block() + small_block());
  EXPECT_EQ(found.blocks, 2U);
  EXPECT_FALSE(found.problem);
}

TEST(Limits, LongLineOfABlock) {
  const std::string log =
      small_block() + "{\"m\": \"" + std::string(kLongestLine, ' ') + "# --- Planner Statistics ---\"}\n";
  const Read found = read(log);
  EXPECT_EQ(found.blocks, 1U);
  ASSERT_TRUE(found.problem);
  EXPECT_EQ(found.problem->place.line, 6U);
  EXPECT_THAT(found.problem->message, HasSubstr("this line has more than 67108864 bytes"));
  EXPECT_FALSE(found.problem->hint.empty());
}

TEST(Limits, LongLineOfNoBlockIsSkipped) {
  const Read found = read(std::string(kLongestLine + 1, 'x') + "\n" + small_block());
  EXPECT_EQ(found.blocks, 1U);
  EXPECT_FALSE(found.problem);
}

TEST(Limits, WideBox) {
  const std::string wide(kWidestBox + 1, '#');
  const Read found = read(wide + "\n" + title_line() + "# Parameter Info:\n# HBM (GB)\n" + wide + "\n");
  EXPECT_EQ(found.blocks, 0U);
  ASSERT_TRUE(found.problem);
  EXPECT_THAT(found.problem->message, HasSubstr("this planner block is too large"));
}

TEST(Limits, LinesWithoutABlockAreWalkedThroughOnce) {
  std::string log;
  for (int i = 0; i < 200'000; ++i) log += "# comment\n";
  EXPECT_EQ(read(log + border() + "# more\n").blocks, 0U);
}

TEST(Limits, UnclosedTagsAreLookedAtOnce) {
  std::string tags;
  for (int i = 0; i < 300'000; ++i) tags += "<b ";
  EXPECT_EQ(read(border() + title_line() + "# " + tags + "\n# HBM (GB)\n" + border()).blocks, 1U);
}

TEST(Limits, ManyLinesGluedToOne) {
  std::string glued;
  for (int i = 0; i < 50'000; ++i) glued += std::string(60, '#') + " ";
  EXPECT_EQ(read(glued + "\n" + small_block()).blocks, 1U);
}

TEST(Limits, ManyProcesses) {
  std::string log = "z: " + border() + "z: " + title_line();
  for (int i = 0; i < 20'000; ++i) {
    const std::string tag = "rank" + std::to_string(i) + ": ";
    log += tag + border() + tag + "# HBM (GB)\n" + tag + border();
  }
  EXPECT_GE(read(log).blocks, 1U);
}

}  // namespace
}  // namespace shardstats
