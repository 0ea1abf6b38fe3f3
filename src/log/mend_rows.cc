#include "log/mend_rows.h"

#include <algorithm>
#include <vector>

#include "log/repeats.h"
#include "shardstats/ascii.h"
#include "shardstats/limits.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats::log_detail {
namespace {

// What names a row, or all of the row where that cell is lost.
const Cell& cell_of(const Cell& name, const Cell& row) { return name ? name : row; }

// Moves row i to `to[i]` of `count` rows, or away: kGone. What no row moves to has no cells. Keeps the order.
constexpr std::uint32_t kGone = UINT32_MAX;
template <class Row>
void move_rows(ColumnTable<Row>& table, const std::vector<std::uint32_t>& to, std::size_t count) {
  std::vector<Row> rows(count);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != kGone) rows[to[i]] = std::move(table.rows[i]);
  table.rows = std::move(rows);
  for (OddCell& odd : table.odd) odd.row = to[odd.row];
  std::erase_if(table.odd, [](const OddCell& odd) { return odd.row == kGone; });
  std::ranges::stable_sort(table.odd, {}, &OddCell::row);
}

// `rows`: ascending.
template <class Row>
void leave_out(ColumnTable<Row>& table, const std::vector<std::uint32_t>& rows) {
  if (rows.empty()) return;
  std::vector<std::uint32_t> to(table.rows.size());
  std::uint32_t kept = 0;
  for (std::uint32_t row = 0; row < to.size(); ++row) to[row] = std::ranges::binary_search(rows, row) ? kGone : kept++;
  move_rows(table, to, kept);
}

std::optional<std::int64_t> number_of(const PrintedRank& row) { return parse_integer(row.rank.text, 1 << 30); }

// 0, 1, 2, ...; a number that cannot be read is the next one.
bool is_in_order(const std::vector<PrintedRank>& rows) {
  std::int64_t expected = 0;
  for (const PrintedRank& row : rows) {
    if (number_of(row).value_or(expected) != expected) return false;
    ++expected;
  }
  return true;
}

// The place of each row if their numbers are 0, 1, 2, ... in another order; else empty: a number may be a wrong one.
std::vector<std::uint32_t> places_by_number(const std::vector<PrintedRank>& rows) {
  std::vector<std::uint32_t> places;
  std::vector<bool> taken(rows.size());
  for (const PrintedRank& row : rows) {
    const auto number = number_of(row);
    if (!number || *number >= std::ssize(rows) || taken[static_cast<std::size_t>(*number)]) return {};
    taken[static_cast<std::size_t>(*number)] = true;
    places.push_back(static_cast<std::uint32_t>(*number));
  }
  return places;
}

// The rows outside the longest run of rising places: the fewest that can have moved.
std::vector<std::uint32_t> outside_longest_run(const std::vector<std::uint32_t>& places) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> ends;  // of the runs of 1, 2, ... rows: the row with the lowest place that ends one
  std::vector<std::uint32_t> before(places.size(), kNone);  // the row in front of each in its longest run
  for (std::uint32_t row = 0; row < places.size(); ++row) {
    const auto end =
        std::ranges::lower_bound(ends, places[row], {}, [&](std::uint32_t other) { return places[other]; });
    if (end != ends.begin()) before[row] = *std::prev(end);
    if (end == ends.end())
      ends.push_back(row);
    else
      *end = row;
  }
  std::vector<bool> stays(places.size());
  for (std::uint32_t row = ends.empty() ? kNone : ends.back(); row != kNone; row = before[row]) stays[row] = true;
  std::vector<std::uint32_t> moved;
  for (std::uint32_t row = 0; row < places.size(); ++row)
    if (!stays[row]) moved.push_back(row);
  return moved;
}

// Two rows that changed places leave runs as long that take one of them in and leave out a row between them.
std::vector<std::uint32_t> moved_rows(const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> moved = outside_longest_run(places), misplaced;
  for (std::uint32_t row = 0; row < places.size(); ++row)
    if (places[row] != row) misplaced.push_back(row);
  return misplaced.size() <= moved.size() ? misplaced : moved;
}

