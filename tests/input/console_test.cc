// Lines that a console or terminal broke between words are joined.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "input/changed_lines.h"
#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

// As Rich breaks a message: in front of a word that does not fit. One that fits in no line is folded with the blanks
// behind it; other blanks that do not fit are lost.
Texts broken_between_words(const std::string& line, std::size_t width) {
  Texts pieces = {""};
  const auto begin_piece = [&](const std::string& piece) {
    if (pieces.back().empty()) pieces.pop_back();
    pieces.push_back(piece);
  };
  for (std::size_t start = 0, next; start < line.size(); start = next) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    next = std::min(line.find_first_not_of(' ', end), line.size());
    if (pieces.back().size() + end - start <= width)
      pieces.back() += line.substr(start, next - start);
    else if (end - start <= width)
      begin_piece(line.substr(start, next - start));
    else
      for (std::size_t at = start; at < next; at += width) begin_piece(line.substr(at, std::min(width, next - at)));
  }
  for (std::string& piece : pieces) piece.resize(std::min(piece.size(), width));
  return pieces;
}

std::string squeezed(const std::string& line) {
  std::string text;
  for (const char c : line)
    if (c != ' ' || !text.ends_with(' ')) text += c;
  return text;
}

// As Rich's handler prints a block where there is no terminal: a message goes on in its column.
std::string of_console(const Texts& lines, std::size_t width, const std::string& place, const std::string& prefix,
                       bool is_one_message) {
  std::string log;
  for (const std::string& line : lines) {
    bool is_first = !is_one_message || log.empty();
    for (const std::string& piece : broken_between_words(line, width)) {
      const std::string level = log.empty() ? "[11/27/26 03:11:42] INFO     " : "                    INFO     ";
      log += prefix + (is_first ? level : std::string(level.size(), ' ')) + piece +
             std::string(width - piece.size(), ' ') + (is_first ? " " + place : std::string(place.size(), ' ')) + "\n";
      is_first = false;
    }
  }
  return log;
}

Texts lines_of(const std::string& log) {
  Texts lines;
  for (std::size_t start = 0, end; start < log.size(); start = end + 1) {
    end = log.find('\n', start);
    lines.push_back(log.substr(start, end - start));
  }
  return lines;
}

// Then a '#' alone is an empty line of the box, not the end of the line before.
TEST(Console, WrappedLinesWithoutRightBorders) {
  Texts lines = printed();
  for (std::string& line : lines)
    if (line.find_first_not_of('#') != std::string::npos) line.erase(line.find_last_not_of(" #") + 1);
  lines[6] = lines[8] = "#";  // of which it takes the left one, too
  for (const std::size_t width : {22, 36, 55, 109})
    for (const std::string prefix : {"", "[rank0]: "}) {
      const auto blocks = find_blocks(joined(wrapped(prefixed(prefix, lines), width + prefix.size())));
      ASSERT_EQ(blocks.size(), 1u) << width;
      EXPECT_EQ(texts_of(blocks[0]), lines) << width;
    }
}

// That the title alone has lost its own says nothing of the others.
TEST(Console, WrappedLinesBelowATitleWithoutRightBorder) {
  Texts lines = printed();
  lines[1].erase(lines[1].find_last_not_of(" #") + 1);
  for (const std::size_t width : {kWidth - 1, kWidth / 2}) {
    const auto blocks = find_blocks(joined(wrapped(lines, width)));
    ASSERT_EQ(blocks.size(), 1u) << width;
    EXPECT_EQ(texts_of(blocks[0]), lines) << width;
  }
}

TEST(Console, LinesThatAConsoleBrokeBetweenWordsAreJoined) {
  const Texts expected = each(printed(), squeezed), next = each(printed("64"), squeezed);
  for (const std::size_t width : {43, 55, 61, 90, 109})  // one of them a half of the border, one all but its last '#'
    for (const std::string place : {"stats.py:301", ""})
      for (const std::string prefix : {"", "[default0]:"})
        for (const bool is_one_message : {false, true}) {
          const auto block = [&](const std::string& batch) {
            return of_console(printed(batch), width, place, prefix, is_one_message);
          };
          const std::string other = prefix + "                    INFO     step 1 " + std::string(width, 'x') + "\n";
          for (const std::string& log : {block("512") + block("64"), block("512") + other + block("64") + other}) {
            const auto blocks = find_blocks(log);
            ASSERT_EQ(blocks.size(), 2u) << log;
            EXPECT_EQ(texts_of(blocks[0]), expected) << log;
            EXPECT_EQ(texts_of(blocks[1]), next) << log;
            EXPECT_TRUE(was(Mending::wrapped, blocks[0])) << log;
            const BoxLine& batch = blocks[0].lines[7];
            EXPECT_EQ(byte_at(log, batch.place_of(batch.text.find("512"))), '5') << log;
          }
        }
}

// Then its lines begin alike and are equally wide, as pieces of records are that a terminal broke.
TEST(Console, WithATimeInFrontOfEachMessage) {
  for (const std::size_t width : {38, 61, 90}) {
    const std::string log = replaced(of_console(printed(), width, "stats.py:301", "", false),
                                     "                    INFO", "[11/27/26 03:11:42] INFO");
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << log;
    EXPECT_EQ(texts_of(blocks[0]), each(printed(), squeezed)) << log;
  }
}

