#include "analysis/lost_lines.h"

#include <algorithm>
#include <set>

#include "analysis/lines.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

// May what is missing be told at all?
bool tells_lost_lines(const PrintedPlan& printed) {
  return !printed.tables.printed && !is_cut(printed) && lists_all_ranks(printed);
}

bool has_shards(const PrintedRank& row) { return static_cast<bool>(row.shards); }

bool is_legend(LineId id) { return id == LineId::perf_legend || id == LineId::io_legend || id == LineId::hbm_legend; }

bool is_batch_size(LineId id) { return id == LineId::batch_size; }

// Does a blank line stand below the table, and then the line that is printed there? A newer release may print others
// there, or one in its place, and blank lines may have been taken out of the log.
bool is_closed(const PrintedPlan& printed, LineId table, bool (*is_next)(LineId)) {
  const auto& lines = printed.lines;
  const auto is_blank = [](const PrintedLine& line) { return line.id == LineId::blank; };
  const auto is_new = [](const PrintedLine& line) { return is_unknown(line.id); };
  const auto at = std::ranges::find(lines, table, &PrintedLine::id);
  const auto end = at == lines.end() ? at : std::find_if_not(std::next(at), lines.end(), is_new);
  if (end == lines.end()) return true;  // what was cut off is said elsewhere
  const auto next = std::find_if_not(end, lines.end(), is_blank);
  if (next == lines.end()) return true;
  const bool is_apart = next != end || std::ranges::none_of(lines, is_blank);
  return is_apart && (is_next(next->id) || (next != end && is_new(*next)));
}

void add_ranks(const PrintedPlan& printed, CountedTables& tables) {
  for (const auto& [type, by_rank] : shard_difference(printed)) {  // no table is printed: all shards
    const auto [least, most] = tables_with_shards(type, by_rank);
    tables.of_ranks.least += least;
    tables.of_ranks.most += most;
    if (type == "DP") tables.of_dp = least;
  }
}

}  // namespace

std::optional<CountedKernels> counted_kernel_lines(const PrintedPlan& printed) {
  if (has_unread(printed, LineId::kernel_count)) return std::nullopt;
  CountedKernels tables;
  for (const auto slots : lines_of(printed, LineId::kernel_count)) {
    const auto count = parse_integer(slots[1].text, kMostTables);
    if (!count) return std::nullopt;
    tables.all += *count;
    if (slots[0].text.ends_with("dense")) tables.dense += *count;
  }
  return tables;
}

std::optional<CountedTables> counted_tables(const PrintedPlan& printed) {
  if (!tells_lost_lines(printed) || !printed.slot(LineId::kernel_count, 1)) return std::nullopt;
  if (!std::ranges::all_of(printed.ranks.rows, has_shards)) return std::nullopt;
  const auto kernels = counted_kernel_lines(printed);
  if (!kernels) return std::nullopt;
  CountedTables tables{*kernels};
  add_ranks(printed, tables);
  return tables;
}

bool lacks_shards_of_a_type(const PrintedPlan& printed) {
  if (!tells_lost_lines(printed)) return false;
  const auto& rows = printed.ranks.rows;
  std::vector<std::string_view> absent;
  for (std::size_t row = 0; row < rows.size() && (row == 0 || !absent.empty()); ++row) {
    if (!rows[row].shards) return false;
    for (const ShardCount& pair : shard_counts(rows[row].shards))
      if (pair.count.text != "0")
        std::erase(absent, pair.type.text);
      else if (row == 0)
        absent.push_back(pair.type.text);
  }
  return !absent.empty();
}

bool lacks_kernels(const PrintedPlan& printed) {
  if (has_unread(printed, LineId::kernel_count) || printed.is_reported(DiagnosticKind::kernel_may_be_lost)) return true;
  const std::set<std::string_view> counted = counted_kernels(printed);
  const auto is_counted = [&](std::span<const Cell> slots) { return counted.contains(slots.front().text); };
  const auto tables = counted_tables(printed);
  return counted.empty() || (tables && tables->lack_kernels()) ||
         !std::ranges::all_of(lines_of(printed, LineId::kernel_storage), is_counted);
}

MemoryTotals memory_totals(const PrintedPlan& printed, const KernelSum& sum, const Plan* corrections) {
  const auto bytes_of = [&](const Cell& cell, RoundedNumbers numbers, const Expectation& expected) {
    return expected.contradicted ? TotalBytes(expected.bytes)
                                 : bytes_printed_as(cell.text, printed.format_of(numbers), kGiB);
  };
  MemoryTotals totals;
  if (sum.rank == nullptr) return totals;
  for (const auto slots : lines_of(printed, sum.line)) {
    const PlanKernel* kernel = corrections != nullptr ? kernel_of(*corrections, slots[0].text) : nullptr;
    const Expectation expected = kernel != nullptr ? kernel->*sum.expected : Expectation{};
    totals.kernels = with(totals.kernels, bytes_of(slots[sum.slot], RoundedNumbers::lines, expected));
  }
  const auto& rows = printed.ranks.rows;
  const bool is_rebuilt = corrections != nullptr && corrections->ranks.size() == rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Expectation expected = is_rebuilt ? corrections->ranks[r].*sum.rank->expected : Expectation{};
    totals.ranks = with(totals.ranks, bytes_of(rows[r].*sum.rank->cell, RoundedNumbers::rank_memory, expected));
  }
  return totals;
}

bool may_lack_last_ranks(const PrintedPlan& printed) {
  return !names_all_ranks(printed) && !is_closed(printed, LineId::rank_table, is_legend);
}

bool may_lack_last_tables(const PrintedPlan& printed) {
  const bool is_last = printed.releases.front() < Release::v0_2_0;  // in the block
  if (is_last || is_closed(printed, LineId::parameter_table, is_batch_size)) return false;
  if (!printed.ranks.rows.empty()) return !shard_difference(printed).empty();
  const auto kernels = counted_kernel_lines(printed);
  return !kernels || kernels->all != std::ssize(printed.tables.rows);
}

bool has_all_ranks(const PrintedPlan& printed) {
  if (!lists_all_ranks(printed)) return false;
  if (printed.tables.printed) return true;
  if (lacks_shards_of_a_type(printed)) return false;
  const auto tables = counted_tables(printed);
  return !(tables && tables->lack_ranks()) && std::ranges::none_of(kKernelSums, [&](const KernelSum& sum) {
    return memory_totals(printed, sum, nullptr).disagree();
  });
}

bool knows_all_ranks(const PrintedPlan& printed, const Plan& plan) {
  if (has_all_ranks(printed)) return true;
  if (!printed.has_lost_ranks() || !tells_rank_count(printed) || may_lack_last_ranks(printed)) return false;
  return std::ranges::all_of(plan.ranks, &PlanRank::known);
}

}  // namespace shardstats::analysis
