// Records of a container, one for each line of the box, that a terminal broke at its width.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

struct Container {
  const char* what;
  std::function<std::string(const std::string& line, int number)> record;
};

std::vector<Container> containers() {
  const auto time = [](int number) { return "2026-01-02T03:04:" + std::to_string(10 + number) + "Z"; };
  return {
      {"Docker", [=](const std::string& line,
                     int n) { return R"({"log":")" + line + R"(\n","stream":"stderr","time":")" + time(n) + "\"}"; }},
      {"Docker, with a logger's prefix",
       [=](const std::string& line, int n) {
         return R"({"log":"INFO:torchrec:)" + line + R"(\n","stream":"stderr","time":")" + time(n) + "\"}";
       }},
      {"JSON, with the line at the end",
       [=](const std::string& line, int n) {
         return R"({"time": ")" + time(n) + R"(", "level": "INFO", "n": )" + std::to_string(n) + R"(, "message": ")" +
                line + "\"}";
       }},
      {"CSV", [=](const std::string& line, int n) { return time(n) + ",INFO,\"" + line + "\",pod-" + time(n); }},
      {"CSV, with the line in front",
       [=](const std::string& line, int n) { return "\"" + line + "\",\"" + time(n) + "\",\"INFO\""; }},
      {"TSV", [=](const std::string& line, int n) { return time(n) + "\tINFO\t" + line + "\tpod-1"; }}};
}

Texts records_of(const Container& container) {
  int number = 0;
  return each(printed(), [&](const std::string& line) { return container.record(line, number++); });
}

TEST(WrappedRecords, GiveTheUndamagedLines) {
  for (const Container& container : containers()) {
    const Texts records = records_of(container);
    for (std::size_t width = 60; width <= kWidth + 20; ++width) {
      const std::string log = joined(wrapped(records, width));
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << container.what << width;
      EXPECT_EQ(texts_of(blocks[0]), printed()) << container.what << width;
      EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << container.what << width;
      // Where the line is broken just behind the box, the rest may pass for a line of others.
      EXPECT_TRUE(was(Mending::wrapped, blocks[0]) || was(Mending::foreign, blocks[0])) << container.what << width;
      for (const BoxLine& line : blocks[0].lines) EXPECT_EQ(byte_at(log, line.place), '#') << container.what << width;
    }
  }
}

// A terminal broke the lines first, as a console without one does at 80 columns: each record has a piece of a line, in
// which nothing may tell of a box. Of a piece in TSV nothing tells where it ends.
TEST(WrappedRecords, OfPiecesThatATerminalBroke) {
  std::vector<Container> of_pieces = containers();
  std::erase_if(of_pieces, [](const Container& one) { return std::string_view(one.what) == "TSV"; });
  of_pieces.push_back({"JSON in Docker", [](const std::string& piece, int) {
                         return R"({"log":"{\"level\":\"info\",\"msg\":\")" + piece + R"(\"}\r\n","stream":"stderr"})";
                       }});
  of_pieces.push_back({"JSON with other fields of the same name", [](const std::string& piece, int) {
                         return R"({"of": {"msg": "a"}, "msg": ")" + piece + R"(", "last": {"msg": "b", "n": 1}})";
                       }});
  of_pieces.push_back(
      {"a dictionary of Python", [](const std::string& piece, int) { return "{'msg': '" + piece + "', 'n': 1}"; }});
  for (const Container& container : of_pieces) {
    for (std::size_t width = 45; width < kWidth; ++width)
      for (const bool stripped : {false, true}) {
        int number = 0;
        const Texts records = each(wrapped(printed(), width, stripped),
                                   [&](const std::string& piece) { return container.record(piece, number++); });
        const std::string log = joined(records);
        const auto blocks = find_blocks(log);
        ASSERT_EQ(blocks.size(), 1u) << container.what << width << stripped;
        EXPECT_EQ(texts_of(blocks[0]), printed()) << container.what << width << stripped;
        EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << container.what << width << stripped;
        for (const BoxLine& line : blocks[0].lines)
          EXPECT_EQ(byte_at(log, line.place), '#') << container.what << width << stripped;
      }
  }
}

