// Is every rounded number one that the planner can print (log-format.md section 2)? "07", "0.50", "1.2345", "-3" and
// "nan" are not.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analysis/checks.h"
#include "analysis/spelling.h"
#include "shardstats/ascii.h"
#include "shardstats/log/layout.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

void attribute(const Checks& /*checks*/, const PrintedRank& row, Finding& finding) {
  if (const int rank = rank_number(row); rank >= 0) finding.rank = rank;
}
void attribute(const Checks& checks, const PrintedTable& row, Finding& finding) {
  checks.of_table(finding, static_cast<std::size_t>(&row - checks.printed.tables.rows.data()));
}

// The same number of all rows. Where most of them are odd, nothing is damaged: a newer release prints them so.
template <class Row, class CellOf>
void report_column(Checks& checks, std::size_t rows, const std::vector<const Row*>& odd, const CellOf& cell_of) {
  if (is_changed_format(checks.printed, odd.size(), rows)) {
    const Cell& first = cell_of(*odd.front());
    add_changed_format(checks, first, first.text, odd.size());
    return;
  }
  for (const Row* row : odd) attribute(checks, *row, add_odd(checks, cell_of(*row)));
}

// `cells_of(row)`: pointers to the cells that have `decimals`, in that order. `odd`: rows, by column.
template <class Row, class CellsOf, class Odd, std::size_t... decimals>
void look_at_row(Checks& checks, const Row& row, const CellsOf& cells_of, Odd& odd, Decimals<decimals...>) {
  const auto look_at_unusual = [&](std::size_t c, std::size_t decimals_of_cell) {
    const Cell& cell = *cells_of(row)[c];
    const Spelling spelling = spelling_of(cell.text, decimals_of_cell);
    if (spelling == Spelling::odd) odd[c].push_back(&row);
    if (spelling == Spelling::beyond) attribute(checks, row, add_beyond(checks, cell));
  };
  std::size_t c = 0;
  ((is_usual<decimals>(cells_of(row)[c]->text) ? void() : look_at_unusual(c, decimals), ++c), ...);
}

template <class Row, class CellsOf, class Odd, std::size_t... decimals>
void look_at_row_of_release(Checks& checks, const Row& row, const CellsOf& cells_of, Odd& odd,
                            Decimals<decimals...> usual) {
  if (checks.printed.releases.front() == Release::v0_1_0)
    look_at_row(checks, row, cells_of, odd, Decimals<(static_cast<void>(decimals), kFixed)...>());
  else
    look_at_row(checks, row, cells_of, odd, usual);
}

// In a column whose numbers have the form of a newer release one in another form is damaged.
template <class Row, class CellOf>
void report_other_forms(Checks& checks, const std::vector<Row>& rows, Format newer, const CellOf& cell_of) {
  for (const Row& row : rows)
    if (const Cell& cell = cell_of(row); cell && !values_printed_as(cell.text, newer))
      attribute(checks, row, add_odd(checks, cell));
}

// `rounded`: the numbers of each column, if they may have such a form.
template <class Row, class CellsOf, std::size_t columns>
void report_columns(Checks& checks, const std::vector<Row>& rows, const CellsOf& cells_of,
                    const std::array<std::vector<const Row*>, columns>& odd,
                    const std::array<std::optional<RoundedNumbers>, columns>& rounded) {
  for (std::size_t c = 0; c < columns; ++c) {
    const auto cell_of = [&](const Row& row) -> const Cell& { return *cells_of(row)[c]; };
    const auto newer = rounded[c] ? checks.printed.newer_forms[static_cast<std::size_t>(*rounded[c])] : std::nullopt;
    if (newer)
      report_other_forms(checks, rows, *newer, cell_of);
    else
      report_column(checks, rows.size(), odd[c], cell_of);
  }
}

template <std::size_t memory_decimals>
void check_rank_columns(Checks& checks) {
  constexpr Decimals<memory_decimals, memory_decimals, kWhole, kWhole, kTwo, kTwo, kThree, kComponent, kComponent,
                     kComponent, kComponent, kComponent>
      decimals;
  const auto cells_of = [](const PrintedRank& row) {
    const auto& parts = row.perf.components;
    return std::array{&row.hbm,        &row.ddr,  &row.hbm_percent, &row.ddr_percent, &row.input, &row.output,
                      &row.perf.total, &parts[0], &parts[1],        &parts[2],        &parts[3],  &parts[4]};
  };
  const auto& rows = checks.printed.ranks.rows;
  std::array<std::vector<const PrintedRank*>, decimals.size()> odd;
  for (const PrintedRank& row : rows) look_at_row_of_release(checks, row, cells_of, odd, decimals);
  using enum RoundedNumbers;
  report_columns(checks, rows, cells_of, odd,
                 {rank_memory, rank_memory, std::nullopt, std::nullopt, rank_input, rank_output, rank_perf});
}

// Of cells with another count of numbers than the release prints; the finding stands at the first of them.
template <class Row, class CellOf>
void report_lengths(Checks& checks, std::size_t rows, const std::vector<const Row*>& odd, const CellOf& first_of,
                    const std::string& expected) {
  if (is_changed_format(checks.printed, odd.size(), rows)) {
    checks.add_log("log.unknown_format", first_of(*odd.front()),
                   "the cells of this column have more or fewer numbers than " + expected +
                       "; only those that are known are checked");
    return;
  }
  for (const Row* row : odd)
    attribute(checks, *row,
              add_disputed(checks, "log.malformed_cell", first_of(*row),
                           "this cell has more or fewer numbers than " + expected));
}

