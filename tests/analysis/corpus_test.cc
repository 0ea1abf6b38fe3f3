// verify on all genuine logs of the shared corpus: a finding of severity error there is a false alarm.
#include "corpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "logs.h"

namespace shardstats {
namespace {

TEST(Corpus, NoFalseAlarms) {
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
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

// On a CPU the ranks take no HBM, and their tables are listed all the same.
TEST(Corpus, ShortTopListOnACpu) {
  const auto file = test::shared_folder() / "corpus" / "plans" / "v1.3.0" / "odd-662.log";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << test::kNoCorpus;
  std::string log = read_file(file.string());
  const std::size_t last = log.rfind('\n', log.find("# Top 5 Tables Causing Max HBM") - 2);
  ASSERT_NE(last, std::string::npos);
  const std::size_t line = log.rfind('\n', last - 1) + 1;
  log.erase(line, last + 1 - line);
  const Checked checked(log);
  ASSERT_EQ(checked.report.findings.size(), 1u);
  EXPECT_EQ(checked.report.findings[0].rule->id, "top_tables.perf");
}

}  // namespace
}  // namespace shardstats
