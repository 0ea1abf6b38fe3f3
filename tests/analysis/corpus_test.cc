// verify on all genuine logs of the shared corpus: a finding of severity error there is a false alarm.
#include "corpus.h"

#include <gtest/gtest.h>

#include "logs.h"

namespace shardstats {
namespace {

TEST(Corpus, NoFalseAlarms) {
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << "no corpus in " << test::shared_folder() << " (SHARDSTATS_SHARED)";
  for (const auto& file : logs) {
    const Checked checked(read_file(file.string()));
    for (const Finding& finding : checked.report.findings) {
      if (finding.severity == Severity::note) continue;
      ADD_FAILURE() << file << ":" << finding.where.place.line << " " << finding.rule->id << " " << finding.message;
    }
    EXPECT_EQ(checked.plan.contradictions, 0) << file;
  }
  EXPECT_GT(logs.size(), test::sampled(100U));
}

}  // namespace
}  // namespace shardstats
