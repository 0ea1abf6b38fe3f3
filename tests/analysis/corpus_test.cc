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

// The sanitizers look for undefined behaviour, not for false alarms: some logs are enough for them.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kEvery = 12;
#else
constexpr std::size_t kEvery = 1;
#endif

TEST(Corpus, NoFalseAlarms) {
  if (!std::filesystem::exists(corpus())) GTEST_SKIP() << "no corpus at " << corpus() << " (SHARDSTATS_SHARED)";
  std::size_t logs = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(corpus())) {
    if (file.path().extension() != ".log" || ++logs % kEvery != 0) continue;
    const Checked checked(read_file(file.path().string()));
    for (const Finding& finding : checked.report.findings) {
      if (finding.severity == Severity::note) continue;
      ADD_FAILURE() << file.path() << ":" << finding.where.place.line << " " << finding.rule->id << " "
                    << finding.message;
    }
    EXPECT_EQ(checked.plan.contradictions, 0) << file.path();
  }
  EXPECT_GT(logs, 100U);
}

}  // namespace
}  // namespace shardstats