// Of several blocks each one; what stands between is no part of them.
TEST(WrappedRecords, SeveralBlocks) {
  for (const Container& container : containers()) {
    Texts records = records_of(container);
    const Texts block = records;
    records.push_back(container.record("step 1", 1));
    records.push_back(container.record(std::string(150, 'x'), 2));
    records.insert(records.end(), block.begin(), block.end());
    for (const std::size_t width : {80, 100, 120}) {
      const auto blocks = find_blocks(joined(wrapped(records, width)));
      ASSERT_EQ(blocks.size(), 2u) << container.what << width;
      for (const Block& one : blocks) EXPECT_EQ(texts_of(one), printed()) << container.what << width;
    }
  }
}

// One record with all lines.
TEST(WrappedRecords, OfAllLines) {
  for (const std::string end : {"#012", "#015#012", "\\n"}) {
    std::string text = replaced(joined(prefixed("INFO:x:")), "\n", end);
    if (end == "\\n") text = R"({"level": "info", "message": ")" + text + "\"}";
    for (const std::size_t width : {60, 80, 115}) {
      const std::string log = joined(wrapped({"Jan  2 03:04:05 h python[7]: " + text, "done"}, width));
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << end << width;
      EXPECT_EQ(texts_of(blocks[0]), printed()) << end << width;
      EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << end << width;
      for (const BoxLine& line : blocks[0].lines) EXPECT_EQ(byte_at(log, line.place), '#') << end << width;
    }
  }
}

// The same where a terminal's text lost the blanks at the ends of its lines.
TEST(WrappedRecords, BlanksAreLost) {
  for (const Container& container : containers()) {
    const Texts records = records_of(container);
    for (const std::size_t width : {60, 80, 90, 100}) {
      const std::string log = joined(wrapped(records, width, true));
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << container.what << width;
      EXPECT_EQ(texts_of(blocks[0]), printed()) << container.what << width;
      EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << container.what << width;
    }
  }
}

// Their colours say nothing about the records.
TEST(WrappedRecords, BesideColouredLinesOfOthers) {
  for (const Container& container : containers()) {
    Texts pieces = wrapped(records_of(container), 80);
    pieces.insert(pieces.begin() + 6, "\x1b[33mWARN\x1b[0m slow");
    const auto blocks = find_blocks(joined(pieces));
    ASSERT_EQ(blocks.size(), 1u) << container.what;
    EXPECT_EQ(texts_of(blocks[0]), printed()) << container.what;
  }
}

// What stands in a log that begins in the middle of a block is read as if nothing were broken, whatever its prefix.
TEST(WrappedRecords, ALogThatBeginsInALine) {
  for (const std::string prefix : {"", "[rank0]: ", "INFO:torchrec.distributed.planner.stats:"}) {
    const std::string whole = joined(prefixed(prefix)), log = joined(wrapped(prefixed(prefix), 52));
    for (const char* text : {"####", "Rank"}) {
      const std::size_t cut = log.find(text) + 2;
      const auto expected = find_blocks(whole.substr(whole.find(text) + 2)), blocks = find_blocks(log.substr(cut));
      ASSERT_EQ(expected.size(), 1u) << prefix << text;
      ASSERT_EQ(blocks.size(), 1u) << prefix << text;
      EXPECT_EQ(texts_of(blocks[0]), texts_of(expected[0])) << prefix << text;
      EXPECT_EQ(blocks[0].opened, expected[0].opened) << prefix << text;
      EXPECT_EQ(byte_at(log.substr(cut), blocks[0].lines[1].place), '#') << prefix << text;
    }
  }
}

// The last piece of an empty line begins with as many blanks as whole ones have in front.
TEST(WrappedRecords, IndentedLinesBelowThoseOfOthers) {
  const std::string indent(6, ' '), others = indent + "step 1 # 0.5\n" + indent + "step 2 # 0.4\n";
  const auto blocks = find_blocks(others + joined(wrapped(prefixed(indent), 60)));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
  EXPECT_TRUE(blocks[0].foreign.empty());
}

TEST(WrappedRecords, WhereNothingIsBrokenNothingIsJoined) {
  for (const Container& container : containers()) {
    const auto blocks = find_blocks(joined(records_of(container)));
    ASSERT_EQ(blocks.size(), 1u) << container.what;
    EXPECT_EQ(texts_of(blocks[0]), printed()) << container.what;
    EXPECT_FALSE(was(Mending::wrapped, blocks[0])) << container.what;
  }
}

}  // namespace
}  // namespace shardstats
