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

// Where no plan was found, the kernels' lines tell that no row of a table is lost with the blank line below them.
TEST(Corpus, BlankLineBelowTheTablesOfAnEmptyPlan) {
  const auto file = test::shared_folder() / "corpus" / "plans" / "v1.1.0" / "odd-625.log";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << test::kNoCorpus;
  std::string log = read_file(file.string());
  const Checked whole(log);
  ASSERT_TRUE(whole.printed.is_empty());
  ASSERT_FALSE(whole.printed.tables.rows.empty());
  const std::size_t batch_size = log.find("\n# Batch Size:"), blank = log.rfind('\n', batch_size - 1);
  ASSERT_EQ(log.substr(blank + 1, batch_size - blank - 1).find_first_not_of("# "), std::string::npos);
  log.erase(blank, batch_size - blank);
  const Checked checked(log);
  EXPECT_TRUE(checked.report.findings.empty());
  EXPECT_EQ(checked.report.coverage.derived, whole.report.coverage.derived);
}

}  // namespace
}  // namespace shardstats
