// One planner block, from its lines to what the command wants to know of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/options.h"
#include "cli/precedents.h"
#include "cli/writer.h"
#include "shardstats/analysis/filter.h"
#include "shardstats/analysis/verification.h"
#include "shardstats/infer/what_if.h"
#include "shardstats/input/blocks.h"

namespace shardstats::cli {

struct Examined {
  std::unique_ptr<PrintedPlan> printed;  // `result` points into these two
  std::unique_ptr<Plan> plan;
  std::unique_ptr<ChangedPlan> changed;  // whatif: `result` points into this one
  BlockResult result;
  FindingCounts findings;          // of verify, whatever the command is; of others with --quiet not counted
  std::int64_t beyond_bounds = 0;  // printed numbers that are, over all that explains the log: verify may allow them
  Place first_beyond;              // of these
  bool is_newer = false;       // by verify's warnings the layout is of no known release; only set where that is told
  std::string unknown_target;  // not empty: the TARGET of explain is not in this block
  std::string refused;         // not empty: why there is no answer
  bool too_large = false;      // to be rendered
};

// Answers the command for one block. Thread-safe: reads its arguments only, but for `turn`.
Examined examine(const Options& options, const Filter& filter, const Block& block, const BlockPlace& place,
                 Precedents::Turn& turn);

// What `verify` finds in the block, unless that is to be told to no one (--quiet).
Verification errors_of_verify(const Options& options, Examined& examined);
// Counts the printed numbers that lie beyond `plan`, whose bounds are over all that explains the log; not where the
// findings of verify are errors anyway.
void compare_with_bounds(const Options& options, const Plan& plan, Examined& examined);

// Why no release can have printed the block with what --assume says; empty: one can. `plan`: inferred with it.
std::string wrong_assumptions(const Options& options, const PrintedPlan& printed, const Plan& plan);

// Of a block that render() gives up.
Error too_large(const std::string& path, const Place& block);

// "no table 'tabel_1' in this block; did you mean 'table_1'?"
std::string message_of(const UnknownTarget& unknown);

// Says on standard error that verify would find errors in this block, what no known release prints, or which option the
// log denies; not with --quiet.
void warn_of_errors(const Options& options, const std::string& path, const Examined& examined);

}  // namespace shardstats::cli
