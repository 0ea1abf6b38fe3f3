// Is every rounded number one that the planner can print (log-format.md section 2)? "07", "0.50", "1.2345", "-3" and
// "nan" are not.
#include <algorithm>
#include <array>
#include <utility>

#include "analysis/checks.h"
#include "shardstats/ascii.h"
#include "shardstats/log/layout.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

// Decimals.
constexpr std::size_t kWhole = 0, kOne = 1, kTwo = 2, kThree = 3;
constexpr std::size_t kDigits = 96;  // none, of a column whose cells are read as digits alone
constexpr std::size_t kFixed = 97;   // v0.1.0
constexpr std::size_t kAsNeeded = 98;
constexpr std::size_t kComponent = 99;  // none, or below 1 one digit that is not zero (C1)

constexpr std::size_t kFewCharacters = 15;    // whose every decimal is printed by some number
constexpr std::size_t kMostWholeDigits = 16;  // from 10^16 on Python prints an exponent (limits.h)

// "0", "12", "0.3", "0.0005", "3e-05"
bool is_component(std::string_view text) {
  const std::size_t point = text.find('.'), digit = text.find_first_not_of("0.");
  if (point == std::string_view::npos) return text.size() < 2 || text[0] != '0';
  return text.starts_with("0.") && digit == text.size() - 1;
}

Format format_of(std::size_t decimals) {
  constexpr std::array kRounded = {Format::integer, Format::r1, Format::r2, Format::r3};
  if (decimals == kDigits) return Format::integer;
  return decimals == kComponent ? Format::c1 : decimals == kAsNeeded ? Format::python_float : kRounded[decimals];
}

// Rounded to `decimals` and printed by Python: no needless zeros in front, none behind the first decimal.
// A number without a point is judged by its value alone.
bool has_shape(std::string_view text, std::size_t decimals) {
  if (text.size() < 2) return true;
  if (decimals == kComponent) return is_component(text);
  if (text[0] == '0' && is_digit(text[1])) return false;
  std::size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  if (decimals == kWhole) return point == text.size();
  if (point + 2 >= text.size()) return point + 1 != text.size();  // none, or one decimal
  return text.size() - point - 1 <= decimals && text.back() != '0';
}

// "0.3", "0.0005", "3e-05": below 1 a component has one digit, at one of few places.
bool is_usual_below_one(std::string_view text) {
  const auto is_from = [](char c, char least) { return least <= c && c <= '9'; };
  if (text.size() == 5 && text[1] == 'e')
    return text.substr(2, 2) == "-0" && is_from(text[0], '1') && is_from(text[4], '5');
  if (text.size() < 3 || text[0] != '0' || text[1] != '.') return false;
  std::size_t digit = 2;
  while (text[digit] == '0' && digit + 1 < text.size()) ++digit;
  return digit + 1 == text.size() && is_from(text[digit], '1');
}

// "12.345", of few characters: if that is a number at all, only digits stand around a point so near to its end, and no
// needless zeros among them.
bool is_usual_decimal(std::string_view text, std::size_t decimals) {
  if (!is_digit(text[0]) || (text[0] == '0' && text[1] != '.')) return false;
  const std::size_t size = text.size();
  const auto is_point = [&](std::size_t behind) {
    return behind <= decimals && size > behind + 1 && text[size - behind - 1] == '.';
  };
  return is_point(1) || (text.back() != '0' && (is_point(2) || is_point(3)));
}

