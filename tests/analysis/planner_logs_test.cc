// Logs that released planners printed: nothing in them is wrong, see testdata/planner/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "corpus.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

std::vector<std::filesystem::path> logs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "testdata" / "planner"))
    if (entry.path().extension() == ".log") found.push_back(entry.path());
  return found;
}

TEST(PlannerLogs, HaveNoErrors) {
  ASSERT_EQ(logs().size(), 16u);
  for (const auto& path : logs()) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = test::file_text(path);
    const PrintedPlan printed = parse(find_blocks(text).front());
    const Report report = verify(printed, infer(printed));
    EXPECT_EQ(count(report.findings).error, 0);
    for (const Finding& finding : report.findings)
      if (finding.severity == Severity::error) ADD_FAILURE() << finding.rule->id << ": " << finding.message;
  }
}

// The planner of v0.6.0 leaves out a table whose constraints allow no sharding, and says so only in a warning of its
// own.
TEST(PlannerLogs, ATableThatWasLeftOutShowsInTheKjtStorage) {
  const std::string text = test::file_text(test::source_folder() / "testdata" / "planner" / "v0.6.0-left_out.log");
  const PrintedPlan printed = parse(find_blocks(text).front());
  const Report report = verify(printed, infer(printed));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule->id, "reservation.kjt");
  EXPECT_EQ(report.findings[0].severity, Severity::warning);
  EXPECT_THAT(report.findings[0].message, testing::HasSubstr("is not planned, but counted here"));
}

}  // namespace
}  // namespace shardstats
