// parse then render gives the bytes back, and nothing but the texts of slots is kept.
#include "shardstats/log/render.h"

#include <gtest/gtest.h>

#include "corpus.h"
#include "log/texts.h"

namespace shardstats {
namespace {

std::size_t expect_identity(const std::vector<std::filesystem::path>& logs) {
  for (const auto& log : logs) {
    const std::string text = test::file_text(log);
    EXPECT_EQ(test::rendered(text), text) << log.filename() << " in " << log.parent_path().filename();
  }
  return logs.size();
}

TEST(Render, GivesTestdataBack) {
  EXPECT_GE(expect_identity(test::logs_below(test::source_folder() / "testdata" / "logs")), 7u);
}

TEST(Render, GivesTheCorpusBack) {
  if (!std::filesystem::exists(test::corpus("plans"))) GTEST_SKIP() << test::kNoCorpus;
  EXPECT_GT(expect_identity(test::corpus_logs("plans")), test::sampled(300U));
  EXPECT_GT(expect_identity(test::corpus_logs("format")), test::sampled(100U));
}

// What is not a slot comes from the layout: prefixes, padding and line ends of the input leave no trace.
TEST(Render, KeepsNothingButSlots) {
  const std::string clean = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.4.0.log");
  std::string disguised;
  int number = 0;
  for (std::size_t start = 0; start < clean.size();) {
    const std::size_t end = clean.find('\n', start);
    disguised += "[rank0]:2024-05-01 12:00:" + std::to_string(10 + number++ % 50) + " INFO: ";
    disguised += clean.substr(start, end - start) + "\r\n";
    start = end + 1;
  }
  EXPECT_EQ(test::rendered(disguised), clean);
}

TEST(Render, ShowsAChangedSlotAndNothingElse) {
  const std::string clean = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.4.0.log");
  const auto blocks = find_blocks(clean);
  ASSERT_EQ(blocks.size(), 1u);
  PrintedPlan plan = parse(blocks[0]);
  for (Cell& slot : plan.slots)
    if (slot.text == "512") slot.text = "513";
  plan.ranks.rows[1].hbm.text = "7.65";
  std::string out;
  render(plan, out);
  EXPECT_EQ(out,
            test::replaced(test::replaced(clean, "Batch Size: 512", "Batch Size: 513"), "1.65 (10%)", "7.65 (10%)"));
}

TEST(Render, NeededWidthIsThatOfTheLogs) {
  for (const char* name : {"v0.3.0.log", "v0.5.0.log", "v1.1.0-nodebug.log", "v1.4.0.log", "v1.8.0.log"}) {
    const std::string bytes = test::file_text(test::source_folder() / "testdata" / "logs" / name);
    const PrintedPlan plan = parse(find_blocks(bytes).front());
    EXPECT_EQ(needed_width(plan), plan.width) << name;
  }
}

TEST(Render, KeepsTheDashesOfAColumnThatLostItsHeader) {
  const std::string clean = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.4.0.log");
  const std::string damaged = test::replaced(clean, " Features ", std::string(10, ' '));
  EXPECT_EQ(test::rendered(damaged), damaged);
  const PrintedPlan plan = parse(find_blocks(damaged).front());
  for (const Diagnostic& d : plan.diagnostics) EXPECT_NE(d.rule, "log.decoration");
}

TEST(Render, KeepsUnknownLinesAndColumns) {
  const std::string clean = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.1.0-nodebug.log");
  const std::string changed = test::replaced(clean, "# Batch Size: ", "# Bytes Size: ");
  EXPECT_EQ(test::rendered(changed), changed);
  const PrintedPlan plan = parse(find_blocks(changed).front());
  ASSERT_EQ(plan.diagnostics.size(), 1u);
  EXPECT_EQ(plan.diagnostics[0].rule, "log.unknown_line");
  EXPECT_EQ(plan.diagnostics[0].severity, Severity::warning);
}

}  // namespace
}  // namespace shardstats