// Is it, at one look, what nearly all cells are: "None", or digits without needless zeros, perhaps with a point among
// them? What is not recognised here is left to spelling_of().
template <std::size_t decimals>
bool looks_usual(std::string_view text) {
  if (text.size() > kFewCharacters) return false;
  if (decimals == kDigits) return text[0] != '0';
  if (decimals == kAsNeeded && text[0] == 'N') return text == "None";
  if (decimals == kComponent && text[0] == '0') return is_usual_below_one(text);
  if (decimals <= kThree && decimals != kWhole && is_usual_decimal(text, decimals)) return true;
  const std::size_t point = skip_digits(text, 0);
  if (decimals == kFixed) return point > 0;
  if (point == text.size()) return text[0] != '0';
  if (decimals == kComponent) return is_usual_below_one(text);
  if (text[point] != '.' || decimals == kWhole) return text == "None";
  const std::size_t behind = text.size() - point - 1;
  if (behind == 0 || (text[0] == '0' && point != 1)) return false;
  if (behind > 1 && (behind > decimals || text.back() == '0')) return false;
  return skip_digits(text, point + 1) == text.size();
}
template <std::size_t decimals>
bool is_usual(std::string_view text) {
  return text.size() < 2 || looks_usual<decimals>(text);
}

// Those of the columns of a row.
template <std::size_t... decimals>
using Decimals = std::index_sequence<decimals...>;

// Not "None", and not "nan", "inf" or a negative number, which no amount of anything is.
bool is_amount(std::string_view text) { return is_digit(text[0]) && is_number(text); }

// A number that is not printed so by any double.
bool is_misspelled(std::string_view text, std::size_t decimals) {
  if (decimals == kFixed) return false;
  const bool is_short = text.size() <= kFewCharacters && text.find('e') == std::string_view::npos;
  return is_short ? !has_shape(text, decimals)
                  : !has_shape(text, decimals) || !values_printed_as(text, format_of(decimals));
}

// "1,709": only v0.1.0 prints numbers so.
bool has_separators(std::string_view text) { return is_digit(text[0]) && text.find(',') != std::string_view::npos; }

enum class Spelling : std::uint8_t { usual, odd, beyond };
Spelling spelling_of(std::string_view text, std::size_t decimals) {
  // "None", or damage that is found where the cell is read; separators are read in any release.
  if (!is_number(text)) return decimals != kFixed && has_separators(text) ? Spelling::odd : Spelling::usual;
  if (!is_amount(text)) return Spelling::odd;
  if (skip_digits(text, 0) > kMostWholeDigits) return Spelling::beyond;
  if (is_misspelled(text, decimals)) return Spelling::odd;
  return text.find("e+") == std::string_view::npos ? Spelling::usual : Spelling::beyond;
}

Finding& add_finding(Checks& checks, std::string_view rule, const Cell& cell, std::string message) {
  Finding& finding = checks.add_log(rule, cell, std::move(message));
  finding.suspects.push_back({cell, "the disputed number itself"});
  return finding;
}

Finding& add_odd(Checks& checks, const Cell& cell) {
  return add_finding(checks, "log.malformed_cell", cell,
                     "the planner never prints a number as " + std::string(cell.text));
}
Finding& add_beyond(Checks& checks, const Cell& cell) {
  return add_finding(checks, "log.bounds", cell,
                     std::string(cell.text) + " is larger than the numbers that are checked");
}

void attribute(const Checks& /*checks*/, const PrintedRank& row, Finding& finding) {
  if (const int rank = rank_number(row); rank >= 0) finding.rank = rank;
}
void attribute(const Checks& checks, const PrintedTable& row, Finding& finding) {
  finding.table = static_cast<std::uint32_t>(&row - checks.printed.tables.rows.data());
  finding.fqn = row.fqn.text;
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
  const auto look_at_unusual = [&](const Cell& cell, std::size_t c, std::size_t decimals_of_cell) {
    const Spelling spelling = spelling_of(cell.text, decimals_of_cell);
    if (spelling == Spelling::odd) odd[c].push_back(&row);
    if (spelling == Spelling::beyond) attribute(checks, row, add_beyond(checks, cell));
  };
  const std::array<const Cell*, sizeof...(decimals)> cells = cells_of(row);
  std::size_t c = 0;
  ((is_usual<decimals>(cells[c]->text) ? void() : look_at_unusual(*cells[c], c, decimals), ++c), ...);
}

