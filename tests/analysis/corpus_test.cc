// verify on all genuine logs of the shared corpus: a finding of severity error there is a false alarm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "logs.h"

namespace shardstats {
namespace {

std::filesystem::path corpus() {
  const char* shared = std::getenv("SHARDSTATS_SHARED");
  return std::filesystem::path(shared ? shared : std::string(SHARDSTATS_SOURCE_DIR) + "/../shared") / "corpus" /
         "plans";
}

TEST(Corpus, NoFalseAlarms) {
  if (!std::filesystem::exists(corpus())) GTEST_SKIP() << "no corpus at " << corpus() << " (SHARDSTATS_SHARED)";
  std::size_t logs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(corpus())) {
    if (file.path().extension() != ".log") continue;
    ++logs;
    const Checked checked(read_file(file.path().string()));
    for (const Finding& finding : checked.report.findings)
      EXPECT_EQ(finding.severity, Severity::note)
          << file.path() << ":" << finding.where.place.line << " " << finding.rule->id << " " << finding.message;
    EXPECT_EQ(checked.plan.contradictions, 0) << file.path();
  }
  EXPECT_GT(logs, 100U);
}

}  // namespace
}  // namespace shardstats