void sort_ranks(const std::vector<std::uint32_t>& places, DraftPlan& plan) {
  for (const std::uint32_t row : moved_rows(places)) plan.report(DiagnosticKind::moved_rank, plan.ranks.rows[row].rank);
  move_rows(plan.ranks, places, places.size());
}

// Reports all numbers that do not follow from the one above; the number after the last one, and whether there are gaps.
struct Numbering {
  std::int64_t expected = 0;
  bool has_gaps = false;
};
Numbering check_numbers(DraftPlan& plan) {
  Numbering numbering;
  for (const PrintedRank& row : plan.ranks.rows) {
    const std::int64_t number = number_of(row).value_or(numbering.expected);
    if (number != numbering.expected)
      plan.report(number < numbering.expected ? DiagnosticKind::odd_rank : DiagnosticKind::ranks_missing_before,
                  row.rank);
    numbering.has_gaps |= number > numbering.expected;
    numbering.expected = number + 1;
  }
  return numbering;
}

// Of a sorted list, also in brackets, or -1.
std::int64_t last_rank(std::string_view list) {
  if (list.ends_with(']')) list.remove_suffix(1);
  std::size_t start = list.size();
  while (start > 0 && is_digit(list[start - 1])) --start;
  return parse_integer(list.substr(start)).value_or(-1);
}

// Is every shard that a list beyond the last row stands for one that no row has? A wrong list would leave one over.
bool shards_tell_lost_ranks(const RanksInLists& ranks, const PrintedPlan& plan) {
  const auto has_shards = [](const PrintedRank& row) { return static_cast<bool>(row.shards); };
  if (ranks.of_any() <= std::ssize(plan.ranks.rows) || ranks.tells_all()) return false;
  if (!std::ranges::all_of(plan.ranks.rows, has_shards)) return false;
  const ShardDifference difference = shard_difference(plan);
  return !difference.empty() && std::ranges::all_of(difference, [&](const auto& type) {
    return type.second.begin()->first >= static_cast<int>(plan.ranks.rows.size());
  });
}

// Puts in rows without cells for the numbers that are lost, if all others are in order. The last number alone may be a
// wrong one, but not if a list ends with it, or, where no table has to be on all ranks, with one below it for which
// there are too few rows; the list of one table alone tells of one lost row at the end, since more are as likely a
// wrong list. `told`: by the shards.
void add_lost_ranks(const RanksInLists& ranks, std::int64_t told, PrintedPlan& plan) {
  std::vector<std::uint32_t> numbers;
  for (const PrintedRank& row : plan.ranks.rows) {
    const auto number = number_of(row);
    if (!number || *number >= kMostRanks || (!numbers.empty() && *number <= numbers.back())) return;
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  const std::int64_t printed = std::int64_t{numbers.back()} + 1;
  const bool last_two_follow = numbers.size() > 1 && numbers[numbers.size() - 2] + 1 == numbers.back();
  const bool shows_gap = !ranks.tells_all() && ranks.of_any() > std::ssize(numbers) && ranks.of_any() < printed;
  const bool is_named = last_two_follow || ranks.of_any() == printed || shows_gap;
  std::int64_t count = std::max({ranks.of_two(), is_named ? printed : 0, told});
  if (const std::int64_t only = ranks.of_only(); only == printed || only == printed + 1) count = std::max(count, only);
  if (count > kMostRanks || printed > count) return;
  move_rows(plan.ranks, numbers, static_cast<std::size_t>(count));
  for (std::uint32_t rank = 0; rank < plan.ranks.rows.size(); ++rank)
    plan.ranks.rows[rank].lost = !std::ranges::binary_search(numbers, rank);
}

// Where the column has another name, it is the first one with 0, 1, 2, ... in most cells. `texts`: of the rows.
void find_ranks_in_unknown_column(RowTexts texts, ColumnTable<PrintedRank>& table) {
  if (table.has(ColumnId::rank)) return;
  for (std::size_t row = 0; row < table.rows.size(); ++row) table.rows[row].rank.place = texts[row].place;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].id != ColumnId::unknown) continue;
    const auto fits = [&](const OddCell& odd) { return odd.column == c && parse_integer(odd.cell.text) == odd.row; };
    if (2 * std::ranges::count_if(table.odd, fits) <= std::ssize(table.rows)) continue;
    for (const OddCell& odd : table.odd)
      if (odd.column == c && parse_integer(odd.cell.text)) table.rows[odd.row].rank = odd.cell;
    return;
  }
}

