// Records of JSON with a field a line: many lines of a file for one line of a log.
#include "input/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

TEST(Fields, StandInsideOfARecord) {
  for (const char* line : {"  \"severity\": \"INFO\",", "\t\"took\" : 5,", "  \"labels\": {", "  },", "}", "]", "[",
                           "      \"a\",", "      17,", "    \"x\": null", "    pod_name: dlrm-0", "  labels:"})
    EXPECT_TRUE(input_detail::is_inside_record(line)) << line;
  for (const char* line : {"  {", "", "  ", "step 1: loss 0.5", "  step 1: loss 0.5", "\"2026-01-02\",\"INFO: step 1\"",
                           "17", "  \"textPayload\": \"# Batch Size: 512 #\","})
    EXPECT_FALSE(input_detail::is_inside_record(line)) << line;
}

// As `gcloud logging read --format=json` and stores of documents show it, in that many lines.
std::string record(const std::string& line, int lines) {
  std::string text = "  {\n    \"labels\": {\n";
  for (int i = 6; i < lines; ++i) text += "      \"pod/" + std::to_string(i) + "\": \"v\",\n";
  return text + "    },\n    \"textPayload\": \"INFO:x:" + line + "\",\n    \"severity\": \"INFO\"\n  },\n";
}

std::string records(const Texts& lines, int lines_of_record) {
  return "[\n" +
         joined(each(lines,
                     [&](const std::string& line) {
                       std::string text = record(line, lines_of_record);
                       text.pop_back();
                       return text;
                     })) +
         "]\n";
}

Texts with_others(int others) {
  Texts lines = printed();
  lines.insert(lines.begin() + 8, static_cast<std::size_t>(others), "waiting for the plan");
  return lines;
}

class RecordsOfManyLines : public ::testing::TestWithParam<int> {};

TEST_P(RecordsOfManyLines, CountAsOneLineOfOthers) {
  for (const int others : {0, 3}) {
    const auto blocks = find_blocks(records(with_others(others), GetParam()));
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(texts_of(blocks[0]), printed());
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed);
  }
}

TEST_P(RecordsOfManyLines, CountAsOneLineOfOthersNewestFirst) {
  Texts lines = with_others(3);
  std::ranges::reverse(lines);
  const auto blocks = find_blocks(records(lines, GetParam()));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(texts_of(blocks[0]), printed());
  EXPECT_TRUE(blocks[0].opened && blocks[0].closed);
}

// Where the log begins in the middle of the block.
TEST_P(RecordsOfManyLines, CountAsOneLineInAPart) {
  const Texts end = {box_line("Compute Kernels Count:"), box_line("   fused: 3"), box_line(""), box_line(""),
                     box_line("Batch Size: 512"),        std::string(kWidth, '#')};
  const auto blocks = find_blocks(records(end, GetParam()));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(texts_of(blocks[0]), end);
}

INSTANTIATE_TEST_SUITE_P(Lines, RecordsOfManyLines, ::testing::Values(8, 23, 61, 111));

}  // namespace
}  // namespace shardstats
