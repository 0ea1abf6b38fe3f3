// Checks of the rank table's rows that are sums over shards (log-format.md sections 3.2 and 6.3).
#include <algorithm>
#include <array>

#include "analysis/byte_columns.h"
#include "analysis/checks.h"
#include "shardstats/limits.h"

namespace shardstats::analysis {
namespace {

std::string of_rank(std::string_view what, int rank) { return std::string(what) + " of rank " + std::to_string(rank); }

void check_sums(Checks& checks, const PrintedRank& row, int rank) {
  const PlanRank* plan = checks.plan_rank(rank);
  if (!plan) return;
  for (const ByteColumn& column : kByteColumns) {
    const Cell& cell = row.*column.cell;
    const Expectation& expectation = plan->*column.expected;
    if (!cell || !expectation.known || !expectation.contradicted) continue;
    set_expected(checks.add_rank(column.rule, cell, rank), of_rank(column.what, rank), column.unit,
                 expected_bytes(expectation.bytes, checks.printed.format_of(column.numbers), column.unit_bytes));
  }
}

// One of the ranks is wrong, though no rank by itself shows it.
void check_totals(Checks& checks) {
  const auto& rows = checks.printed.ranks.rows;
  for (const ByteColumn& column : kByteColumns) {
    const Expectation& expectation = checks.plan.all_ranks.*column.expected_total;
    const auto row =
        std::ranges::find_if(rows, [&](const PrintedRank& r) { return static_cast<bool>(r.*column.cell); });
    if (!expectation.contradicted || row == rows.end()) continue;
    Finding& finding = checks.add_rank(column.rule, (*row).*column.cell, rank_number(*row));
    const std::string total = expected_bytes(expectation.bytes, Format::r3, column.unit_bytes).text;
    finding.message = does_not_add_up(column.what, rows.size(), total, column.unit, "rank");
  }
}

void add_wrong_count(Checks& checks, const Cell& where, int rank, std::string_view type, std::string_view printed,
                     std::int64_t expected) {
  Finding& finding = checks.add_rank(RuleId::rank_shards, where, rank);
  finding.expected = expected_count(expected);
  finding.message = of_rank(std::string(type) + " shards", rank) + " are " + std::string(printed) +
                    ", the Ranks of all tables give " + finding.expected->text;
}

void check_shards(Checks& checks, const PrintedRank& row, const std::vector<ShardCount>& printed_counts, int rank,
                  const ShardsByType& counts) {
  if (row.shards.text.data() == nullptr) return;  // lost with its part of the row, which is reported; not empty
  ShardsByType left = counts;
  for (const ShardCount& pair : printed_counts) {
    const auto sharding = parse_name<Sharding>(pair.type.text, kShardingNames);
    const auto printed = parse_integer(pair.count.text);
    const std::int64_t expected = sharding ? counts[static_cast<std::size_t>(*sharding)] : 0;
    if (sharding) left[static_cast<std::size_t>(*sharding)] = 0;
    if (printed && *printed != expected)
      add_wrong_count(checks, in_log(checks.printed, pair.count), rank, pair.type.text, pair.count.text, expected);
  }
  for (std::size_t type = 0; type < left.size(); ++type)
    if (left[type] != 0) add_wrong_count(checks, row.shards, rank, kShardingNames[type], "not printed", left[type]);
}

}  // namespace

Cell in_log(const PrintedPlan& printed, Cell part) {
  if (const auto& mended = printed.transcript)
    part.place = mended->place_of(static_cast<std::size_t>(part.text.data() - mended->text().data()));
  return part;
}

int rank_number(const PrintedRank& row) {
  const auto rank = parse_integer(row.rank.text, kMostRanks - 1);
  return rank ? static_cast<int>(*rank) : -1;
}

void check_ranks(Checks& checks) {
  const std::vector<ShardsByType>& counts = checks.shards_by_rank;
  checks.compared.shards = checks.shards_counted || checks.plan.missing;  // all agree but for the missing tables
  check_totals(checks);
  std::vector<ShardCount> printed_counts;
  for (const PrintedRank& row : checks.printed.ranks.rows) {
    read_shard_counts(row.shards, printed_counts);
    checks.printed_shard_counts += std::ssize(printed_counts);
    const int rank = rank_number(row);
    if (rank < 0) continue;
    check_sums(checks, row, rank);
    if (checks.shards_counted && static_cast<std::size_t>(rank) < counts.size())
      check_shards(checks, row, printed_counts, rank, counts[static_cast<std::size_t>(rank)]);
  }
}

}  // namespace shardstats::analysis
