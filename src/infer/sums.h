// The printed sums of a plan (rank columns, kernel lines) against what its tables add up to under one hypothesis.
// Removes options of tables that no sum allows. Private to src/infer.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/match_output.h"
#include "infer/shard_totals.h"
#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {

class Sums {
 public:
  // The sums of outcome.lines, each with what was found out about it in outcome.sums.
  Sums(const PlanInputs& plan, Outcome& outcome)
      : plan_(plan), outcome_(outcome), lines_(*outcome.lines), bounds_(plan, outcome) {}

  // Compares every sum with what is printed; where a table has several options left, removes those that no sum allows.
  // `known`: assignments that are tried before others are looked for.
  void settle(const Assignments* known = nullptr);
  // The same where no table has a choice; false: the outcome costs more than `limit`, and is left unfinished.
  bool settle_within(std::int64_t limit);

  bool has_removed_options() const { return has_removed_options_; }
  const SumBounds& bounds() const { return bounds_; }

 private:
  using Part = SumLines::Part;

  void prune_all();
  bool check_all();
  bool check(SumLine& line, ShardTotals& totals);
  bool prune(SumLine& line, RealInterval& total, Part part);
  void match_outputs(const Assignments* known);
  void keep_elements(std::uint32_t t, std::uint32_t elements);
  void changed(std::uint32_t t);
  std::int64_t contradict_unequal_ranks();
  bool has_known_shards(const SumLine& line) const;

  const PlanInputs& plan_;
  Outcome& outcome_;
  const SumLines& lines_;
  SumBounds bounds_;
  bool open_ = false;             // some table had several options left when comparing began
  std::uint32_t any_differ_ = 0;  // in which quantities those of some table differed
  bool has_removed_options_ = false;
  std::vector<bool> stale_;  // lines that have changed since they were compared
};

}  // namespace shardstats::infer_detail
