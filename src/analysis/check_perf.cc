// Checks of the perf cells of both tables (log-format.md sections 3.2 and 3.4; perf-model.md).
#include <algorithm>
#include <optional>

#include "analysis/checks.h"

namespace shardstats::analysis {
namespace {

constexpr std::array<std::string_view, kPerfParts> kWords = {"Forward compute", "Forward comms", "Backward compute",
                                                             "Backward comms", "Prefetch compute"};

// Calls add(cell, part, expected) for each printed number of the cell that is contradicted; part kPerfParts: the total.
template <class Add>
void each_wrong(const PrintedPerf& printed, Format total, const PerfExpectation& perf, Add add) {
  if (perf.contradicted == 0) return;
  for (std::size_t p = 0; p < printed.count; ++p)
    if ((perf.contradicted >> p & 1) != 0)
      add(printed.components[p], p, expected_value(perf.expected.parts[p], Format::c1, "ms"));
  if ((perf.contradicted >> kPerfParts & 1) != 0)
    add(printed.total, kPerfParts, expected_value(perf.expected.total, total, "ms"));
}

// A rank is wrong whose tables leave room for all that is missing, so that nothing else shows it; or the perf of a
// table is, whose hidden width of column blocks fits that as well as the right one.
void check_total(Checks& checks) {
  const std::optional<RealInterval>& expected = checks.plan.all_ranks.perf;
  const auto& rows = checks.printed.ranks.rows;
  if (!expected || rows.empty()) return;
  RealInterval printed{};
  for (const PlanRank& rank : checks.plan.ranks) printed = printed + rank.perf.total;
  const double missing = apart(printed, *expected);
  const auto has_room = [&](const PrintedRank& row) {
    const PlanRank* rank = checks.plan_rank(rank_number(row));
    return rank != nullptr && rank->expected_perf.expected.total.width() >= missing;
  };
  const auto found = std::ranges::find_if(rows, has_room);
  const PrintedRank& row = found == rows.end() ? rows.front() : *found;
  Finding& finding = checks.add_rank(RuleId::rank_perf, row.perf.total, rank_number(row));
  const std::string total = expected_value(*expected, Format::r3, "ms").text;
  finding.message = does_not_add_up("Perf", rows.size(), total, " ms", "rank or table");
}

std::string part_of(std::size_t part, std::string_view whose) {
  std::string text(part < kPerfParts ? kWords[part] : "Perf");
  return text.append(" of ").append(whose);
}

}  // namespace

void check_perf_of_table(Checks& checks, std::size_t i, const PerfExpectation& perf) {
  const PrintedTable& row = checks.printed.tables.rows[i];
  const Format format = checks.printed.format_of(RoundedNumbers::table_perf);
  each_wrong(row.perf, format, perf, [&](const Cell& cell, std::size_t part, Expected expected) {
    const auto rule = static_cast<RuleId>(static_cast<std::size_t>(RuleId::table_perf_fwd_compute) + part);
    set_expected(checks.add_table(rule, cell, i), part_of(part, row.fqn.text), std::move(expected));
  });
}

void check_perf_of_ranks(Checks& checks) {
  const Format of_ranks = checks.printed.format_of(RoundedNumbers::rank_perf);
  check_total(checks);
  for (const PrintedRank& row : checks.printed.ranks.rows) {
    const int rank = rank_number(row);
    const PlanRank* plan = checks.plan_rank(rank);
    if (plan == nullptr) continue;
    each_wrong(row.perf, of_ranks, plan->expected_perf, [&](const Cell& cell, std::size_t part, Expected expected) {
      set_expected(checks.add_rank(RuleId::rank_perf, cell, rank), part_of(part, "rank " + std::to_string(rank)),
                   std::move(expected));
    });
  }
}

}  // namespace shardstats::analysis
