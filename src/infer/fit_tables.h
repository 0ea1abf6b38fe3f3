// The tables that a fit looks at, with the codecs that it takes for them. Private to src/infer.
#pragma once

#include <vector>

#include "infer/fitted_values.h"

namespace shardstats::infer_detail {

// The likeliest option of each table; found once for all fits of a hypothesis.
class LikeliestOptions {
 public:
  LikeliestOptions(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf)
      : h_(h), plan_(plan), perf_(perf), known_(perf.tables.size()) {}
  // Null: the table has none.
  const PerfOption* of(std::uint32_t t);

 private:
  struct Known {
    bool asked = false, any = false;
    PerfOption option{};
  };

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  std::vector<Known> known_;  // by table
};

// Tables that fits look at, whatever codecs they take: all known ones, or some of each sharder.
struct Sample {
  static Sample all_of(const PerfInputs& perf);
  static Sample some_of_each_sharder(const PerfInputs& perf);
  // Those that take longest: their numbers have the most digits.
  static Sample longest_of_each_sharding(const PlanInputs& plan, const PerfInputs& perf);

  bool all = true;                    // of every sharder
  std::vector<std::uint32_t> tables;  // in their order
};

struct FitTables {
  FitTables(const PerfHypothesis& hypothesis, const PlanInputs& plan_inputs, const PerfInputs& perf_inputs,
            const std::vector<std::size_t>& codecs_by_sharder, const Sample& sample, bool is_rough,
            LikeliestOptions& likeliest_options);

  bool forward_only(std::uint32_t t) const;
  std::size_t codec_of(std::uint32_t t) const { return codecs[perf.tables[t].sharder]; }
  PerfFacts<RealInterval> facts(std::uint32_t t, PerfOption option) const {
    return perf_facts(h, plan, perf, t, option, codec_table()[codec_of(t)]);
  }

  const PerfHypothesis& h;
  const PlanInputs& plan;
  const PerfInputs& perf;
  const std::vector<std::size_t>& codecs;  // by sharder
  LikeliestOptions& options;
  std::vector<std::uint32_t> fitted;  // tables
  std::vector<bool> is_fitted;        // by table
  bool all;                           // of every sharder
  bool rough;                         // only the number of contradictions is asked for
};

// A cached kernel's bandwidth is a mix of two, so that its perf is not linear in their reciprocals.
bool mixes_memories(const TableInputs& table);

inline constexpr RealInterval kAnyReciprocal{1e-15, 1};  // ms per byte: slower and faster than any memory
inline constexpr double kNarrow = 0.02;  // relative width from which a default in the bounds is taken for it

inline RealInterval reciprocal(RealInterval x) { return {1 / x.high, 1 / x.low}; }

}  // namespace shardstats::infer_detail
