// What every rank holds and takes, as it was rebuilt or, where that is contradicted, as it is printed.
#include <algorithm>

#include "analysis/checks.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

// Where the formulas contradict many ranks, nothing explains them: then the printed cells stand for themselves.
template <class Contradicted>
bool trusted(const Plan& plan, Contradicted contradicted) {
  const auto wrong = std::ranges::count_if(plan.ranks, contradicted);
  return static_cast<std::size_t>(wrong) <= plan.ranks.size() / 4 + 1;
}

// A number of a rank, as it was rebuilt and as it is printed.
struct RankNumber {
  RealInterval rebuilt{};
  bool known = false, contradicted = false;  // of what was rebuilt
  const Cell& cell;
  Format format;
  std::string_view unit;
};
// Either of two that disagree may be right, unless so many do that nothing that was rebuilt is `trusted`.
RealInterval value_of(const RankNumber& number, bool trusted) {
  constexpr double kOpen = 0.01;  // relative: what is printed says no more of a number that is known better
  const bool is_right = trusted && number.known && !number.contradicted;
  if (is_right && number.rebuilt.width() <= kOpen * number.rebuilt.high) return number.rebuilt;
  const RealInterval printed = printed_or_anything(number.cell, number.format, number.unit);
  if (is_right) return narrowed(number.rebuilt, printed);
  return trusted && number.known ? hull(number.rebuilt, printed) : printed;
}

// Not where a log was cut off on the right, before the memory or perf of its ranks.
bool has_rank_values(const PrintedPlan& printed, const Plan& plan) {
  const auto perf = [](const PrintedRank& row) { return row.perf.total; };
  const bool memory =
      plan.sized || (some_rank_prints(printed, &PrintedRank::hbm) && some_rank_prints(printed, &PrintedRank::ddr));
  return memory && (plan.perf.known || some_rank_prints(printed, perf));
}

bool lacks_memory(const PlanRank& rank) { return !rank.expected_hbm.known || !rank.expected_ddr.known; }

// So that what lies on a rank is their sum, whatever can be read of its row.
bool has_all_shards(const Plan& plan) {
  return plan.sized && !plan.missing && std::ranges::all_of(plan.tables, &PlanTable::sized) &&
         std::ranges::all_of(plan.shards, [](const PlanShard& shard) { return shard.rank.has_value(); });
}

}  // namespace

RankValues rank_values(const PrintedPlan& printed, const Plan& plan) {
  RankValues values;
  const auto& rows = printed.ranks.rows;
  const auto& ranks = plan.ranks;
  if (rows.empty() || rows.size() != ranks.size() || !has_rank_values(printed, plan)) return values;
  const bool hbm = trusted(plan, [](const PlanRank& r) { return r.expected_hbm.contradicted; });
  const bool ddr = trusted(plan, [](const PlanRank& r) { return r.expected_ddr.contradicted; });
  // What no rank prints confirms nothing that was rebuilt.
  const bool perf = trusted(plan, [](const PlanRank& r) { return r.expected_perf.contradicted != 0; }) &&
                    some_rank_prints(printed, [](const PrintedRank& row) { return row.perf.total; });
  const Format memory = printed.format_of(RoundedNumbers::rank_memory);
  values.sparse_known = hbm && plan.sized;
  const bool all_sized = std::ranges::any_of(ranks, lacks_memory) && has_all_shards(plan);
  for (auto& of_quantity : values.of) of_quantity.reserve(rows.size());
  const auto add = [&](Quantity quantity, RealInterval value) {
    values.of[static_cast<std::size_t>(quantity)].push_back(value);
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const PlanRank& rank = ranks[r];
    const bool is_known = rows[r].lost ? rank.known : rank_number(rows[r]) == static_cast<int>(r);
    if (!is_known) return values;
    // Also of a rank whose cell cannot be read, so that nothing was compared.
    const auto bytes = [&](ByteInterval rebuilt, const Expectation& expected, const Cell& cell) {
      return RankNumber{real(rebuilt), expected.known || all_sized, expected.contradicted, cell, memory, "bytes"};
    };
    const auto ms = [&](RealInterval rebuilt, const Cell& cell, Format format) {
      const PerfExpectation& expected = rank.expected_perf;
      return RankNumber{rebuilt, expected.known, expected.contradicted != 0, cell, format, "ms"};
    };
    add(Quantity::hbm, value_of(bytes(rank.hbm, rank.expected_hbm, rows[r].hbm), hbm));
    add(Quantity::ddr, value_of(bytes(rank.ddr, rank.expected_ddr, rows[r].ddr), ddr));
    add(Quantity::sparse_hbm, real(rank.sparse_hbm));
    const PrintedPerf& cells = rows[r].perf;
    add(Quantity::perf, value_of(ms(rank.perf.total, cells.total, printed.format_of(RoundedNumbers::rank_perf)), perf));
    for (std::size_t p = 0; p < kPerfParts; ++p)
      add(quantity_of(static_cast<PerfPart>(p)),
          value_of(ms(rank.perf.parts[p], cells.components[p], Format::c1), perf));
    const bool bounded = rank.expected_hbm.known || all_sized || printed_bounds(rows[r].hbm, memory, "bytes");
    values.sparse_known &= bounded && !rank.expected_hbm.contradicted;
  }
  values.known = true;
  return values;
}

}  // namespace shardstats::analysis
