// explain: where a number comes from, as trees of steps. Every formula runs once more in its traced reading
// (planner/trace.h), so a step shows the very expression that verify evaluated.
//
//   HBM of the shard            4,314,645,612 B
//     embedding weights           213,333,504 B   ceil(S * r * c / (R * C)) = ceil(20,480,000,000 * ...)
//     optimizer state               1,666,668 B   ceil(t * m)
//     input and output ...      4,099,645,440 B   I + O
//
// Invariant: the children of a sum add up to it, in nominal values and in bounds; what is not explained is a step of
// its own. The sum of bounds may be wider than what is printed of it allows: `narrowed` is of the same nominal value.
// Tested by tests/analysis/explain_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/infer/plan.h"

namespace shardstats {

// A value as printed text says it (nominal) and the bounds that the rounding of the text leaves.
struct Amount {
  double nominal = 0;
  RealInterval bounds{};
  std::string_view unit;  // "bytes", "percent", "" for a pure number
};

// A leaf of an expression: what was put in, and where it is from.
struct Operand {
  std::string symbol, label;  // "W", "world size"
  Amount value;
  Origin origin = Origin::log;
  Cell printed{};               // the cell it was read from; empty if it is not printed
  std::string note;             // what it was inferred from, or what else is possible
  std::optional<Amount> was{};  // of a changed plan: its value in the log, where that is another
};

struct Step {
  std::string label;
  Amount value;
  std::string_view formula;             // id of planner/formulas.h; empty for a plain value
  std::string expression, substituted;  // "ceil(x * W * 8)", "ceil(161,760 * 96 * 8)"
  Origin origin = Origin::inferred;
  bool sum = false;           // the children add up to it
  bool is_common = false;     // all ranks have the same of it, so that it does not follow what one of them prints
  double share_of_total = 0;  // of the sum it belongs to (of its shard below a shard), 1 is all of it; 0: none
  std::vector<Operand> operands;
  std::optional<Cell> printed;  // the printed number that this is, or is compared with
  std::vector<Step> children;
  std::string note;
  std::optional<Amount> was{};       // as of an operand
  std::optional<Amount> narrowed{};  // what the printed numbers leave of `value`, where its bounds are wider
};

// One row of the component table: the largest shard, all shards, share of all. Bytes.
struct ComponentRow {
  std::string label;
  double per_shard = 0, total = 0, percent = 0;
};

struct Explained {
  std::string target;                // as it was found: an FQN, "rank:43", ...
  std::string kind;                  // "table", "rank", "table@rank", "kernel", "plan", "assumption", "line"
  std::vector<std::string> facts{};  // one-line statements before the steps
  std::vector<Step> steps{};
  std::vector<ComponentRow> components{};
  std::vector<std::string> notes{};  // where documentation and source disagree, what cannot be known
};

struct UnknownTarget {
  std::string message;
  std::vector<std::string> nearest;
};

// `target`: a table (FQN, its last part, a glob), "rank:43", "table:NAME@rank:43", "kernel:fused", "plan",
// "assumption:NAME", or the rule id of a printed line ("imbalance.hbm.kl", "tiers.2", "critical_path.comms"). One entry
// for each table that matches. Texts point into the log.
// `options`: those that `plan` was inferred with.
std::variant<std::vector<Explained>, UnknownTarget> explain(const PrintedPlan& printed, const Plan& plan,
                                                            std::string_view target, const InferOptions& options = {});

struct ExplainedTable {
  std::uint32_t table = 0;  // index into Plan::tables
  Explained explained;
};
// The `count` tables with the most HBM, largest first.
std::vector<ExplainedTable> explain_largest(const PrintedPlan& printed, const Plan& plan, std::size_t count,
                                            const InferOptions& options = {});

}  // namespace shardstats
