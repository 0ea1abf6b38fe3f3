// The columns of the rank table that count bytes: where the records of a log and of its plan have each of them. Private
// to src/analysis.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shardstats/analysis/rules.h"
#include "shardstats/infer/plan.h"
#include "shardstats/infer/plan_growth.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {

struct ByteColumn {
  std::string_view name;        // "hbm"
  std::string_view what, unit;  // "HBM", " GB": as messages say it
  RuleId rule;
  std::int64_t unit_bytes;
  RoundedNumbers numbers;
  Cell PrintedRank::*cell;
  ByteInterval PlanRank::*bytes;
  Expectation PlanRank::*expected;
  Expectation PlanTotals::*expected_total;
  ByteInterval ShardSizes::*shard;
  RealInterval PlanGrowth::OfRank::*growth;

  // nullopt: no such number.
  std::optional<ByteInterval> printed_in(const PrintedPlan& printed, const PrintedRank& row) const {
    return bytes_printed_as((row.*cell).text, printed.format_of(numbers), unit_bytes);
  }
};

inline constexpr std::array kByteColumns = {
    ByteColumn{"hbm", "HBM", " GB", RuleId::rank_hbm, kGiB, RoundedNumbers::rank_memory, &PrintedRank::hbm,
               &PlanRank::hbm, &PlanRank::expected_hbm, &PlanTotals::hbm, &ShardSizes::hbm, &PlanGrowth::OfRank::hbm},
    ByteColumn{"ddr", "DDR", " GB", RuleId::rank_ddr, kGiB, RoundedNumbers::rank_memory, &PrintedRank::ddr,
               &PlanRank::ddr, &PlanRank::expected_ddr, &PlanTotals::ddr, &ShardSizes::ddr, &PlanGrowth::OfRank::ddr},
    ByteColumn{"input", "Input", " MB", RuleId::rank_input, kMiB, RoundedNumbers::rank_input, &PrintedRank::input,
               &PlanRank::input, &PlanRank::expected_input, &PlanTotals::input, &ShardSizes::input,
               &PlanGrowth::OfRank::input},
    ByteColumn{"output", "Output", " MB", RuleId::rank_output, kMiB, RoundedNumbers::rank_output, &PrintedRank::output,
               &PlanRank::output, &PlanRank::expected_output, &PlanTotals::output, &ShardSizes::output,
               &PlanGrowth::OfRank::output},
};
inline constexpr const ByteColumn &kRankHbm = kByteColumns[0], &kRankDdr = kByteColumns[1],
                                  &kRankInput = kByteColumns[2], &kRankOutput = kByteColumns[3];

}  // namespace shardstats::analysis