// Counts of components of the perf cells that the releases that are left print: a bit each.
std::uint32_t counts_of_components(const PrintedPlan& printed) {
  std::uint32_t counts = 0;
  for (const PerfForm& form : perf_forms())
    if (form.since <= printed.releases.back() && printed.releases.front() <= form.until)
      counts |= 1u << form.components;
  return counts;
}
bool has_odd_components(const PrintedPerf& perf, std::uint32_t counts) {
  return perf.total && (counts >> perf.count & 1) == 0;
}
template <class Row>
void report_components(Checks& checks, std::size_t rows, const std::vector<const Row*>& odd) {
  report_lengths(
      checks, rows, odd, [](const Row& row) -> const Cell& { return row.perf.total; }, "the planner prints of perf");
}

void check_components_of_ranks(Checks& checks) {
  const auto& rows = checks.printed.ranks.rows;
  const std::uint32_t counts = counts_of_components(checks.printed);
  std::vector<const PrintedRank*> odd;
  for (const PrintedRank& row : rows)
    if (has_odd_components(row.perf, counts)) odd.push_back(&row);
  report_components(checks, rows.size(), odd);
}

constexpr auto kTableNumbers = [](const PrintedTable& row) {
  static_assert(kPerfParts == 5);
  const auto& parts = row.perf.components;
  return std::array{&row.hbm,
                    &row.ddr,
                    &row.ssd,
                    &row.pooling_factor,
                    &row.num_poolings,
                    &row.num_indices,
                    &row.features,
                    &row.emb_dim,
                    &row.cw_dim,
                    &row.hash_size,
                    &row.cache_load_factor,
                    &row.perf.total,
                    &parts[0],
                    &parts[1],
                    &parts[2],
                    &parts[3],
                    &parts[4]};
};

// Has a list of ranks, which can be read, blanks or a zero in front of other digits?
bool has_needless_characters(std::string_view list) {
  if (list.find(' ') != std::string_view::npos) return true;
  for (std::size_t at = list.find('0'); at != std::string_view::npos; at = list.find('0', at + 1)) {
    const bool in_number = at > 0 && is_digit(list[at - 1]);
    if (!in_number && at + 1 < list.size() && is_digit(list[at + 1])) return true;
  }
  return false;
}

}  // namespace

Finding& add_disputed(Checks& checks, std::string_view rule, const Cell& cell, std::string message) {
  Finding& finding = checks.add_log(rule, cell, std::move(message));
  finding.suspects.push_back({cell, "the disputed number itself"});
  return finding;
}

Finding& add_odd(Checks& checks, const Cell& cell) {
  return add_disputed(checks, "log.malformed_cell", cell,
                      "the planner never prints a number as " + std::string(cell.text));
}
Finding& add_beyond(Checks& checks, const Cell& cell) {
  return add_disputed(checks, "log.bounds", cell,
                      std::string(cell.text) + " is larger than the numbers that are checked");
}

bool is_odd_list(std::string_view text, const std::vector<int>& ranks, bool sorted) {
  const bool is_run = text.find('-') != std::string_view::npos;
  if (sorted && !is_run && !std::ranges::is_sorted(ranks)) return true;
  if (text.starts_with('[')) return text != bracketed(ranks);
  const auto is_gap = [](int a, int b) { return b != a + 1; };
  const bool should_be_run = !is_run && ranks.size() > 1 && std::ranges::adjacent_find(ranks, is_gap) == ranks.end();
  return should_be_run || has_needless_characters(text);
}

OddNumbers::OddNumbers(const PrintedPlan& printed) : components_(counts_of_components(printed)) {
  const auto& columns = printed.tables.columns;
  const auto storage = std::ranges::find(columns, ColumnId::storage, &PrintedColumn::id);
  if (storage != columns.end()) names_ssd_ = storage->header.text.find("SSD") != std::string_view::npos;
}

void OddNumbers::look_at(Checks& checks, const PrintedTable& row) {
  constexpr Decimals<kThree, kThree, kThree, kThree, kThree, kThree, kDigits, kDigits, kDigits, kDigits, kAsNeeded,
                     kThree, kComponent, kComponent, kComponent, kComponent, kComponent>
      decimals;
  static_assert(kColumns == decimals.size());
  look_at_row_of_release(checks, row, kTableNumbers, in_column_, decimals);
  if (has_odd_components(row.perf, components_)) of_perf_.push_back(&row);
  if (names_ssd_ && row.hbm && static_cast<bool>(row.ssd) != *names_ssd_) of_storage_.push_back(&row);
}

void OddNumbers::report(Checks& checks) const {
  const auto& rows = checks.printed.tables.rows;
  report_components(checks, rows.size(), of_perf_);
  report_lengths(
      checks, rows.size(), of_storage_, [](const PrintedTable& row) -> const Cell& { return row.hbm; },
      "the header of its column names");
  using enum RoundedNumbers;
  std::array<std::optional<RoundedNumbers>, kColumns> rounded = {table_storage, table_storage, table_storage};
  constexpr std::size_t kTotal = 11;  // of perf, in kTableNumbers
  rounded[kTotal] = table_perf;
  report_columns(checks, rows, kTableNumbers, in_column_, rounded);
}

Finding& add_odd_list(Checks& checks, const Cell& cell) {
  return add_disputed(checks, "log.malformed_cell", cell,
                      "the planner never prints a list of ranks as " + std::string(cell.text));
}

void check_numbers(Checks& checks) {
  const Release release = checks.printed.releases.front();
  if (release < Release::v0_8_0)
    check_rank_columns<kOne>(checks);
  else
    check_rank_columns<kThree>(checks);
  check_components_of_ranks(checks);
  check_numbers_of_lines(checks);
}

}  // namespace shardstats::analysis