template <class Row, class CellsOf, class Odd, std::size_t... decimals>
void look_at_row_of_release(Checks& checks, const Row& row, const CellsOf& cells_of, Odd& odd,
                            Decimals<decimals...> usual) {
  if (checks.printed.releases.front() == Release::v0_1_0)
    look_at_row(checks, row, cells_of, odd, Decimals<(static_cast<void>(decimals), kFixed)...>());
  else
    look_at_row(checks, row, cells_of, odd, usual);
}

template <class Row, class CellsOf, class Odd>
void report_columns(Checks& checks, const std::vector<Row>& rows, const CellsOf& cells_of, const Odd& odd) {
  for (std::size_t c = 0; c < odd.size(); ++c)
    report_column(checks, rows.size(), odd[c], [&](const Row& row) -> const Cell& { return *cells_of(row)[c]; });
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
  report_columns(checks, rows, cells_of, odd);
}

// Of cells with another count of numbers than the release prints; the finding stands at the first of them.
template <class Row, class IsOdd, class CellOf>
void check_lengths_of_cells(Checks& checks, const std::vector<Row>& rows, const IsOdd& is_odd, const CellOf& first_of,
                            const std::string& expected) {
  std::vector<const Row*> odd;
  for (const Row& row : rows)
    if (first_of(row) && is_odd(row)) odd.push_back(&row);
  if (is_changed_format(checks.printed, odd.size(), rows.size())) {
    checks.add_log("log.unknown_format", first_of(*odd.front()),
                   "the cells of this column have more or fewer numbers than " + expected +
                       "; only those that are known are checked");
    return;
  }
  for (const Row* row : odd)
    attribute(checks, *row,
              add_finding(checks, "log.malformed_cell", first_of(*row),
                          "this cell has more or fewer numbers than " + expected));
}

// Components of the perf cells, which the releases that are left print.
template <class Row>
void check_components(Checks& checks, const std::vector<Row>& rows) {
  std::uint32_t counts = 0;  // a bit each
  for (const PerfForm& form : perf_forms())
    if (form.since <= checks.printed.releases.back() && checks.printed.releases.front() <= form.until)
      counts |= 1u << form.components;
  check_lengths_of_cells(
      checks, rows, [&](const Row& row) { return (counts >> row.perf.count & 1) == 0; },
      [](const Row& row) -> const Cell& { return row.perf.total; }, "the planner prints of perf");
}