// As a container's runtime or a collector of logs keeps what it prints.
TEST(Console, InRecords) {
  const auto of_json = [](const std::string& piece) { return R"({"level":"info","msg":")" + piece + "\"}"; };
  const auto of_docker = [](const std::string& piece) { return docker_record(piece, true); };
  const auto of_csv = [](const std::string& piece) { return "\"2026-01-02 03:04:05\",\"" + piece + "\",7"; };
  for (const std::size_t width : {38, 43, 61, 90, 109})
    for (const bool is_one_message : {false, true})
      for (const auto& record :
           std::vector<std::function<std::string(const std::string&)>>{of_json, of_docker, of_csv}) {
        const std::string log =
            joined(each(lines_of(of_console(printed(), width, "stats.py:301", "", is_one_message)), record));
        const auto blocks = find_blocks("{}\n" + log);
        ASSERT_EQ(blocks.size(), 1u) << log;
        EXPECT_EQ(texts_of(blocks[0]), each(printed(), squeezed)) << log;
        EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << log;
      }
}

// The lines of several ranks in turn, as their launcher writes them.
TEST(Console, OfSeveralRanksInTurn) {
  for (const int ranks : {2, 8})
    for (const std::size_t width : {38, 61, 109})
      for (const bool is_one_message : {false, true}) {
        std::vector<Texts> of_ranks;
        for (int rank = 0; rank < ranks; ++rank)
          of_ranks.push_back(lines_of(
              of_console(printed(), width, "stats.py:301", "[rank" + std::to_string(rank) + "]: ", is_one_message)));
        std::string log;
        for (std::size_t i = 0; i < of_ranks[0].size(); ++i)
          for (const Texts& own : of_ranks) log += own[i] + "\n";
        const auto blocks = find_blocks(log);
        ASSERT_EQ(blocks.size(), of_ranks.size()) << log;
        for (const Block& block : blocks) EXPECT_EQ(texts_of(block), each(printed(), squeezed)) << log;
      }
}

// A word as wide as the column ends at its edge, a wider one goes on below it, and so do the blanks behind that.
TEST(Console, WordsThatAConsoleFoldedAreJoined) {
  for (const std::size_t width : {37, 45, 48})
    for (const bool is_one_message : {false, true}) {
      const std::string name(width, 'x'), wide = name + "xyz";
      Texts lines = printed();
      const Texts rows = {"   " + name + "   TWRW   fused   1",
                          "   " + name + "CW   TW   fused   1",
                          "   " + name.substr(2) + "TW   CW   fused   1",
                          "   " + wide + "   TW   fused   1",
                          "   " + std::string(width, '-') + "   ----------   ----------------",
                          "   " + std::string(width + 10, '-') + "   ----------   ----------------",
                          "   " + wide + std::string(width - 3, ' ') + "TW",
                          "   " + wide + std::string(width + 2, ' ') + "TW",
                          "   " + name,
                          "   (" + name.substr(2) + ")   0.5",
                          "   " + std::string(width - 1, '1') + ",2   n/a",
                          "   1" + std::string(width - 1, ',') + "   n/a",
                          "   " + name.substr(1) + ": 1.5 GB on rank [0]",
                          "   FeatureProcessedEmbeddingBagCollectionSharder   1"};
      for (const std::string& row : rows) lines.insert(lines.end() - 1, box_line(row));
      lines[5] = "#        0   1.5 (12%)   " + std::string(kWidth, 'x') + " TW: 7#";  // as v0.1.0 prints long rows
      const std::string log = of_console(lines, width, "stats.py:301", "", is_one_message);
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << log;
      EXPECT_EQ(texts_of(blocks[0]), each(lines, squeezed)) << log;
    }
}

// In front of a last column of batch sizes a list of ranks is over; without it, it goes on.
TEST(Console, ListsThatAConsoleFoldedAreJoined) {
  for (const std::size_t width : {45, 47})
    for (const std::string last : {"", "   Batch Sizes"}) {
      const std::string ranks = replaced(std::string(width / 2, 'x'), "x", "7,") + "7";
      Texts lines = printed();
      lines.insert(lines.end() - 1, box_line("   FQN   Sharding   Hash Size   Ranks" + last));
      lines.insert(lines.end() - 1, box_line("   " + std::string(80, 'x') + "   TW"));
      lines.insert(lines.end() - 1, "#   x   TW   1000   " + ranks + (last.empty() ? ",12   #" : "   512   #"));
      const std::string log = of_console(lines, width, "stats.py:301", "", false);
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << log;
      EXPECT_EQ(texts_of(blocks[0]), each(lines, squeezed)) << log;
    }
}

// A block that was cut off does not take the next one with it.
TEST(Console, ABlockOfAConsoleThatWasCutOff) {
  const std::string block = of_console(printed(), 61, "stats.py:301", "", false);
  const std::string log = block.substr(0, block.find("Rank")) + "\n" + block;
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[1]), each(printed(), squeezed));
}

}  // namespace
}  // namespace shardstats
