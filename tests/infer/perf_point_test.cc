#include "infer/perf_point.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "infer/inference.h"
#include "inferred_log.h"

namespace shardstats::infer_detail {
namespace {

// What is inferred of a log of testdata with other text in one place.
struct Inferred {
  explicit Inferred(std::string_view name, std::string_view from = "", std::string_view to = "")
      : text(test::file_text(test::source_folder() / "testdata" / name)) {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    printed = parse(find_blocks(text).front());
    InferOptions likeliest;
    likeliest.alternatives = false;
    all = run_inference(printed, likeliest);
  }

  const PerfOutcome& best() const { return all.perf_outcomes.front(); }
  bool may_explain(const PerfHypothesis& h) const {
    return PerfPoint(all.inputs, all.perf).may_explain(h, std::vector<std::uint64_t>(all.perf.sharders, kAnyCodecs));
  }
  std::int64_t contradicted(const PerfHypothesis& h, std::int64_t limit = PerfEvaluation::kNoLimit) const {
    return PerfEvaluation(all.inputs, all.perf, true)
        .run(h, std::vector<std::uint64_t>(all.perf.sharders, kAnyCodecs), limit)
        .contradictions;
  }

  static constexpr std::uint64_t kAnyCodecs = (std::uint64_t{1} << kCodecs) - 1;
  std::string text;
  PrintedPlan printed;
  Inference all;
};

// With one number wrong no backward multipliers explain the log, though bounds of them contradict no number.
TEST(PerfPoint, BoundsThatExplainALogNeedValuesThatDo) {
  const Inferred log("edits/v1.7.0-no_values.log", " 44.04 ", " 44.14 ");
  PerfHypothesis h = log.best().hypothesis;
  EXPECT_FALSE(log.may_explain(h));
  h.setting.bandwidths.hbm = {3250 * kBytesPerMs, 3460 * kBytesPerMs};
  h.setting.backward = {1.8, 2.2};
  h.setting.weighted_backward = {0.98, 1.16};
  EXPECT_EQ(log.contradicted(h), 0);
  EXPECT_FALSE(log.may_explain(h));
  const Inferred genuine("edits/v1.7.0-no_values.log");
  h.outcome = genuine.best().hypothesis.outcome;
  EXPECT_TRUE(genuine.may_explain(h));
}

// Wider bounds hold what narrower ones do.
TEST(PerfPoint, FindsValuesInBoundsOfAnyWidth) {
  for (const char* name : {"planner/v1.1.0-multipliers.log", "planner/v1.7.0-two_bandwidths.log",
                           "planner/v0.5.0-own_bandwidths.log", "planner/v0.8.0-link_of_one_table.log"}) {
    const Inferred log(name);
    ASSERT_EQ(log.best().contradictions, 0) << name;
    for (const double by : {1.0, 1.001, 1.05, 2.0}) {
      PerfHypothesis h = log.best().hypothesis;
      const auto widen = [&](RealInterval& value) { value = {value.low / by, value.high * by}; };
      for (const auto b : kBandwidths) widen(h.setting.bandwidths.*b);
      widen(h.setting.backward);
      widen(h.setting.weighted_backward);
      EXPECT_TRUE(log.may_explain(h)) << name << " " << by;
    }
  }
}

// Where one contradicted number is enough, not all tables are looked at.
TEST(PerfEvaluation, SaysWithAnyLimitWhetherANumberIsContradicted) {
  int explained = 0, contradicted = 0;
  for (const char* name : {"planner/v1.1.0-multipliers.log", "planner/v1.7.0-two_bandwidths.log",
                           "planner/v0.5.0-own_bandwidths.log", "edits/v1.7.0-no_values.log"}) {
    const Inferred log(name);
    for (const double by : {0.5, 0.98, 1.0, 1.02, 2.0}) {
      PerfHypothesis h = log.best().hypothesis;
      for (const auto b : kBandwidths) h.setting.bandwidths.*b = h.setting.bandwidths.*b * exactly(by);
      const bool is_contradicted = log.contradicted(h) > 0;
      EXPECT_EQ(log.contradicted(h, 1) > 0, is_contradicted) << name << " " << by;
      ++(is_contradicted ? contradicted : explained);
    }
  }
  EXPECT_GT(explained, 0);
  EXPECT_GT(contradicted, 0);
}

}  // namespace
}  // namespace shardstats::infer_detail
