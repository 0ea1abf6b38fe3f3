// Logs of testdata/logs as a newer release may print them, and what verify says of them. Shared by tests of analysis.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "logs.h"
#include "shardstats/analysis/verify.h"

namespace shardstats {

// "error log.malformed_cell 0,969: the planner never prints ...", without notes.
inline std::vector<std::string> findings(const Report& report) {
  std::vector<std::string> all;
  for (const Finding& f : report.findings)
    if (f.severity != Severity::note)
      all.push_back(std::string(name(f.severity)) + " " + std::string(f.rule->id) + " " + std::string(f.where.text) +
                    ": " + f.message);
  return all;
}
inline std::vector<std::string> findings(const std::string& log) { return findings(Checked(log).report); }

// A line of the box with another text in it, above the line with the mark.
inline std::string inserted(std::string log, const std::string& mark, const std::string& text) {
  const std::size_t at = log.rfind('\n', log.find(mark)) + 1, width = log.find('\n', at) - at;
  return log.insert(at, text + std::string(width - text.size() - 1, ' ') + "#\n");
}

// The text and as many blanks behind it as the old one was longer, or fewer.
inline std::string replaced(std::string log, const std::string& old_text, const std::string& new_text) {
  const std::size_t at = log.find(old_text);
  log.replace(at, old_text.size(), new_text);
  const std::size_t end = at + new_text.size();
  if (new_text.size() > old_text.size()) return log.erase(end, new_text.size() - old_text.size());
  return log.insert(end, old_text.size() - new_text.size(), ' ');
}

inline std::string everywhere(std::string log, const std::string& old_text, const std::string& new_text) {
  for (std::size_t at = 0; (at = log.find(old_text, at)) != std::string::npos; at += new_text.size())
    log.replace(at, old_text.size(), new_text);
  return log;
}

// Cells of a row that are rounded alike, in front of which blanks make up for the decimals that are gone.
struct Rounded {
  std::vector<Cell> cells;
  std::size_t blanks_before;  // characters in front of the first one
};

inline std::vector<Rounded> rounded_cells(const PrintedPlan& plan, RoundedNumbers column) {
  std::vector<Rounded> all;
  for (const PrintedRank& row : plan.ranks.rows) {
    if (column == RoundedNumbers::rank_memory) all.insert(all.end(), {{{row.hbm}, 0}, {{row.ddr}, 0}});
    if (column == RoundedNumbers::rank_perf) all.push_back({{row.perf.total}, 0});
  }
  for (const PrintedTable& row : plan.tables.rows) {
    if (column == RoundedNumbers::table_storage) all.push_back({{row.hbm, row.ddr, row.ssd}, 1});
    if (column == RoundedNumbers::table_perf) all.push_back({{row.perf.total}, 0});
  }
  return all;
}

// Ties of numbers that are rounded already may go either way; with one decimal this log has none.
inline std::string with_one_decimal(std::string log, RoundedNumbers column) {
  const Checked checked(log);
  const std::string_view bytes = checked.source->bytes();
  for (const Rounded& rounded : rounded_cells(checked.printed, column)) {
    const auto at = [&](const Cell& cell) { return static_cast<std::size_t>(cell.text.data() - bytes.data()); };
    const std::size_t start = at(rounded.cells.front()) - rounded.blanks_before;
    const std::size_t end = at(rounded.cells.back()) + rounded.cells.back().text.size();
    std::string text(bytes.substr(start, end - start));
    for (auto cell = rounded.cells.rbegin(); cell != rounded.cells.rend(); ++cell)
      text.replace(at(*cell) - start, cell->text.size(), format(std::stod(std::string(cell->text)), Format::r1));
    log.replace(start, end - start, std::string(end - start - text.size(), ' ') + text);
  }
  return log;
}

// The numbers in the slots of that kind, in all lines, by f(text). Blanks in front of the right border make up for it.
template <class F>
inline std::string with_numbers_of_lines(std::string log, std::string_view kind, F f) {
  const Checked checked(log);
  const std::string_view bytes = checked.source->bytes();
  for (auto line = checked.printed.lines.rbegin(); line != checked.printed.lines.rend(); ++line) {
    std::vector<Cell> numbers;
    each_slot(line_forms()[line->form].pattern, [&](std::size_t slot, std::string_view of) {
      if (of == kind) numbers.push_back(checked.printed.slots_of(*line)[slot]);
    });
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
      const auto at = static_cast<std::size_t>(number->text.data() - bytes.data());
      const std::string text = f(number->text);
      log.replace(at, number->text.size(), text);
      const std::size_t border = log.find('\n', at) - 1;
      if (text.size() <= number->text.size())
        log.insert(border, number->text.size() - text.size(), ' ');
      else
        log.erase(border - (text.size() - number->text.size()), text.size() - number->text.size());
    }
  }
  return log;
}
// Ties of numbers that are rounded already may go either way; in this log those from 1 up go down.
inline std::string with_lines_as(const std::string& log, std::string_view kind, Format form) {
  return with_numbers_of_lines(log, kind, [&](std::string_view text) {
    constexpr double kLittle = 1e-7;
    const double value = std::stod(std::string(text));
    return format(value < 1 ? value : value - kLittle, form);
  });
}

// The lines outside of the tables by f(text), padded as before.
template <class F>
inline std::string with_texts_of_lines(const std::string& log, F f) {
  const Checked checked(log);
  std::set<std::uint32_t> lines;
  for (const PrintedLine& line : checked.printed.lines)
    if (line.id != LineId::rank_table && line.id != LineId::parameter_table) lines.insert(line.place.line);
  std::string changed;
  std::uint32_t number = 0;
  for (std::size_t at = 0, end = 0; at < log.size(); at = end + 1) {
    end = log.find('\n', at);
    const std::string line = log.substr(at, end - at);
    const std::size_t text_end = line.find_last_not_of(' ', line.size() - 2) + 1;
    std::string text = lines.contains(++number) && line.size() > 2 ? f(line.substr(0, text_end)) : line;
    if (text != line && text.size() < line.size()) text += std::string(line.size() - text.size() - 1, ' ') + "#";
    changed += text + "\n";
  }
  return changed;
}

}  // namespace shardstats
