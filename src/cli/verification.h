// How far inference goes on one planner block until it can be said which of its numbers are wrong, and which these are.
#pragma once

#include <memory>
#include <vector>

#include "shardstats/analysis/verify.h"
#include "shardstats/infer/overrides.h"
#include "shardstats/infer/plan.h"

namespace shardstats::cli {

// Inference as `verify` needs it: the likeliest explanation, without what it does not show.
InferOptions likeliest(const std::vector<Override>& assumed);

// What `verify` says of a block, whatever the command is.
class Verification {
 public:
  // Takes the first look, with one dtype and default bandwidths; `printed` has to outlive it.
  Verification(const PrintedPlan& printed, const std::vector<Override>& assumed, bool keep_precedent);

  // For commands that show bounds over all that explains the log: where verify takes a number for wrong, values of
  // single tables would explain that away.
  Effort effort() const { return effort_; }
  // Looks on until all that is wrong is counted; afterwards once, if it is shown, where that comes from.
  void finish();
  void find_suspects();

  std::unique_ptr<Plan> plan;
  Report report;

 private:
  void look_exhaustively();
  bool take_alternative();
  bool deny_by_bounds();
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

}  // namespace shardstats::cli