// "(HBM, DDR)" or "(HBM, DDR, SSD)"
void check_storage_cells(Checks& checks) {
  const auto& table = checks.printed.tables;
  const auto column = std::ranges::find(table.columns, ColumnId::storage, &PrintedColumn::id);
  if (column == table.columns.end()) return;
  const bool names_ssd = column->header.text.find("SSD") != std::string_view::npos;
  check_lengths_of_cells(
      checks, table.rows, [&](const PrintedTable& row) { return static_cast<bool>(row.ssd) != names_ssd; },
      [](const PrintedTable& row) -> const Cell& { return row.hbm; }, "the header of its column names");
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

void check_whole(Checks& checks, const Cell& cell) {
  if (is_usual<kWhole>(cell.text)) return;
  const Spelling spelling = spelling_of(cell.text, kWhole);
  if (spelling == Spelling::odd) add_odd(checks, cell);
  if (spelling == Spelling::beyond) add_beyond(checks, cell);
}

void check_list(Checks& checks, const Cell& cell, bool sorted) {
  std::vector<int> ranks;
  if (parse_ranks(cell.text, ranks) && is_odd_list(cell.text, ranks, sorted)) add_odd_list(checks, cell);
}

// The numbers of the lines that are rounded to three decimals.
struct NumbersOfLines {
  std::size_t count = 0;
  std::vector<const Cell*> odd;
};

void look_at_number(Checks& checks, const Cell& cell, NumbersOfLines& numbers) {
  ++numbers.count;
  const auto& newer = checks.printed.newer_forms[static_cast<std::size_t>(RoundedNumbers::lines)];
  if (newer ? values_printed_as(cell.text, *newer).has_value() : is_usual<kThree>(cell.text)) return;
  const Spelling spelling = spelling_of(cell.text, kThree);
  if (spelling == Spelling::odd) numbers.odd.push_back(&cell);
  if (spelling == Spelling::beyond) add_beyond(checks, cell);
}

// Slots "{int}", "{p0}", "{r3}", "{L1}" and "{L2}" of the line's form.
void check_line(Checks& checks, const PrintedLine& line, NumbersOfLines& numbers) {
  const auto slots = checks.printed.slots_of(line);
  const bool sorted = line.id != LineId::top_hbm_table;  // that one is in the order of the shards
  each_slot(line_forms()[line.form].pattern, [&](std::size_t slot, std::string_view kind) {
    if (slot >= slots.size()) return;
    if (kind == "int" || kind == "p0") check_whole(checks, slots[slot]);
    if (kind == "r3") look_at_number(checks, slots[slot], numbers);
    if (kind == "L1" || kind == "L2") check_list(checks, slots[slot], sorted);
  });
}

// Where most of them are odd, nothing is damaged, as in a column.
void check_lines(Checks& checks) {
  NumbersOfLines numbers;
  for (const PrintedLine& line : checks.printed.lines) check_line(checks, line, numbers);
  if (!is_changed_format(checks.printed, numbers.odd.size(), numbers.count)) {
    for (const Cell* cell : numbers.odd) add_odd(checks, *cell);
    return;
  }
  checks.lines_unread = true;
  const Cell& first = *numbers.odd.front();
  checks.add_log("log.unknown_format", first,
                 "no known release prints numbers of the lines outside of the tables as " + std::string(first.text) +
                     "; " + std::to_string(numbers.odd.size()) + " of them are kept but not checked");
}

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

bool is_odd_list(std::string_view text, const std::vector<int>& ranks, bool sorted) {
  if (ranks.size() == 1 && is_usual<kDigits>(text) && is_digit(text[0])) return false;  // most rows
  const bool is_run = text.find('-') != std::string_view::npos;
  if (sorted && !is_run && !std::ranges::is_sorted(ranks)) return true;
  if (text.starts_with('[')) return text != bracketed(ranks);
  const auto is_gap = [](int a, int b) { return b != a + 1; };
  const bool should_be_run = !is_run && ranks.size() > 1 && std::ranges::adjacent_find(ranks, is_gap) == ranks.end();
  return should_be_run || has_needless_characters(text);
}

void look_at_numbers(Checks& checks, const PrintedTable& row, OddNumbers& odd) {
  constexpr Decimals<kThree, kThree, kThree, kThree, kThree, kThree, kDigits, kDigits, kDigits, kDigits, kAsNeeded,
                     kThree, kComponent, kComponent, kComponent, kComponent, kComponent>
      decimals;
  static_assert(std::tuple_size<OddNumbers>() == decimals.size());
  look_at_row_of_release(checks, row, kTableNumbers, odd, decimals);
}

void report_odd_numbers(Checks& checks, const OddNumbers& odd) {
  report_columns(checks, checks.printed.tables.rows, kTableNumbers, odd);
}

Finding& add_odd_list(Checks& checks, const Cell& cell) {
  return add_finding(checks, "log.malformed_cell", cell,
                     "the planner never prints a list of ranks as " + std::string(cell.text));
}

void check_numbers(Checks& checks) {
  const Release release = checks.printed.releases.front();
  if (release < Release::v0_8_0)
    check_rank_columns<kOne>(checks);
  else
    check_rank_columns<kThree>(checks);
  check_components(checks, checks.printed.ranks.rows);
  check_components(checks, checks.printed.tables.rows);
  check_storage_cells(checks);
  check_lines(checks);
}

}  // namespace shardstats::analysis
