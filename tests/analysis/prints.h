// Comparing two PrintedPlans cell by cell. For the tests of changed_print.
#pragma once

#include <string>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::test {

struct Difference {
  std::string where, expected, found;
};

struct PrintComparison {
  std::size_t cells = 0;
  std::vector<Difference> differences;
  std::string shape;  // the first line that is another one; empty: the same lines

  void add(const std::string& where, std::string_view expected, std::string_view found) {
    ++cells;
    if (expected != found) differences.push_back({where, std::string(expected), std::string(found)});
  }
};

template <class Row>
std::vector<std::string_view> cell_texts(Row row) {
  std::vector<std::string_view> texts;
  each_cell(row, [&](const Cell& cell) { texts.push_back(cell.text); });
  return texts;
}

template <class Row>
void compare_rows(const std::string& name, const ColumnTable<Row>& expected, const ColumnTable<Row>& found,
                  PrintComparison& result) {
  const auto header = [](const PrintedColumn& column) { return column.header.text; };
  if (expected.rows.size() != found.rows.size() ||
      !std::ranges::equal(expected.columns, found.columns, {}, header, header)) {
    result.shape = name;
    return;
  }
  for (std::size_t r = 0; r < expected.rows.size(); ++r) {
    const auto a = cell_texts(expected.rows[r]), b = cell_texts(found.rows[r]);
    for (std::size_t c = 0; c < a.size(); ++c)
      if (!a[c].empty() || !b[c].empty())
        result.add(name + " " + std::to_string(r) + " cell " + std::to_string(c), a[c], b[c]);
  }
}

// The order of shards is not printed but in the lists of the Top 5.
inline std::vector<int> sorted_ranks(std::string_view list) {
  std::vector<int> ranks;
  parse_ranks(list, ranks);
  std::ranges::sort(ranks);
  return ranks;
}

inline PrintComparison compare(const PrintedPlan& expected, const PrintedPlan& found) {
  PrintComparison result;
  compare_rows("rank", expected.ranks, found.ranks, result);
  compare_rows("table", expected.tables, found.tables, result);
  for (std::size_t i = 0; i < std::min(expected.lines.size(), found.lines.size()); ++i) {
    const PrintedLine &a = expected.lines[i], &b = found.lines[i];
    const std::string pattern(line_forms()[a.form].pattern);
    if (a.form != b.form) {
      result.shape = "line " + std::to_string(i) + ": " + pattern + " / " + std::string(line_forms()[b.form].pattern);
      return result;
    }
    const auto slots = expected.slots_of(a), other = found.slots_of(b);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const bool same_shards =
          a.id == LineId::top_hbm_table && s == 2 && sorted_ranks(slots[s].text) == sorted_ranks(other[s].text);
      result.add(pattern, slots[s].text, same_shards ? slots[s].text : other[s].text);
    }
  }
  if (expected.lines.size() != found.lines.size()) result.shape = "the number of lines";
  return result;
}

}  // namespace shardstats::test
