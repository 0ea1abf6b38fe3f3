// Verification: how far inference goes on one planner block until it can be said which of its numbers are wrong, and
// which these are. It finds what `shardstats verify` does; infer() and verify() alone report numbers that a longer
// search explains, and explain away others that are wrong.
//
//   PrintedPlan --Verification, finish(), find_suspects()--> Plan + Report
//
// What cannot be explained is a finding, never an exception. Tested by tests/analysis/verification_test.cc.
#pragma once

#include <memory>
#include <vector>

#include "shardstats/analysis/verify.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

// Options of infer() and infer_like() as `verify` needs them: the likeliest explanation, without what it does not show.
InferOptions likeliest_only(const std::vector<Override>& assumed);

class Verification {
 public:
  // Takes the first look, with one dtype and default bandwidths; `printed` has to outlive it. `keep_precedent`: for
  // infer_like() on later blocks, see Plan::precedent.
  explicit Verification(const PrintedPlan& printed, const std::vector<Override>& assumed = {},
                        bool keep_precedent = false);

  // For commands that show bounds over all that explains the log: where verify takes a number for wrong, values of
  // single tables would explain that away.
  Effort effort() const { return effort_; }
  // Looks on until all that is wrong is counted; afterwards once, if it is shown, where that comes from.
  void finish();
  void find_suspects();

  std::unique_ptr<Plan> plan;  // that the report rests on; never null
  Report report;

 private:
  void look_exhaustively();
  bool take_alternative();
  bool deny_by_bounds();
  void blame_one_cell();
  void expect_what_shards_give(const PrintedPlan& corrected, Plan& of_corrected) const;
  InferOptions with_alternatives() const;
  template <class IsWanted>
  bool replace_by_alternatives(const IsWanted& is_wanted);
  template <class IsWanted>
  bool replace_by(const InferOptions& look, const IsWanted& is_wanted);

  const PrintedPlan& printed_;
  const InferOptions assumed_;
  const bool keep_precedent_;
  Effort effort_ = Effort::exhaustive;
  bool settled_ = false;       // a longer search would say the same, or explain away a wrong word or number
  bool has_suspects_ = false;  // since the first look
};

}  // namespace shardstats
