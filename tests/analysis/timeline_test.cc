#include "shardstats/analysis/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logs.h"
#include "small_plan.h"

namespace shardstats {
namespace {

constexpr std::int64_t kActivations = 1'000'000;

Timeline small_timeline(const Plan& plan, const Filter& filter = {}) {
  return timeline_of(plan, filter, {kActivations});
}

// Upper bounds; the lower ones are at most two bytes below, since O is rounded up to whole bytes.
std::vector<std::int64_t> memory(const RankTimeline& rank) {
  std::vector<std::int64_t> bytes;
  for (const PhaseMemory& phase : rank.phases) {
    EXPECT_LE(phase.held.width(), 2);
    bytes.push_back(phase.held.high);
  }
  return bytes;
}

// small_plan.h has the sizes. On rank 0 always: weights 3,200 + 64, state 100, dense 600, KJT 20: 3,984. Received: the
// outputs of table 0 for half of the world's batches, 400 / 2, and of table 1 for its parts' sums, 100 / 2: 250.
TEST(Timeline, OfASmallPlanByHand) {
  const Timeline timeline = small_timeline(small_plan());
  EXPECT_EQ(timeline.unknown, "");
  ASSERT_EQ(timeline.ranks.size(), 2U);
  const RankTimeline& rank = timeline.ranks[0];
  EXPECT_EQ(rank.of(Buffer::weights), exactly<std::int64_t>(3264));
  EXPECT_EQ(rank.of(Buffer::received), (ByteInterval{249, 250}));
  EXPECT_THAT(memory(rank), testing::ElementsAre(3984 + 50,                                 // input
                                                 3984 + 50 + 500 + 30,                      // and lookup output
                                                 3984 + 50 + 500 + 30 + 250,                // and received output
                                                 3984 + 50 + 30 + 250 + 1'000'000,          // activations
                                                 3984 + 50 + 30 * 2 + 250 * 2 + 1'000'000,  // and gradients
                                                 3984 + 50 + 30 + 250 + 500,                // gradient dist
                                                 3984 + 50 + 30 + 500 + 64,                 // of the DP weights, too
                                                 3984 + 64));
  EXPECT_EQ(rank.peak.high, 1'004'594);
  EXPECT_EQ(rank.peak_phase, Phase::dense_backward);
  EXPECT_EQ(rank.planner, exactly<std::int64_t>(3984 + 580));
  std::int64_t difference = 0;
  for (const Difference& part : rank.difference) difference += part.bytes.high;
  EXPECT_EQ(rank.planner.high + difference, rank.peak.high);
}

TEST(Timeline, SplitsWhatTheHeuristicalPolicyReservesForDenseModules) {
  Plan plan = small_plan();
  plan.dense_hbm = {599, 613};
  const RankTimeline rank = small_timeline(plan).ranks[0];
  EXPECT_EQ(rank.of(Buffer::dense_parameters), (ByteInterval{99, 102}));
  EXPECT_EQ(rank.of(Buffer::dense_optimizer), (ByteInterval{200, 204}));
  EXPECT_EQ(rank.of(Buffer::dense_ddp), (ByteInterval{300, 307}));
  plan.policy = Policy::fixed_percentage;
  EXPECT_EQ(small_timeline(plan).ranks[0].of(Buffer::dense), (ByteInterval{599, 613}));
  EXPECT_EQ(small_timeline(plan).ranks[0].of(Buffer::dense_ddp), ByteInterval{});
}

TEST(Timeline, BatchesInFlightAreThoseOfThePipelineType) {
  const struct {
    Pipeline pipeline;
    Release release;
    int batches;
  } cases[] = {{Pipeline::none, Release::v1_4_0, 1},
               {Pipeline::train_base, Release::v1_4_0, 1},
               {Pipeline::train_sparse_dist, Release::v1_4_0, 2},
               {Pipeline::train_prefetch_sparse_dist, Release::v1_4_0, 3},
               {Pipeline::train_sparse_dist, Release::v0_7_0, 1}};  // does not know pipelines
  for (const auto& c : cases) {
    Plan plan = small_plan();
    plan.setting.pipeline = c.pipeline;
    plan.setting.rules = &rules_of(c.release);
    const Timeline timeline = small_timeline(plan);
    EXPECT_EQ(timeline.batches_in_flight, exactly(c.batches));
    EXPECT_EQ(timeline.ranks[0].of(Buffer::later_inputs), exactly<std::int64_t>(50 * (c.batches - 1)));
  }
  Plan plan = small_plan();
  plan.alternatives = {plan.setting};
  plan.alternatives[0].pipeline = Pipeline::train_sparse_dist;
  EXPECT_EQ(small_timeline(plan).batches_in_flight, (Interval<int>{1, 2}));
  EXPECT_EQ(small_timeline(plan).ranks[0].of(Buffer::later_inputs), (ByteInterval{0, 50}));
}

TEST(Timeline, PrefetchedRowsOfCachedTables) {
  Plan plan = small_plan();
  plan.setting.pipeline = Pipeline::train_prefetch_sparse_dist;
  EXPECT_EQ(small_timeline(plan).ranks[0].of(Buffer::prefetched), ByteInterval{});
  plan.tables[0].kernel = find_kernel("fused_uvm_caching");
  plan.tables[0].facts[0].passes = exactly(4.0);
  EXPECT_EQ(small_timeline(plan).ranks[0].of(Buffer::prefetched), exactly<std::int64_t>(75));  // trunc(2.5 * 30)
}

TEST(Timeline, OutputsInAnotherElementSize) {
  Plan plan = small_plan();
  plan.tables[0].choice.output_element_size = 2;  // half of the column's
  const RankTimeline rank = small_timeline(plan).ranks[0];
  EXPECT_EQ(rank.of(Buffer::output), (ByteInterval{100 + 199, 100 + 200}));  // the column is rounded up
}

TEST(Timeline, WithoutWhatItRestsOnThereIsNone) {
  const auto why = [](const auto& change) {
    Plan plan = small_plan();
    change(plan);
    const Timeline timeline = small_timeline(plan);
    EXPECT_TRUE(timeline.ranks.empty());
    return timeline.unknown;
  };
  EXPECT_THAT(why([](Plan& plan) { plan.ranks.clear(); }), testing::HasSubstr("no ranks"));
  // The tables of a proposal that failed may be printed.
  EXPECT_EQ(why([](Plan& plan) {
              plan.ranks.clear();
              plan.empty = true;
            }),
            "the planner found no plan");
  EXPECT_THAT(why([](Plan& plan) { plan.tables[1].sized = false; }), testing::HasSubstr("not every table"));
  EXPECT_THAT(why([](Plan& plan) { plan.missing.emplace(); }), testing::HasSubstr("not every table"));
  EXPECT_THAT(why([](Plan& plan) { plan.setting.device = Device::cpu; }), testing::HasSubstr("cpu has no HBM"));
  EXPECT_THAT(why([](Plan& plan) { plan.setting.inference = true; }), testing::HasSubstr("inference"));
}

TEST(Timeline, OnlyTheRanksAskedFor) {
  const Filter filter = filter_of({.ranks = {"1"}});
  const Timeline timeline = small_timeline(small_plan(), filter);
  ASSERT_EQ(timeline.ranks.size(), 1U);
  EXPECT_EQ(timeline.ranks[0].rank, 1);
}

TEST(Timeline, StashedWeightsAreAwayInTheDensePhases) {
  const RankTimeline before = small_timeline(small_plan()).ranks[0];
  const RankTimeline after = with_stash(before, exactly<std::int64_t>(3000));
  for (std::size_t p = 0; p < kPhases; ++p) {
    const auto phase = static_cast<Phase>(p);
    const bool away = phase == Phase::dense_forward || phase == Phase::dense_backward;
    EXPECT_EQ(after.in(phase).held.low, before.in(phase).held.low - (away ? 3000 : 0)) << name(phase);
  }
  EXPECT_EQ(after.in(Phase::output_dist).released.low, before.in(Phase::output_dist).released.low + 3000);
  EXPECT_EQ(after.in(Phase::gradient_dist).allocated.low, before.in(Phase::gradient_dist).allocated.low + 3000);
  EXPECT_EQ(after.peak.low, before.peak.low - 3000);
}

TEST(Timeline, OverAStepAsMuchIsAllocatedAsReleased) {
  for (const BufferForm& form : buffer_forms()) {
    int allocated = 0, released = 0;
    const auto buffer = static_cast<Buffer>(&form - buffer_forms().data());
    EXPECT_EQ(&form_of(buffer), &form);
    for (std::size_t p = 0; p < kPhases; ++p) {
      allocated += is_allocated(buffer, static_cast<Phase>(p));
      released += is_released(buffer, static_cast<Phase>(p));
    }
    EXPECT_EQ(allocated, released) << form.id;
  }
}

// Of every log: sums, peak and difference hang together.
TEST(Timeline, InvariantsHoldForLogs) {
  std::size_t ranks = 0;
  for (const std::string& log : all_logs()) {
    SCOPED_TRACE(log);
    const Checked checked(log_bytes(log));
    const Timeline timeline = timeline_of(checked.plan, {}, {kActivations});
    for (const RankTimeline& rank : timeline.ranks) {
      ++ranks;
      std::int64_t largest = 0;
      for (std::size_t p = 0; p < kPhases; ++p) {
        ByteInterval sum{};
        for (std::size_t b = 0; b < kBuffers; ++b)
          if (buffer_forms()[b].held.has(static_cast<Phase>(p))) sum = sum + rank.bytes[b];
        const ByteInterval held = rank.phases[p].held;
        EXPECT_LE(sum.low, held.low);
        EXPECT_GE(sum.high, held.high);
        EXPECT_LE(held.low, held.high);
        EXPECT_GE(rank.peak.low, held.low);
        largest = std::max(largest, held.high);
      }
      EXPECT_EQ(rank.peak.high, largest);
      EXPECT_EQ(rank.in(rank.peak_phase).held.high, largest);
      ByteInterval explained = rank.planner;
      for (const Difference& part : rank.difference) explained = explained + part.bytes;
      EXPECT_TRUE(explained.overlaps(rank.in(rank.peak_phase).held));
    }
  }
  EXPECT_GT(ranks, 5U);
}

}  // namespace
}  // namespace shardstats
