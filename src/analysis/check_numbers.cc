// Is every rounded number one that the planner can print (log-format.md section 2)? "07", "0.50" and "1.2345" are not.
#include "analysis/checks.h"

namespace shardstats::analysis {
namespace {

constexpr std::size_t kShortest = 99;  // decimals as needed, down to the last digit that is not zero

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Rounded to `decimals` and printed by Python: no needless zeros in front, none behind the first decimal.
// Exponents and nan have no such zeros; a number without a point is judged by its value alone.
bool has_shape(std::string_view text, std::size_t decimals) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() < 2) return true;
  if (text[0] == '0' && is_digit(text[1])) return false;
  std::size_t point = 0;
  while (point < text.size() && text[point] != '.') ++point;
  if (point + 2 >= text.size()) return point + 1 != text.size();  // none, or one decimal
  if (text.find('e', point) != std::string_view::npos) return true;
  return text.size() - point - 1 <= decimals && text.back() != '0';
}

// From 10^16 on Python prints an exponent.
bool is_beyond(std::string_view text) { return text.size() > 18 || text.find("e+") != std::string_view::npos; }

void add_finding(Checks& checks, std::string_view rule, std::string message, const Cell& cell, std::int64_t table,
                 int rank) {
  Finding& finding = checks.findings.emplace_back();
  finding.rule = find_rule(rule);
  finding.severity = finding.rule->severity;
  finding.where = cell;
  finding.message = std::move(message);
  finding.suspects.push_back({cell, "the disputed number itself"});
  if (rank >= 0) finding.rank = rank;
  if (table < 0) return;
  finding.table = static_cast<std::uint32_t>(table);
  finding.fqn = checks.printed.tables.rows[*finding.table].fqn.text;
}

void check(Checks& checks, const Cell& cell, std::size_t decimals, std::int64_t table, int rank) {
  if (cell.text.size() < 2) return;  // nothing printed, or a digit
  if (!has_shape(cell.text, decimals) && is_number(cell.text))
    add_finding(checks, "log.malformed_cell", "the planner never prints a number as " + std::string(cell.text), cell,
                table, rank);
  else if (cell.text.size() > 4 && is_beyond(cell.text))
    add_finding(checks, "log.bounds", std::string(cell.text) + " is larger than the numbers that are checked", cell,
                table, rank);
}

// Slots "{r1}" to "{r3}" of the line's form.
void check_line(Checks& checks, const PrintedLine& line) {
  const std::string_view pattern = line_forms()[line.form].pattern;
  const auto slots = checks.printed.slots_of(line);
  std::size_t slot = 0;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    const std::string_view name = pattern.substr(at + 1, pattern.find('}', at) - at - 1);
    if (name == "ranks") continue;
    if (slot < slots.size() && name.size() == 2 && name[0] == 'r' && is_digit(name[1]))
      check(checks, slots[slot], static_cast<std::size_t>(name[1] - '0'), -1, -1);
    ++slot;
  }
}

}  // namespace

void check_numbers(Checks& checks) {
  const Release release = checks.printed.releases.front();
  if (release == Release::v0_1_0) return;  // prints fixed decimals
  const std::size_t memory = release < Release::v0_8_0 ? 1 : 3;
  for (const PrintedRank& row : checks.printed.ranks.rows) {
    const int rank = rank_number(row);
    check(checks, row.hbm, memory, -1, rank);
    check(checks, row.ddr, memory, -1, rank);
    check(checks, row.hbm_percent, 0, -1, rank);
    check(checks, row.ddr_percent, 0, -1, rank);
    check(checks, row.perf.total, 3, -1, rank);
    for (const Cell& component : row.perf.components) check(checks, component, kShortest, -1, rank);
    check(checks, row.input, 2, -1, rank);
    check(checks, row.output, 2, -1, rank);
  }
  for (std::size_t i = 0; i < checks.printed.tables.rows.size(); ++i) {
    const PrintedTable& row = checks.printed.tables.rows[i];
    for (const Cell* cell :
         {&row.perf.total, &row.hbm, &row.ddr, &row.ssd, &row.pooling_factor, &row.num_poolings, &row.num_indices})
      check(checks, *cell, 3, static_cast<std::int64_t>(i), -1);
    for (const Cell& component : row.perf.components)
      check(checks, component, kShortest, static_cast<std::int64_t>(i), -1);
  }
  for (const PrintedLine& line : checks.printed.lines) check_line(checks, line);
}

}  // namespace shardstats::analysis
