#include "shardstats/report/stash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shardstats/report/text.h"

namespace shardstats {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string stash_text(const StashPlan& plan) {
  std::string text;
  write_stash(plan, 5, {.width = 200, .ascii = true}, text);
  return text;
}

RankStash dense_peak() {
  RankStash rank;
  rank.before.peak_phase = rank.after.peak_phase = Phase::dense_backward;
  rank.candidates = 2;
  rank.candidate_bytes = {300, 500};
  return rank;
}

TEST(StashText, ChartsSayWhatTheirColumnsAre) {
  StashPlan plan;
  RankStash rank = dense_peak();
  rank.tables.push_back({});
  rank.before.phases[0].allocated = rank.before.phases[0].released = {2, 3};
  plan.ranks = {rank};
  const std::string text = stash_text(plan);
  EXPECT_THAT(text, testing::ContainsRegex("\n  before +memory +at start +at end\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  1 input dist +0 B +\\+2\\.\\.\\+3 B +-3\\.\\.-2 B\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  after +memory +at start +at end\n"));
}

TEST(StashText, OneRankFits) {
  StashPlan plan;
  plan.options.target = 1000;
  plan.ranks = {dense_peak(), dense_peak(), dense_peak()};
  plan.fits = {1, 2, 0};
  EXPECT_THAT(stash_text(plan), HasSubstr("1 rank fits, 2 ranks do not fit"));
  plan.fits = {2, 1, 0};
  EXPECT_THAT(stash_text(plan), HasSubstr("2 ranks fit, 1 rank does not fit"));
}

// Weights that may be none are not chosen, however long the window is.
TEST(StashText, OnlyWhatIsTooLongForTheWindowDoesNotFitIntoIt) {
  StashPlan plan;
  plan.ranks = {dense_peak()};
  EXPECT_THAT(stash_text(plan), HasSubstr("no further table fits into the window"));
  plan.ranks[0].candidate_bytes.low = 0;
  EXPECT_THAT(stash_text(plan), Not(HasSubstr("fits into the window")));
  EXPECT_THAT(stash_text(plan), HasSubstr("its other tables may have no weights in HBM"));
}

}  // namespace
}  // namespace shardstats
