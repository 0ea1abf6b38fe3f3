// Turns the surviving outcomes into shards, tables, ranks and kernels: the hull over all of them. Private to src/infer.
#pragma once

#include "infer/search.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

ByteInterval whole_bytes(RealInterval x);

// Every survivor's bounds tightened by the printed cells: numbers of ids, caching ratios.
void narrow_hidden(const PlanInputs& plan, Outcome& outcome);

// The option of a table that departs least from the plan-wide values: an index into its options.
std::size_t preferred_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t);

// Fills in what is taken to be hidden about a table, the alternatives to that, and the facts behind both.
void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
            PlanTable& table);

// `options`: shard_parts and alternatives.
void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result);

}  // namespace shardstats::infer_detail
