// Is every rounded number one that the planner can print (log-format.md section 2)? "07", "0.50" and "1.2345" are not.
#include <algorithm>
#include <array>

#include "analysis/checks.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

constexpr std::size_t kAsNeeded = 98;   // decimals
constexpr std::size_t kComponent = 99;  // no decimals, or below 1 one digit that is not zero (C1)

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// "0", "12", "0.3", "0.0005", "3e-05"
bool is_component(std::string_view text) {
  const std::size_t point = text.find('.'), digit = text.find_first_not_of("0.");
  if (point == std::string_view::npos) return text.size() < 2 || text[0] != '0';
  return text.starts_with("0.") && digit == text.size() - 1;
}

Format format_of(std::size_t decimals) {
  constexpr std::array kRounded = {Format::integer, Format::r1, Format::r2, Format::r3};
  return decimals == kComponent ? Format::c1 : decimals == kAsNeeded ? Format::python_float : kRounded[decimals];
}

// Rounded to `decimals` and printed by Python: no needless zeros in front, none behind the first decimal.
// nan has no such zeros; a number without a point is judged by its value alone.
bool has_shape(std::string_view text, std::size_t decimals) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() < 2) return true;
  if (decimals == kComponent) return is_component(text);
  if (text[0] == '0' && is_digit(text[1])) return false;
  std::size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  if (point + 2 >= text.size()) return point + 1 != text.size();  // none, or one decimal
  return text.size() - point - 1 <= decimals && text.back() != '0';
}

