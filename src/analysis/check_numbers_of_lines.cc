// The numbers of the lines outside of the tables, as check_numbers.cc has those of the tables.
#include <string>
#include <vector>

#include "analysis/checks.h"
#include "analysis/spelling.h"
#include "shardstats/log/layout.h"

namespace shardstats::analysis {
namespace {

void check_whole(Checks& checks, const Cell& cell) {
  if (is_usual<kWhole>(cell.text)) return;
  const Spelling spelling = spelling_of(cell.text, kWhole);
  if (spelling == Spelling::odd) add_odd(checks, cell);
  if (spelling == Spelling::beyond) add_beyond(checks, cell);
}

// `ranks`: memory to use.
void check_list(Checks& checks, const Cell& cell, bool sorted, std::vector<int>& ranks) {
  ranks.clear();
  if (parse_ranks(cell.text, ranks) && is_odd_list(cell.text, ranks, sorted)) add_odd_list(checks, cell);
}

// Numbers of the lines that are rounded alike.
struct NumbersOfLines {
  std::size_t count = 0;
  std::vector<const Cell*> odd;
};
struct RoundedOfLines {
  NumbersOfLines sizes_and_times, measures;
};

void look_at_number(Checks& checks, const Cell& cell, NumbersOfLines& numbers) {
  ++numbers.count;
  const auto& newer = checks.printed.newer_forms[static_cast<std::size_t>(RoundedNumbers::lines)];
  if (newer ? values_printed_as(cell.text, *newer).has_value() : is_usual<kThree>(cell.text)) return;
  const Spelling spelling = spelling_of(cell.text, kThree);
  if (spelling == Spelling::odd || (newer && spelling == Spelling::usual)) numbers.odd.push_back(&cell);
  if (spelling == Spelling::beyond) add_beyond(checks, cell);
}

// A few odd measures are findings of their own.
void look_at_measure(const Checks& checks, const Cell& cell, NumbersOfLines& measures) {
  ++measures.count;
  if (!values_printed_as(cell.text, checks.printed.format_of(RoundedNumbers::measures))) measures.odd.push_back(&cell);
}

// Slots "{int}", "{p0}", "{r3}", "{f3}", "{L1}" and "{L2}" of the line's form.
void check_line(Checks& checks, const PrintedLine& line, RoundedOfLines& numbers, std::vector<int>& ranks) {
  const auto slots = checks.printed.slots_of(line);
  const bool sorted = line.id != LineId::top_hbm_table;  // that one is in the order of the shards
  each_slot(line_forms()[line.form].pattern, [&](std::size_t slot, std::string_view kind) {
    if (slot >= slots.size()) return;
    if (kind == "int" || kind == "p0") check_whole(checks, slots[slot]);
    if (kind == "r3") look_at_number(checks, slots[slot], numbers.sizes_and_times);
    if (kind == "f3") look_at_measure(checks, slots[slot], numbers.measures);
    if (kind == "L1" || kind == "L2") check_list(checks, slots[slot], sorted, ranks);
  });
}

// Where most of them are odd, nothing is damaged, as in a column. Says so.
bool are_unread(Checks& checks, const NumbersOfLines& numbers, const std::string& what) {
  if (!is_changed_format(checks.printed, numbers.odd.size(), numbers.count)) return false;
  const Cell& first = *numbers.odd.front();
  checks.add_log("log.unknown_format", first,
                 "no known release prints " + what + " as " + std::string(first.text) + "; " +
                     std::to_string(numbers.odd.size()) + " of them are kept but not checked");
  return true;
}

}  // namespace

void check_numbers_of_lines(Checks& checks) {
  RoundedOfLines numbers;
  std::vector<int> ranks;
  for (const PrintedLine& line : checks.printed.lines) check_line(checks, line, numbers, ranks);
  checks.lines_unread = are_unread(checks, numbers.sizes_and_times, "numbers of the lines outside of the tables");
  checks.measures_unread = are_unread(checks, numbers.measures, "measures of imbalance");
  if (!checks.lines_unread)
    for (const Cell* cell : numbers.sizes_and_times.odd) add_odd(checks, *cell);
}

}  // namespace shardstats::analysis
