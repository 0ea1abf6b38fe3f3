// Is every rounded number one that the planner can print (log-format.md section 2)? "07", "0.50" and "1.2345" are not.
#include <algorithm>

#include "analysis/checks.h"

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

// Rounded to `decimals` and printed by Python: no needless zeros in front, none behind the first decimal.
// Exponents and nan have no such zeros; a number without a point is judged by its value alone.
bool has_shape(std::string_view text, std::size_t decimals) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() < 2) return true;
  if (decimals == kComponent) return is_component(text);
  if (text[0] == '0' && is_digit(text[1])) return false;
  std::size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  if (point + 2 >= text.size()) return point + 1 != text.size();  // none, or one decimal
  if (text.find('e', point) != std::string_view::npos) return true;
  return text.size() - point - 1 <= decimals && text.back() != '0';
}

bool is_odd(const Cell& cell, std::size_t decimals) {
  return cell.text.size() >= 2 && !has_shape(cell.text, decimals) && is_number(cell.text);  // nothing printed, a digit
}

// From 10^16 on Python prints an exponent.
bool is_beyond(std::string_view text) {
  return text.size() > 4 && (text.size() > 18 || text.find("e+") != std::string_view::npos);
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
void check_column(Checks& checks, const std::vector<Row>& rows, std::size_t decimals, CellOf cell_of) {
  std::vector<const Row*> odd;
  for (const Row& row : rows) {
    const Cell& cell = cell_of(row);
    if (is_odd(cell, decimals))
      odd.push_back(&row);
    else if (is_beyond(cell.text))
      attribute(checks, row, add_beyond(checks, cell));
  }
  if (is_changed_format(checks.printed, odd.size(), rows.size())) {
    add_changed_format(checks, cell_of(*odd.front()), cell_of(*odd.front()).text, odd.size());
    return;
  }
  for (const Row* row : odd) attribute(checks, *row, add_odd(checks, cell_of(*row)));
}

template <class Row>
void check_column(Checks& checks, const std::vector<Row>& rows, std::size_t decimals, Cell Row::*cell) {
  check_column(checks, rows, decimals, [cell](const Row& row) -> const Cell& { return row.*cell; });
}

template <class Row>
void check_perf_column(Checks& checks, const std::vector<Row>& rows) {
  check_column(checks, rows, 3, [](const Row& row) -> const Cell& { return row.perf.total; });
  for (std::size_t part = 0; part < kPerfParts; ++part)
    check_column(checks, rows, kComponent, [part](const Row& row) -> const Cell& { return row.perf.components[part]; });
}

void check(Checks& checks, const Cell& cell, std::size_t decimals) {
  if (is_odd(cell, decimals))
    add_odd(checks, cell);
  else if (is_beyond(cell.text))
    add_beyond(checks, cell);
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
  const auto& ranks = checks.printed.ranks.rows;
  const std::size_t memory = release < Release::v0_8_0 ? 1 : 3;
  for (const auto cell : {&PrintedRank::hbm, &PrintedRank::ddr}) check_column(checks, ranks, memory, cell);
  for (const auto cell : {&PrintedRank::hbm_percent, &PrintedRank::ddr_percent}) check_column(checks, ranks, 0, cell);
  for (const auto cell : {&PrintedRank::input, &PrintedRank::output}) check_column(checks, ranks, 2, cell);
  check_perf_column(checks, ranks);
  const auto& tables = checks.printed.tables.rows;
  for (const auto cell : {&PrintedTable::hbm, &PrintedTable::ddr, &PrintedTable::ssd, &PrintedTable::pooling_factor,
                          &PrintedTable::num_poolings, &PrintedTable::num_indices})
    check_column(checks, tables, 3, cell);
  for (const auto cell :
       {&PrintedTable::features, &PrintedTable::emb_dim, &PrintedTable::cw_dim, &PrintedTable::hash_size})
    check_column(checks, tables, 0, cell);
  check_column(checks, tables, kAsNeeded, &PrintedTable::cache_load_factor);
  check_perf_column(checks, tables);
  for (const PrintedLine& line : checks.printed.lines) check_line(checks, line);
}

}  // namespace shardstats::analysis