enum class Spelling : std::uint8_t { usual, odd, beyond };
Spelling spelling_of(std::string_view text, std::size_t decimals) {
  if (text.size() < 2) return Spelling::usual;  // nothing printed, a digit
  const auto e = std::ranges::find(text, 'e');
  const bool has_exponent = e != text.end();  // or it is "None"
  const bool is_odd = has_exponent ? is_number(text) && !values_printed_as(text, format_of(decimals))
                                   : !has_shape(text, decimals) && is_number(text);
  if (is_odd) return Spelling::odd;
  // From 10^16 on Python prints an exponent.
  const bool is_beyond = text.size() > 18 || (has_exponent && e + 1 != text.end() && e[1] == '+');
  return is_beyond ? Spelling::beyond : Spelling::usual;
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

template <class Row>
struct Column {
  std::size_t decimals;
  const Cell& (*cell_of)(const Row&);
};
template <class Row, Cell Row::*cell>
const Cell& cell_of(const Row& row) {
  return row.*cell;
}
template <class Row>
const Cell& total_of(const Row& row) {
  return row.perf.total;
}
template <class Row, std::size_t part>
const Cell& component_of(const Row& row) {
  return row.perf.components[part];
}

// The same number of all rows. Where most of them are odd, nothing is damaged: a newer release prints them so.
template <class Row>
void report_column(Checks& checks, std::size_t rows, const Column<Row>& column, const std::vector<const Row*>& odd) {
  if (is_changed_format(checks.printed, odd.size(), rows)) {
    const Cell& first = column.cell_of(*odd.front());
    add_changed_format(checks, first, first.text, odd.size());
    return;
  }
  for (const Row* row : odd) attribute(checks, *row, add_odd(checks, column.cell_of(*row)));
}

template <class Row, std::size_t n>
void check_columns(Checks& checks, const std::vector<Row>& rows, const std::array<Column<Row>, n>& columns) {
  std::array<std::vector<const Row*>, n> odd;
  for (const Row& row : rows)
    for (std::size_t c = 0; c < n; ++c) {
      const Cell& cell = columns[c].cell_of(row);
      const Spelling spelling = spelling_of(cell.text, columns[c].decimals);
      if (spelling == Spelling::odd) odd[c].push_back(&row);
      if (spelling == Spelling::beyond) attribute(checks, row, add_beyond(checks, cell));
    }
  for (std::size_t c = 0; c < n; ++c) report_column(checks, rows.size(), columns[c], odd[c]);
}

template <class Row>
void check_perf_columns(Checks& checks, const std::vector<Row>& rows) {
  static_assert(kPerfParts == 5);
  check_columns(checks, rows,
                std::to_array<Column<Row>>({{3, total_of<Row>},
                                            {kComponent, component_of<Row, 0>},
                                            {kComponent, component_of<Row, 1>},
                                            {kComponent, component_of<Row, 2>},
                                            {kComponent, component_of<Row, 3>},
                                            {kComponent, component_of<Row, 4>}}));
}

void check_rank_columns(Checks& checks, std::size_t memory_decimals) {
  using R = PrintedRank;
  check_columns(checks, checks.printed.ranks.rows,
                std::to_array<Column<R>>({{memory_decimals, cell_of<R, &R::hbm>},
                                          {memory_decimals, cell_of<R, &R::ddr>},
                                          {0, cell_of<R, &R::hbm_percent>},
                                          {0, cell_of<R, &R::ddr_percent>},
                                          {2, cell_of<R, &R::input>},
                                          {2, cell_of<R, &R::output>}}));
  check_perf_columns(checks, checks.printed.ranks.rows);
}

void check_table_columns(Checks& checks) {
  using T = PrintedTable;
  check_columns(checks, checks.printed.tables.rows,
                std::to_array<Column<T>>({{3, cell_of<T, &T::hbm>},
                                          {3, cell_of<T, &T::ddr>},
                                          {3, cell_of<T, &T::ssd>},
                                          {3, cell_of<T, &T::pooling_factor>},
                                          {3, cell_of<T, &T::num_poolings>},
                                          {3, cell_of<T, &T::num_indices>},
                                          {0, cell_of<T, &T::features>},
                                          {0, cell_of<T, &T::emb_dim>},
                                          {0, cell_of<T, &T::cw_dim>},
                                          {0, cell_of<T, &T::hash_size>},
                                          {kAsNeeded, cell_of<T, &T::cache_load_factor>}}));
  check_perf_columns(checks, checks.printed.tables.rows);
}

void check(Checks& checks, const Cell& cell, std::size_t decimals) {
  const Spelling spelling = spelling_of(cell.text, decimals);
  if (spelling == Spelling::odd) add_odd(checks, cell);
  if (spelling == Spelling::beyond) add_beyond(checks, cell);
}

void check_list(Checks& checks, const Cell& cell, bool sorted) {
  std::vector<int> ranks;
  if (parse_ranks(cell.text, ranks) && is_odd_list(cell.text, ranks, sorted)) add_odd_list(checks, cell);
}

// Slots "{int}", "{r1}" to "{r3}", "{L1}" and "{L2}" of the line's form.
void check_line(Checks& checks, const PrintedLine& line) {
  const std::string_view pattern = line_forms()[line.form].pattern;
  const auto slots = checks.printed.slots_of(line);
  const bool sorted = line.id != LineId::top_hbm_table;  // that one is in the order of the shards
  std::size_t slot = 0;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    const std::string_view name = pattern.substr(at + 1, pattern.find('}', at) - at - 1);
    if (name == "ranks") continue;
    if (slot < slots.size() && name == "int") check(checks, slots[slot], 0);
    if (slot < slots.size() && name.size() == 2 && name[0] == 'r' && is_digit(name[1]))
      check(checks, slots[slot], static_cast<std::size_t>(name[1] - '0'));
    if (slot < slots.size() && (name == "L1" || name == "L2")) check_list(checks, slots[slot], sorted);
    ++slot;
  }
}

}  // namespace

bool is_odd_list(std::string_view text, const std::vector<int>& ranks, bool sorted) {
  if (sorted && !std::ranges::is_sorted(ranks)) return true;
  return text != (text.starts_with('[') ? bracketed(ranks) : ranks_text(ranks));
}

Finding& add_odd_list(Checks& checks, const Cell& cell) {
  return add_finding(checks, "log.malformed_cell", cell,
                     "the planner never prints a list of ranks as " + std::string(cell.text));
}

void check_numbers(Checks& checks) {
  const Release release = checks.printed.releases.front();
  if (release == Release::v0_1_0) return;  // prints fixed decimals
  check_rank_columns(checks, release < Release::v0_8_0 ? 1 : 3);
  check_table_columns(checks);
  for (const PrintedLine& line : checks.printed.lines) check_line(checks, line);
}

}  // namespace shardstats::analysis
