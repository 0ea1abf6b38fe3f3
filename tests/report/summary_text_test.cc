#include "shardstats/report/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace shardstats {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kGi = 1024.0 * 1024 * 1024;

Summary full_rank(const PrintedTable& table) {
  Summary summary;
  MemorySummary& m = summary.memory;
  m.known = m.complete = m.counts_reservation = true;
  m.largest = exactly(90 * kGi);
  m.mean = exactly(80 * kGi);
  m.smallest = exactly(70 * kGi);
  m.fullest = {7};
  m.peak = 7;
  m.peak_cell = {"90.0", {12, 20}};
  m.planning = exactly(100 * kGi);
  m.planning_cell = {"100.0", {40, 9}};
  m.share = exactly(0.9);
  m.headroom = exactly(10 * kGi);
  m.fit = Fit::tight;
  m.parts = {{"embedding weights", exactly(60 * kGi)}, {"KJT", exactly(30 * kGi)}};
  m.tables = {{&table, exactly(45 * kGi)}};
  m.tables_on_peak = 3;
  m.changes = {{"dtype=fp16", exactly(50 * kGi), exactly(40 * kGi)}};
  m.histogram = {1, 0, 2};
  return summary;
}

std::string text_of(const Summary& summary, int width, bool ascii = false) {
  TextStyle style;
  style.width = width;
  style.ascii = ascii;
  std::string out;
  write_summary("train.log", {}, summary, false, style, out);
  return out;
}

PrintedTable table_named(std::string_view fqn) {
  PrintedTable table;
  table.fqn.text = fqn;
  table.sharding.text = "TW";
  table.kernel.text = "fused";
  return table;
}

TEST(SummaryText, EverySentenceCitesItsLines) {
  const PrintedTable table = table_named("ebc.user");
  const std::string text = text_of(full_rank(table), 200);
  EXPECT_THAT(text, HasSubstr("tight: rank 7 takes 90.00 GiB of 100.0 GiB planning HBM, 90.0%; 10.00 GiB left "
                              "(lines 12, 40)"));
  EXPECT_THAT(text, HasSubstr("embedding weights  █████████████▍         66.7%  60.00 GiB"));
  EXPECT_THAT(text, HasSubstr("Largest tables on rank 7, 1 of 3:\n    ebc.user  45.00 GiB   50.0%  TW fused\n"));
  EXPECT_THAT(text, HasSubstr("Would help most: dtype=fp16: the fullest rank falls by 40.00 GiB to 50.00 GiB"));
  EXPECT_THAT(text, HasSubstr("70.00 GiB [▄·█] 90.00 GiB"));
}

TEST(SummaryText, FitsTheTerminal) {
  const PrintedTable table = table_named("model.sparse.embedding_bag_collection.a_rather_long_name_of_a_table");
  for (const int width : {60, 80}) {
    std::istringstream lines(text_of(full_rank(table), width, true));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
  }
  EXPECT_THAT(text_of(full_rank(table), 80), HasSubstr("..."));
  EXPECT_THAT(text_of(full_rank(table), 200), HasSubstr(table.fqn.text));
}

TEST(SummaryText, AsciiIsAscii) {
  const PrintedTable table = table_named("ebc.user");
  const std::string text = text_of(full_rank(table), 80, true);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; }));
  EXPECT_THAT(text, HasSubstr("[=_#]"));
}

TEST(SummaryText, SaysWhatIsNotThere) {
  Summary summary;
  summary.empty_plan = true;
  EXPECT_THAT(text_of(summary, 80), HasSubstr("The planner found no plan"));
  summary.empty_plan = false;
  EXPECT_THAT(text_of(summary, 80), HasSubstr("rank table is missing"));
  EXPECT_THAT(text_of(summary, 80), Not(HasSubstr("Plan\n")));
}

TEST(SummaryText, TheAnswerStandsAboveWhatItAssumes) {
  const PrintedTable table = table_named("ebc.user");
  BlockView block;
  AssumptionView& view = block.assumptions.emplace_back();
  view.name = "pipeline_type";
  view.assumption.value = std::string("none");
  std::string out;
  write_summary("train.log", block, full_rank(table), false, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr("Memory\n"));
  EXPECT_TRUE(out.ends_with("\nassumed: pipeline_type none\n")) << out;
}

TEST(SummaryText, HostMemoryThatOverflowsIsPartOfTheAnswer) {
  const PrintedTable table = table_named("ebc.user");
  Summary summary = full_rank(table);
  summary.oddities = {{kFullDdr, "DDR of 1 rank is more than the planner may fill"}, {"idle_ranks", "1 rank is idle"}};
  std::string out;
  write_summary("train.log", {}, summary, true, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr("(lines 12, 40)\n  note: DDR of 1 rank is more than the planner may fill\nSpeed\n"));
  EXPECT_THAT(out, Not(HasSubstr("idle")));
}

TEST(SummaryText, DevicesWithoutHbm) {
  Summary summary;
  summary.memory.known = summary.memory.complete = true;
  summary.memory.fullest = {0};
  EXPECT_THAT(text_of(summary, 80), HasSubstr("  The planner counts no HBM on these devices.\n"));
  EXPECT_THAT(text_of(summary, 80), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace shardstats