// A rank lists every sharding type of the plan, those that it has no shards of with 0 (section 3.2); in a plan
// without shards none does.
void report_lost_shards(const RanksInLists& ranks, DraftPlan& plan) {
  const auto lists_none = [](const PrintedRank& row) { return row.shards.text.empty(); };
  if (!ranks.tables_have_any() && std::ranges::all_of(plan.ranks.rows, lists_none)) return;
  for (PrintedRank& row : plan.ranks.rows) {
    if (!lists_none(row) || row.shards.text.data() == nullptr) continue;  // reported with the rest of its row
    plan.report(DiagnosticKind::missing_cells, row.shards);
    row.shards.text = {};
  }
}

}  // namespace

void RanksInLists::add(const PrintedTable& row) {
  const std::int64_t last = last_rank(row.ranks.text);
  add_last(last);
  ++tables_;
  if (last >= 0) tables_have_any_ = true;
  if (!is_on_all_ranks(row.sharding.text)) return;
  ++on_all_;
  last_on_all_ = last;
}

void RanksInLists::add_lines(const PrintedPlan& plan) {
  for (const PrintedLine& line : plan.lines) {
    const std::string_view pattern = line_forms()[line.form].pattern;
    if (line.slot_count > 0 && (pattern.ends_with("{L1}") || pattern.ends_with("{L2}")))
      add_last(last_rank(plan.slots_of(line).back().text));
  }
}

void RanksInLists::add_last(std::int64_t rank) {
  second_ = std::max(second_, std::min(most_, rank));
  most_ = std::max(most_, rank);
}

void mend_rank_rows(RowTexts texts, const RanksInLists& ranks, DraftPlan& plan) {
  report_lost_shards(ranks, plan);
  find_ranks_in_unknown_column(texts, plan.ranks);
  const auto& rows = plan.ranks.rows;
  Numbering numbering{std::ssize(rows)};
  if (!is_in_order(rows)) {
    const auto repeated = repeated_rows(texts);
    for (const std::uint32_t row : repeated)
      plan.report(DiagnosticKind::repeated_rank_row, cell_of(rows[row].rank, texts[row]));
    leave_out(plan.ranks, repeated);
    if (const auto places = places_by_number(rows); !places.empty()) sort_ranks(places, plan);
    numbering = check_numbers(plan);
  }
  const std::int64_t told = !numbering.has_gaps && shards_tell_lost_ranks(ranks, plan) ? ranks.of_any() : 0;
  if (!rows.empty() && std::max({ranks.of_two(), ranks.of_only(), told}) > numbering.expected) {
    plan.report(DiagnosticKind::ranks_missing_after, cell_of(rows.back().rank, texts.back()));
    numbering.has_gaps = true;
  }
  if (numbering.has_gaps) add_lost_ranks(ranks, told, plan);
}

void mend_table_rows(RowTexts texts, DraftPlan& plan) {
  const std::vector<std::uint32_t> repeated = repeated_rows(texts);
  for (const std::uint32_t row : repeated)
    plan.report(DiagnosticKind::repeated_table_row, cell_of(plan.tables.rows[row].fqn, texts[row]));
  leave_out(plan.tables, repeated);
}

}  // namespace shardstats::log_detail
