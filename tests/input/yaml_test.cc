// Scalars of YAML that were folded at 80 columns, as PyYAML, libyaml and ruamel.yaml write them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

// As YAML folds: at single blanks behind that column, but not at the ends.
std::string folded(const std::string& text, std::size_t column, const std::string& indent) {
  std::string out;
  std::size_t in_line = column;
  for (std::size_t at = 0; at < text.size(); ++at, ++in_line) {
    const bool is_single =
        at > 0 && at + 1 < text.size() && text[at] == ' ' && text[at - 1] != ' ' && text[at + 1] != ' ';
    const bool is_fold = is_single && in_line > 80;
    out += is_fold ? "\n" + indent : text.substr(at, 1);
    if (is_fold) in_line = indent.size();
  }
  return out;
}

std::string in_single_quotes(const std::string& key, const std::string& line) {
  return key + "'" + folded(replaced(line, "'", "''"), key.size() + 1, "  ") + "'";
}

// At any blank, which then stands behind a backslash.
std::string in_double_quotes(const std::string& key, const std::string& line) {
  std::string out = key + "\"";
  std::size_t in_line = out.size();
  for (std::size_t at = 0; at < line.size(); ++at, ++in_line) {
    const bool is_fold = line[at] == ' ' && in_line > 80;
    if (is_fold) in_line = 4;
    out += is_fold ? "\\\n  \\ " : line.substr(at, 1);
  }
  return out + "\"";
}

// A border has no blank: it stands below its key, without quotes.
std::string record(const std::string& line) {
  const bool is_border = line.ends_with("##");
  return "---\ninsertId: x\nlabels:\n  pod: a\n" +
         (is_border ? "textPayload: \n  " + line : in_single_quotes("textPayload: ", line)) +
         "\ntimestamp: '2026-01-02T03:04:05Z'\n";
}

Texts with_quotes_and_long_words() {
  Texts lines = printed();
  lines[8] = box_line("Top 5 Tables Causing Max Perf: it's on rank 0 and it is long enough for a fold at blanks");
  return lines;
}

void expect_block(const std::string& log, const Texts& lines) {
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1U) << log;
  EXPECT_EQ(texts_of(blocks[0]), lines) << log;
  EXPECT_TRUE(was(Mending::wrapped, blocks[0]));
  for (const BoxLine& line : blocks[0].lines) EXPECT_EQ(byte_at(log, line.place), '#') << log;
}

TEST(Yaml, RecordsAreJoined) {
  const Texts lines = with_quotes_and_long_words();
  for (const std::string prefix :
       {"", "INFO:torchrec.distributed.planner.stats:", "2026-01-02 03:04:05,678 INFO x: "}) {
    Texts records = each(prefixed(prefix, lines), record);
    expect_block(joined(records), lines);
    std::ranges::reverse(records);
    expect_block(joined(records), lines);
  }
}

TEST(Yaml, ListsAreJoined) {
  const Texts lines = with_quotes_and_long_words();
  const auto item = [](const std::string& line) { return in_single_quotes("- ", line); };
  expect_block("stdout_lines:\n" + joined(each(prefixed("INFO:x:", lines), item)), lines);
}

TEST(Yaml, DoubleQuotesAreFoldedInRunsOfBlanks) {
  const auto item = [](const std::string& line) { return in_double_quotes("out: ", line); };
  expect_block(joined(each(prefixed("INFO:torchrec.distributed.planner.stats:"), item)), printed());
}

// An empty line stands for a line end, and others may stand in front of the block.
TEST(Yaml, TextsAreJoined) {
  const Texts lines = with_quotes_and_long_words();
  for (const std::string front : {"", "before\n\n  it''s\n\n  "}) {
    std::string log = "plan: '" + front;
    for (const std::string& line : lines) log += folded(replaced(line, "'", "''"), 0, "  ") + "\n\n  ";
    log += "'\nrank: 0\n";
    expect_block(log, lines);
    expect_block("  " + replaced(log, "\n", "\n  "), lines);
  }
}

TEST(Yaml, TextsInDoubleQuotesAreJoined) {
  std::string text = "before\\n";
  for (const std::string& line : printed()) text += line + "\\n";
  expect_block(in_double_quotes("plan: ", text) + "\nrank: 0\n", printed());
}

// Lines that are indented below a key, or below an open quote that nothing ends, are no folded scalar.
TEST(Yaml, IndentedTextsStayAsTheyAre) {
  for (const std::string front : {"stdout:\n", "msg: 'hello\n", "dir: \"C:\\tmp\\\"\n", "'twas fine\n"}) {
    const std::string log = front + joined(prefixed("    ", with_quotes_and_long_words()));
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1U) << log;
    EXPECT_EQ(texts_of(blocks[0]), with_quotes_and_long_words()) << log;
    EXPECT_FALSE(was(Mending::wrapped, blocks[0])) << log;
  }
}

// Without more indentation the next line is none of the scalar.
TEST(Yaml, OtherTextStaysAsItIs) {
  Texts lines = printed();
  lines[4] = box_line("it: 'x");
  const std::string log = joined(prefixed("a: '", lines));
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(texts_of(blocks[0]), lines);
  EXPECT_FALSE(was(Mending::wrapped, blocks[0]));
}

}  // namespace
}  // namespace shardstats
