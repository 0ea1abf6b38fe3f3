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

TEST(StashText, WhatMayFitIsNotSaidNotToFit) {
  StashPlan plan;
  plan.ranks = {dense_peak()};
  plan.ranks[0].may_fit = {{{0, "ebc.table_7", {kGiB, 2 * kGiB}}, "table_7", true}};
  EXPECT_THAT(stash_text(plan), HasSubstr("  table_7 may fit into the window: the log leaves its element size open "
                                          "(1.000..2.000 GiB of weights; --assume table_7.dtype=TYPE says it)"));
  plan.ranks[0].may_fit.push_back({{1, "ebc.table_8", {1, 2}}, "table_8", true});
  plan.ranks[0].may_fit[0].element_size = false;
  EXPECT_THAT(stash_text(plan),
              HasSubstr("  2 more tables may fit into the window, such as table_7: the log leaves its "
                        "bytes open (1.000..2.000 GiB of weights)"));
  plan.ranks[0].may_fit = {{{0, "ebc.table_7", exactly(kGiB)}, "table_7", false}};
  EXPECT_THAT(stash_text(plan), HasSubstr("  table_7 may fit into the window: the log leaves the bytes of what is "
                                          "stashed open"));
  EXPECT_THAT(stash_text(plan), Not(HasSubstr("no further table")));
}

}  // namespace
}  // namespace shardstats
