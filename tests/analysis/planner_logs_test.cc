// Logs that released planners printed: nothing in them is wrong, see testdata/planner/README.md.
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
  ASSERT_EQ(logs().size(), 9u);
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

}  // namespace
}  // namespace shardstats
