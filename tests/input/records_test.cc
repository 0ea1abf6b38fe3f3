// Records of rsyslog, which escapes control characters, and of others that write several lines as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

// `size` lines in each record.
std::string in_records(const Texts& lines, std::size_t size, const std::string& end, const std::string& prefix) {
  std::string log;
  for (std::size_t at = 0; at < lines.size(); at += size) {
    log += prefix;
    for (std::size_t i = at; i < std::min(at + size, lines.size()); ++i) log += (i > at ? end : "") + lines[i];
    log += "\n";
  }
  return log;
}

TEST(Records, GiveTheirLines) {
  const std::string syslog = "Jan  2 03:04:05 h python[7]: ";
  const Texts tabs = each(each(printed(), tabbed), [](const std::string& s) { return replaced(s, "\t", "#011"); });
  const std::string whole = in_records(printed(), 100, "#012", syslog);
  struct RecordCase {
    const char* what;
    std::string log;
    Mending mending;
  };
  for (const RecordCase& c :
       {RecordCase{"carriage returns and line feeds", in_records(printed(), 100, "#015#012", syslog), Mending::glued},
        {"carriage returns alone", in_records(printed(), 100, "#015", syslog), Mending::glued},
        {"a carriage return at the end of each", replaced(in_records(printed(), 1, "", syslog), "#\n", "##015\n"),
         Mending::prefix},
        {"colours",
         replaced(replaced(whole, "#012#", "#012#033[31m#"), "#033[31m# Batch Size", "#033[31m#033[0m# Batch Size"),
         Mending::colours},
        {"tabs", in_records(tabs, 1, "", syslog), Mending::blanks},
        {"tabs in one record", in_records(tabs, 100, "#012", ""), Mending::blanks},
        {"a tab in front of each line", replaced(whole, "#012#", "#012#011#"), Mending::blanks},
        {"two lines in each", in_records(printed(), 2, "#012", syslog), Mending::glued},
        {"two lines in each, and a line feed",
         replaced(in_records(printed(), 2, "#012", syslog), "#\nJan", "##012\nJan"), Mending::glued},
        {"two lines in each, and carriage returns", in_records(printed(), 2, "#015#012", syslog), Mending::glued},
        {"two lines in each, and carriage returns in source code", in_records(printed(), 2, "\\r\\n", syslog),
         Mending::glued},
        {"two lines in each, each with a prefix", in_records(prefixed("INFO:x:"), 2, "#012", syslog), Mending::glued},
        {"three lines in each", in_records(printed(), 3, "#012", syslog), Mending::glued}}) {
    const auto blocks = find_blocks(c.log);
    ASSERT_EQ(blocks.size(), 1u) << c.what;
    EXPECT_EQ(texts_of(blocks[0]), printed()) << c.what;
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << c.what;
    EXPECT_TRUE(was(c.mending, blocks[0])) << c.what;
    for (const BoxLine& line : blocks[0].lines) EXPECT_EQ(byte_at(c.log, line.place), '#') << c.what;
  }
}

// Nothing of a record is whole that was cut at any size, and all lines in front of the cut are read.
TEST(Records, ThatWereCutAreNotClosed) {
  for (const std::string end : {"#012", "#015#012", "\\n"}) {
    const std::string record = "Jan  2 03:04:05 h python[7]: " + joined(printed());
    const std::string whole = replaced(record.substr(0, record.size() - 1), "\n", end);
    const std::string next = "Jan  2 03:04:06 h python[7]: done\n";
    for (std::size_t size = 3 * kWidth; size + 1 < whole.size(); ++size) {
      const auto blocks = find_blocks(whole.substr(0, size) + "\n" + next);
      ASSERT_EQ(blocks.size(), 1u) << end << size;
      const bool is_border_cut = blocks[0].lines.back().text.find_first_not_of('#') == std::string::npos;
      ASSERT_TRUE(!blocks[0].closed || (is_border_cut && blocks[0].lines.back().text.size() < kWidth)) << end << size;
      const Texts texts = texts_of(blocks[0]);
      ASSERT_TRUE(std::equal(texts.begin(), texts.end() - 1, printed().begin())) << end << size;
    }
  }
}

// Whether the title is the first line of its record or the second one.
TEST(Records, OfSeveralBlocks) {
  for (const std::string prefix : {"", "INFO:x:", "2026-01-02 03:04:05,678 INFO "}) {
    const Texts block = prefixed(prefix);
    Texts lines = block;
    lines.push_back(prefix + "step 1");
    lines.insert(lines.end(), block.begin(), block.end());
    for (const std::size_t size : {2, 3, 5}) {
      const std::string log = in_records(lines, size, "#012", "Jan  2 03:04:05 h python[7]: ");
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 2u) << prefix << size;
      for (const Block& block : blocks) {
        EXPECT_EQ(texts_of(block), printed()) << prefix << size;
        EXPECT_FALSE(was(Mending::interleaved, block)) << prefix << size;
        for (const BoxLine& line : block.lines) EXPECT_EQ(byte_at(log, line.place), '#') << prefix << size;
      }
    }
  }
}

// In the oldest releases the last column reaches the border.
TEST(Records, LinesWithoutABlankAtTheirEnds) {
  Texts lines = printed();
  for (std::size_t i = 3; i < 6; ++i) lines[i][kWidth - 2] = '1';
  for (const std::string end : {"#012", "#015#012", "\\n"}) {
    const auto blocks = find_blocks(in_records(lines, 2, end, "h python[7]: "));
    ASSERT_EQ(blocks.size(), 1u) << end;
    EXPECT_EQ(texts_of(blocks[0]), lines) << end;
  }
}

TEST(Records, EscapesOfNamesStay) {
  for (const std::string name : {"x#011y", "#015", "a #012b", "#033"}) {
    Texts lines = printed(name);
    const auto blocks = find_blocks(replaced(joined(lines), "1.5", "\x1b[32m1.5\x1b[0m"));
    ASSERT_EQ(blocks.size(), 1u) << name;
    EXPECT_EQ(texts_of(blocks[0]), lines) << name;
  }
}

}  // namespace
}  // namespace shardstats
