// How far `verify` looks, and which of the looks it reports.
#include "cli/verification.h"

#include <gtest/gtest.h>

#include <string>

#include "corpus.h"
#include "shardstats/input/blocks.h"

namespace shardstats::cli {
namespace {

// Tables with dtypes of their own would make an error of a perf cell instead of the output, and as many.
TEST(Verification, KeepsTheFirstLookThatLeavesAsFewErrors) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "logs" / "v0.5.0.log");
  const std::size_t output = text.find(" 0.39 ");
  ASSERT_NE(output, std::string::npos);
  text.replace(output, 6, " 0.19 ");
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed, {}, false);
  verification.finish();
  ASSERT_EQ(verification.report.findings.size(), 1u);
  EXPECT_EQ(verification.report.findings.front().rule->id, "rank.output");
  EXPECT_EQ(verification.effort(), Effort::uniform);
}

// One dtype for all and default bandwidths leave errors in a log of other ones.
TEST(Verification, LooksAtSingleTablesWhereThatLeavesFewerErrors) {
  const std::string text =
      test::file_text(test::source_folder() / "testdata" / "planner" / "v0.5.0-own_bandwidths.log");
  const PrintedPlan printed = parse(find_blocks(text).front());
  Verification verification(printed, {}, false);
  EXPECT_GT(count(verification.report.findings).error, 0);
  verification.finish();
  EXPECT_EQ(count(verification.report.findings).error, 0);
  EXPECT_EQ(verification.effort(), Effort::exhaustive);
}

}  // namespace
}  // namespace shardstats::cli
