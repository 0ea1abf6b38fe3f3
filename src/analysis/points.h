// One value for each rank within the bounds of a plan: what a print of the plan shows. Private to src/analysis.
// Tested by tests/analysis/changed_print_test.cc.
#pragma once

#include "analysis/statistics.h"

namespace shardstats::analysis {

// The middle; a bound at zero is the value itself where all values print as zero.
double point(ByteInterval bytes);
// Bytes of all shards of the table; `expected`: bounds of their sum.
double bytes_of(const Plan& plan, const PlanTable& table, ByteInterval ShardSizes::*field, const Expectation& expected);

// The middle of the bounds, exactly, with as much dense and KJT storage on each rank; values that differ by rounding
// alone become equal.
RankValues middle_values(const Plan& plan);
// The same, moved to where the printed maxima demand.
RankValues printed_values(const PrintedPlan& printed, const Plan& plan);
// Those of a changed plan: of the base where the bounds of a rank stayed, else the middle.
RankValues changed_values(const Plan& changed, const Plan& base, const RankValues& of_base);

}  // namespace shardstats::analysis
