// Precedent: what the search found out about one block, for blocks that print the same tables once more. Ranks of one
// job log the same plan, and later plans of a job have its tables: a hypothesis that explained one block completely is
// looked at first for the next, which saves the search.
//
//   infer(first, {.keep_precedent = true}) -> Plan::precedent
//   infer_like(*precedent, next)           -> Plan, or nothing if any printed number contradicts the precedent
//
// Every number of the next block is computed and compared anew, by the rules of the search; only other hypotheses are
// not looked for, and the numbers that speak against those are taken over (Assumption::support). Tested by
// tests/infer/precedent_test.cc and tests/cli/edits_test.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "shardstats/infer/plan.h"

namespace shardstats {

// Equal for blocks of the same layout, number of ranks, tables, kernels and sharders, whatever their numbers, sharding
// types and places are. Others are seldom equal, and then explain nothing.
std::uint64_t precedent_key(const PrintedPlan& printed);

// Holds no reference to the block it comes from.
class Precedent;

// The plan by the hypotheses of the precedent, which nothing printed contradicts; nullopt if something does. Options
// are those of the precedent's inference.
std::optional<Plan> infer_like(const Precedent& precedent, const PrintedPlan& printed, const InferOptions& options);

}  // namespace shardstats
