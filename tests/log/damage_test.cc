// Damaged rows and lines: what is still read, what is kept aside, what is reported and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "log/texts.h"

namespace shardstats {
namespace {

constexpr std::size_t kWidth = 140;

std::string box_line(const std::string& text) {
  return "# " + text + std::string(std::max(text.size(), kWidth - 3) - text.size(), ' ') + "#\n";
}

// A box around the lines. The parameter table has no other use for its release than to be one.
std::string box(const std::vector<std::string>& lines) {
  const std::string border = std::string(kWidth, '#') + "\n";
  const std::string blanks((kWidth - 2 - 26) / 2, ' ');
  std::string log = border + "#" + blanks + "--- Planner Statistics ---" + blanks + "#\n";
  for (const std::string& line : lines) log += box_line(line);
  return log + border;
}

const std::string kHeader = "       FQN     Sharding                Perf (ms)     Hash Size     Ranks";
const std::string kRule = "     -----   ----------              -----------   -----------   -------";
const std::string kFirst = "   ebc.one           TW   0.081 (0.1,0,0.04,0,0)          1000         3";
const std::string kSecond = "   ebc.two           RW   0.163 (0.1,0,0.08,0,0)            20       0-1";

std::string table(const std::vector<std::string>& rows) {
  std::vector<std::string> lines = {"Parameter Info:", kHeader, kRule};
  lines.insert(lines.end(), rows.begin(), rows.end());
  return box(lines);
}

// A row for each digit.
std::vector<std::string> rank_table(std::string_view ranks) {
  std::vector<std::string> lines = {"     Rank     HBM (GB)", "   ------   ----------"};
  for (const char rank : ranks) lines.push_back(std::string("        ") + rank + "     1.0 (2%)");
  return lines;
}

using Rules = std::vector<std::string_view>;
Rules rules(const PrintedPlan& plan) {
  Rules rules;
  for (const Diagnostic& diagnostic : plan.diagnostics) rules.push_back(diagnostic.rule);
  return rules;
}

TEST(Damage, TheUndamagedTableIsClean) {
  const std::string log = table({kFirst, kSecond});
  const PrintedPlan plan = test::parsed(log);
  EXPECT_TRUE(plan.diagnostics.empty()) << plan.diagnostics.front().message;
  ASSERT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(plan.tables.rows[1].perf.components[2].text, "0.08");
  EXPECT_EQ(plan.tables.rows[1].ranks.text, "0-1");
  EXPECT_EQ(test::rendered(log), log);
}

// A cell without its column's form is kept whole, and the others of the row are read.
TEST(Damage, MalformedCells) {
  const std::string rows[] = {
      test::replaced(kSecond, "    20 ", "   2x0 "),                                // a letter in a number
      test::replaced(kSecond, "0.163", "0..63"),                                    // no number
      test::replaced(kSecond, "0.163 (0.1,0,0.08,0,0)", "    0.163 (0.1,0,0.08)"),  // neither four nor five components
      test::replaced(kSecond, "0-1", "1-0"),                                        // a range that goes down
      test::replaced(kSecond, "0-1", "0,a"),
  };
  for (const std::string& row : rows) {
    const std::string log = table({kFirst, row});
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(plan.diagnostics.size(), 1u) << row;
    EXPECT_EQ(plan.diagnostics[0].rule, "log.malformed_cell") << row;
    EXPECT_EQ(plan.diagnostics[0].severity, Severity::error);
    ASSERT_EQ(plan.tables.odd.size(), 1u) << row;
    EXPECT_EQ(plan.tables.odd[0].row, 1u);
    EXPECT_EQ(plan.tables.odd[0].cell.text, plan.diagnostics[0].where.text);
    EXPECT_EQ(plan.tables.rows[1].fqn.text, "ebc.two");
    EXPECT_EQ(plan.tables.rows[1].sharding.text, "RW");
    EXPECT_EQ(test::rendered(log), log) << row;
  }
}

// Cells that were shifted must not be cut at the old edges: "1000" would be read as "100" without anyone noticing.
TEST(Damage, ShiftedCellsAreNotMisread) {
  for (const std::string& row : {test::replaced(kFirst, "0.081", "0.0815"), test::replaced(kFirst, "0.081", "0.08"),
                                 test::replaced(kFirst, "ebc.one", "ebc.one.longer.name")}) {
    const std::string log = table({row, kSecond});
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(plan.tables.rows.size(), 2u) << row;
    EXPECT_TRUE(plan.diagnostics.empty()) << row;
    EXPECT_EQ(plan.tables.rows[0].hash_size.text, "1000") << row;
    EXPECT_EQ(plan.tables.rows[0].ranks.text, "3") << row;
  }
}

TEST(Damage, ShiftedRowWithALostCellIsReportedOnce) {
  const std::string row = test::replaced(kFirst, "        3", "");
  const std::string log = table({test::replaced(row, "0.081", "0.0815"), kSecond});
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.malformed_cell"});
  EXPECT_FALSE(plan.tables.rows[0].hash_size);
  EXPECT_EQ(plan.tables.rows[0].sharding.text, "TW");
  EXPECT_EQ(plan.tables.rows[1].hash_size.text, "20");
}

// A log cut off inside a row: the piece of a cell that is left is no value.
TEST(Damage, RowCutOffAnywhere) {
  const std::string whole = table({kFirst, kSecond});
  const std::size_t start = whole.find("# " + kSecond);
  for (std::size_t size = 12; size < kSecond.size() + 2; ++size) {
    const std::string_view log = std::string_view(whole).substr(0, start + size);
    const PrintedPlan plan = test::parsed(log);
    ASSERT_FALSE(plan.diagnostics.empty());
    EXPECT_EQ(plan.diagnostics.back().rule, "log.no_closing_border") << size;
    EXPECT_EQ(plan.tables.rows[0].ranks.text, "3") << size;
    ASSERT_EQ(plan.tables.rows.size(), 2u) << size;
    const PrintedTable& cut = plan.tables.rows[1];
    for (const auto& [cell, text] : {std::pair{cut.fqn, "ebc.two"}, std::pair{cut.hash_size, "20"},
                                     std::pair{cut.perf.total, "0.163"}, std::pair{cut.ranks, "0-1"}})
      EXPECT_TRUE(!cell || cell.text == text) << size << " " << cell.text;
  }
}

TEST(Damage, RightBorderMayBeMissing) {
  std::string log = table({kFirst, kSecond});
  for (std::size_t at = log.find(" #\n"); at != std::string::npos; at = log.find(" #\n", at)) {
    const std::size_t start = log.find_last_not_of(' ', at) + 1;
    log.erase(start, at + 2 - start);
  }
  EXPECT_EQ(test::rendered(log), table({kFirst, kSecond}));
}

TEST(Damage, RepeatedRow) {
  const std::string log = table({kFirst, kSecond, kFirst});
  const PrintedPlan plan = test::parsed(log);
  ASSERT_EQ(rules(plan), Rules{"log.duplicate_table"});
  EXPECT_EQ(plan.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(plan.diagnostics[0].where.text, "ebc.one");
  EXPECT_EQ(plan.diagnostics[0].where.place.line, 8u);
}

// Anonymised logs give one name to several tables.
TEST(Damage, RepeatedNameAloneIsNoDamage) {
  EXPECT_TRUE(test::parsed(table({kFirst, test::replaced(kFirst, "0.081", "0.082")})).diagnostics.empty());
}

TEST(Damage, RepeatedLines) {
  const std::string kernels = "Compute Kernels Count:", perf = "Total Perf Imbalance Statistics",
                    hbm = "HBM Imbalance Statistics", distance = "Total Distance: 0.100";
  const std::string fused = "   fused: 1", tier = "Top Tier #1 Estimated Peak HBM Pressure: 0.22 GB on rank 0";
  const struct {
    std::vector<std::string> lines;
    std::uint32_t line;  // 0: none is repeated
    std::string_view text;
  } cases[] = {
      {{"Batch Size: 512", "", "Batch Size: 512"}, 5, ""},
      {{"Batch Size: 512", "Batch Size: 256"}, 4, "256"},
      {{"Critical Path (comms): 0.2", "Critical Path (comms): 0.3"}, 4, "0.3"},
      {{"Sum of Maxima: 0.2 ms", "Sum of Maxima: 0.2 ms"}, 4, ""},
      {{kernels, fused, fused}, 5, ""},
      {{kernels, fused, "   fused: 2"}, 5, "2"},
      {{kernels, fused, "   dense: 1"}, 0, ""},
      {{tier, test::replaced(tier, "rank 0", "rank 1")}, 4, "1"},
      {{tier, test::replaced(tier, "#1", "#2")}, 0, ""},
      {{perf, distance, "", hbm, distance}, 0, ""},
      {{perf, distance, "", distance}, 0, ""},  // a heading that is lost
      {{perf, distance, distance}, 5, ""},
      {{"Top 5 Tables Causing Max Perf:", "   t", "   t"}, 0, ""},  // tables of one name
  };
  for (const auto& c : cases) {
    const std::string log = box(c.lines);
    const PrintedPlan plan = test::parsed(log);
    const auto found = std::ranges::find(plan.diagnostics, "log.repeated_lines", &Diagnostic::rule);
    ASSERT_EQ(found == plan.diagnostics.end(), c.line == 0) << log;
    if (c.line == 0) continue;
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_EQ(found->where.text, c.text);
    EXPECT_EQ(found->where.place.line, c.line);
    EXPECT_EQ(test::rendered(log), [&] {
      std::vector<std::string> left = c.lines;
      left.pop_back();
      return box(left);
    }());
  }
}

TEST(Damage, RepeatedTableIsReadAndPrintedOnce) {
  const std::string log = box({kHeader, kRule, kFirst, "", kHeader, kRule, kSecond});
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.duplicate_table"});
  EXPECT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(test::rendered(log), box({kHeader, kRule, kFirst, kSecond, ""}));
}

TEST(Damage, MissingRows) {
  for (const std::string& log : {table({}), box({"Parameter Info:"})}) {
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(plan.diagnostics.size(), 1u) << log;
    EXPECT_EQ(plan.diagnostics[0].severity, Severity::error);
    EXPECT_NE(plan.diagnostics[0].message.find("the parameter table"), std::string_view::npos);
    EXPECT_GE(plan.diagnostics[0].where.place.line, 3u);
  }
}

TEST(Damage, RankRows) {
  const struct {
    std::string ranks;
    std::size_t errors;
  } cases[] = {{"012", 0},   {"02", 1},   {"12", 1},   {"0112", 1}, {"0121", 1}, {"021", 1},
               {"12340", 1}, {"0224", 3}, {"0321", 2}, {"1032", 2}, {"", 1}};
  for (const auto& c : cases) {
    const std::string log = box(rank_table(c.ranks));
    EXPECT_EQ(rules(test::parsed(log)), Rules(c.errors, "log.rank_rows")) << c.ranks;
  }
}

// The fewest rows that can have moved, and two that changed places rather than one of them and a row between.
TEST(Damage, MovedRankRows) {
  const struct {
    std::string ranks, moved;
  } cases[] = {{"12340", "0"}, {"0321", "31"}, {"2103", "20"}, {"3120", "30"}, {"021", "2"}, {"3201", "32"}};
  for (const auto& c : cases) {
    const std::string log = box(rank_table(c.ranks));
    std::string moved;
    for (const Diagnostic& d : test::parsed(log).diagnostics) moved += d.where.text;
    EXPECT_EQ(moved, c.moved) << c.ranks;
  }
}

// A row that stands twice is read once; one that is lost gets its place, if the tables or the other rows show it.
TEST(Damage, RankRowsHaveTheirPlaces) {
  const struct {
    std::string ranks;
    std::vector<std::string> lists;  // Ranks of tables
    std::string places;              // a dot: lost
  } cases[] = {
      {"0112", {}, "012"},
      {"0120", {}, "012"},
      {"021", {}, "012"},  // another order, but all are there
      {"3120", {"0-3", "3"}, "0123"},
      {"013", {"0-3", "3"}, "01.3"},
      {"01", {"0-3", "3"}, "01.."},
      {"0134", {}, "01.34"},
      {"23", {}, "..23"},
      {"012", {"3"}, "012."},
      {"013", {}, "013"},              // the last number alone may be the wrong one
      {"013", {"0,3"}, "01.3"},        // not both
      {"01", {"3"}, "01"},             // so may one list
      {"01", {"0-1", "3"}, "01"},      // so may one list
      {"0143", {"0-4", "4"}, "0143"},  // not in order
      {"019", {"3"}, "01.......9"},    // nor the last number, where a list tells of lost rows
      {"019", {"0-3", "3"}, "019"},    // unless a table that is on all ranks tells of fewer
  };
  for (const auto& c : cases) {
    std::vector<std::string> lines = rank_table(c.ranks);
    if (!c.lists.empty())
      lines.insert(lines.end(), {"", "     FQN     Sharding     Ranks", "   -----   ----------   -------"});
    for (const std::string& list : c.lists)
      lines.push_back("     t_" + list.substr(0, 1) +
                      (list.find('-') == std::string::npos ? "           TW   " : "           RW   ") +
                      std::string(7 - list.size(), ' ') + list);
    const std::string log = box(lines);
    const PrintedPlan plan = test::parsed(log);
    std::string places;
    for (const PrintedRank& row : plan.ranks.rows) places += row.lost ? "." : std::string(row.rank.text);
    EXPECT_EQ(places, c.places) << log;
    EXPECT_FALSE(rules(plan).empty() && c.places != c.ranks) << log;
    EXPECT_EQ(test::rendered(log) == log, c.ranks == c.places || c.places.find('.') != std::string::npos) << log;
  }
}

// Of a row without its number the row is shown.
TEST(Damage, RowsWithoutTheirRank) {
  const std::string none = "              1.0 (2%)";
  const std::string log =
      box({"     Rank     HBM (GB)", "   ------   ----------", none, none, "", "     FQN     Sharding     Ranks",
           "   -----   ----------   -------", "     t_0           RW       0-3", "     t_1           TW         3"});
  const PrintedPlan plan = test::parsed(log);
  const auto lost = std::ranges::find(plan.diagnostics, DiagnosticKind::ranks_missing_after, &Diagnostic::kind);
  ASSERT_NE(lost, plan.diagnostics.end());
  EXPECT_EQ(lost->where.place.line, 6u);
  EXPECT_EQ(lost->where.text, "1.0 (2%)");
}

// Rows whose headers are lost are told by their cells, and said to be lost once for all of them.
TEST(Damage, RowsWithoutTheirHeaders) {
  const std::string rank = "        0     1.0 (2%)       CW: 0 TW: 1";
  const std::string header = "     FQN     Sharding     Compute Kernel     Hash Size     Ranks";
  const std::string rule = "   -----   ----------   ----------------   -----------   -------";
  const std::string first = "   ebc.a           TW              fused          1000         3";
  const std::string second = "   ebc.b           TW              fused          2000         4";
  const struct {
    std::vector<std::string> lines;
    std::ptrdiff_t errors;
  } cases[] = {
      {{"", first, second}, 1},
      {{header, first, second}, 1},
      {{rule, first, second}, 1},
      {{rank, rank}, 1},
      {{"Parameter Info:", header, rule, first, "", second}, 0},  // it has no place, but its headers are there
      {{"Placement:", "     Name     Sharding     Kernel", "   ------   ----------   --------", first}, 0},
      {{"     Type     TW     RW", "   ------   ----   ----"}, 0},
      {{"a table of others   TW", "   RW and more   1"}, 0},
  };
  for (const auto& c : cases) {
    const PrintedPlan plan = test::parsed(box(c.lines));
    EXPECT_EQ(std::ranges::count(rules(plan), "log.missing_lines"), c.errors) << c.lines[0] << c.lines[1];
  }
}

// Two lines below tell as well; one alone may be wrong.
TEST(Damage, LinesTellOfLostRankRows) {
  const std::string list = "Maximum of Forward Compute: 1.0 ms on ranks 0-3", one = "Max HBM: 1.0 GB on ranks [1, 3]";
  const struct {
    std::vector<std::string> lines;
    std::size_t ranks;
  } cases[] = {{{}, 2}, {{list}, 2}, {{one}, 2}, {{list, one}, 4}};
  for (const auto& c : cases) {
    std::vector<std::string> lines = rank_table("01");
    lines.emplace_back();
    lines.insert(lines.end(), c.lines.begin(), c.lines.end());
    const std::string log = box(lines);
    EXPECT_EQ(test::parsed(log).ranks.rows.size(), c.ranks) << log;
  }
}

// A line that is known, below a heading that is lost; that of an unknown section may be another one.
TEST(Damage, LinesBelowALostHeading) {
  const std::string value = "Total Variation: 0.5";
  const struct {
    std::vector<std::string> lines;
    std::string_view rule;
  } cases[] = {{{"Batch Size: 512", "", value}, "log.missing_lines"},
               {{"Batch Size: 512", "", "SSD Imbalance Statistics", value}, "log.unknown_line"}};
  for (const auto& c : cases) {
    const std::string log = box(c.lines);
    const PrintedPlan plan = test::parsed(log);
    EXPECT_EQ(plan.diagnostics.back().rule, c.rule);
    EXPECT_EQ(plan.diagnostics.back().where.text, value);
  }
}

// The width at which lines were broken may lie in a header.
TEST(Damage, ALineOfHeadersThatEndsInOne) {
  const struct {
    std::string header;
    std::string_view rule;
  } cases[] = {{"     FQN     Sharding     Ran", "log.cut_lines"},
               {"     FQN     Sharding     Cat", "log.unknown_column"}};
  for (const auto& c : cases) {
    std::string log = box({c.header, "   -----   ----------   -----", "     one           TW       3"});
    log.erase(log.find(c.header) + c.header.size(),
              log.find('\n', log.find(c.header)) - log.find(c.header) - c.header.size());
    const PrintedPlan plan = test::parsed(log);
    EXPECT_TRUE(std::ranges::count(rules(plan), c.rule) == 1) << log;
  }
}

// A comment of another program that looks like a line of a list, but stands outside of the frame.
TEST(Damage, CommentsAmongNestedLines) {
  std::string log = box({"Compute Kernels:", "   fused: 3", "   dense: 1"});
  log.insert(log.find("#    dense"), "# of params: 123456\n");
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.foreign_lines"});
  EXPECT_EQ(std::ranges::count(plan.lines, LineId::kernel_count, &PrintedLine::id), 2);
}

// A line of a kernel that ends in the name or behind it has lost its value; no release before v0.2.0 indents it as far.
TEST(Damage, LinesOfKernelsThatAreCutOff) {
  for (const std::string indent : {"  ", "   "}) {
    const std::string log = box({"Compute Kernels:", indent + "sparse: 3", indent + "dense: 1"});
    const std::size_t start = log.find("sparse"), end = log.find('\n', start), value = log.find("3 ", start);
    for (std::size_t at = start + 1; at < value; ++at) {
      std::string cut = log;
      cut.erase(at, end - at);
      const PrintedPlan plan = test::parsed(cut);
      const auto error = std::ranges::find(plan.diagnostics, "log.malformed_cell", &Diagnostic::rule);
      ASSERT_NE(error, plan.diagnostics.end()) << cut;
      EXPECT_EQ(error->where.place.line, 4u);
      EXPECT_EQ(std::ranges::count(plan.lines, LineId::kernel_count, &PrintedLine::id), 1);
    }
  }
}

// Of which there may have been any line.
TEST(Damage, LinesThatAreCutOffInFrontOfTheirText) {
  const std::string log = box({"Compute Kernels:", "   fused: 3", "   dense: 1", ""}), line = box_line("   dense: 1");
  for (const auto& [left, errors] : {std::pair<std::string, int>{"#    \n", 1}, {"# \n", 1}, {"#\n", 0}, {"", 0}}) {
    const std::string cut = test::replaced(log, line, left);
    EXPECT_EQ(std::ranges::count(rules(test::parsed(cut)), "log.malformed_cell"), errors) << left;
    const std::string all_cut = test::replaced(cut, box_line(""), "#  \n");
    EXPECT_EQ(std::ranges::count(rules(test::parsed(all_cut)), "log.malformed_cell"), 0) << left;
  }
}

// Names may have any blanks; what got into a list of names from a table has cells that no name has.
TEST(Damage, NamesInLists) {
  const std::string rank = "0     1.0 (2%)       CW: 0 TW: 1";
  const std::string table = test::replaced(kFirst, "ebc.one", "  a   b");
  const auto with = [&](const std::string& line) {
    return test::parsed(
        box({"Parameter Info:", kHeader, kRule, table, "", "Top 5 Tables Causing Max Perf:", "   " + line}));
  };
  const std::size_t others = with("a").diagnostics.size();
  for (const auto& [line, names] : {std::pair{std::string("a   b"), 1},
                                    {"a b", 1},
                                    {"Name     Perf", 0},
                                    {"----     ----", 0},
                                    {kFirst.substr(3), 0},
                                    {rank, 0},
                                    {"fused: HBM: 1.0", 0}}) {
    const PrintedPlan plan = with(line);
    EXPECT_EQ(std::ranges::count(plan.lines, LineId::top_perf_table, &PrintedLine::id), names) << line;
    EXPECT_EQ(plan.diagnostics.size() == others, names == 1) << line;
  }
}

// The row of dashes is no row of the table, and what got into the blank line below it is none either.
TEST(Damage, LinesThatAreNoRows) {
  const std::string header = "     Rank     HBM (GB)     DDR (GB)", rule = "   ------   ----------   ----------";
  const std::string first = "        0     1.0 (2%)     0.0 (0%)", second = "        1     1.0 (2%)     0.0 (0%)";
  const struct {
    std::vector<std::string> lines;
    Rules rules;
    std::uint32_t line;  // of the first of them
  } cases[] = {
      {{header, rule, rule, first, second}, {"log.repeated_lines"}, 5},
      {{header, rule, first, rule, second}, {"log.repeated_lines"}, 6},
      {{header, rule, first, second, "                    ?"}, {"log.unknown_line"}, 7},
      {{header, rule, first, second, std::string(60, ' ') + "?"}, {"log.unknown_line"}, 7},
      {{header, rule, first, "                    ?", second}, {"log.malformed_cell"}, 6},
      {{header, rule, first, "...", second}, {"log.foreign_lines"}, 6},
      {{header, rule, first, "       ...", second}, {"log.malformed_cell"}, 6},
      {{header, rule, first, "", second}, {"log.foreign_lines"}, 6},
      {{header, rule, "        x     x.x (x%)     x.x (x%)", second},
       {"log.malformed_cell", "log.malformed_cell", "log.malformed_cell"},
       5},  // a masked row
      {{header, rule, first, second, std::string(10, ' ') + "NCCL INFO Channel 00/02 : 0 1"},
       {"log.malformed_cell"},
       7},
  };
  for (const auto& c : cases) {
    std::vector<std::string> lines = c.lines;
    lines.insert(lines.end(), {"", "Batch Size: 512"});
    const std::string log = box(lines);
    const PrintedPlan plan = test::parsed(log);
    EXPECT_EQ(rules(plan), c.rules) << log;
    EXPECT_EQ(plan.diagnostics.front().where.place.line, c.line) << log;
    EXPECT_EQ(plan.ranks.rows.back().rank.text, "1") << log;
    EXPECT_NE(plan.find(LineId::batch_size), nullptr) << log;
  }
}

TEST(Damage, UnknownColumnIsKept) {
  const std::string log =
      box({"     FQN     Sharding     Ranks     Colour", "   -----   ----------   -------   --------",
           "     one           TW         3        red"});
  const PrintedPlan plan = test::parsed(log);
  ASSERT_EQ(rules(plan), Rules{"log.unknown_column"});
  EXPECT_EQ(plan.diagnostics[0].where.text, "Colour");
  ASSERT_EQ(plan.tables.odd.size(), 1u);
  EXPECT_EQ(plan.tables.odd[0].cell.text, "red");
  EXPECT_EQ(plan.tables.rows[0].ranks.text, "3");
  EXPECT_EQ(test::rendered(log), log);
}

// Bytes that continue no character take no column, so that a line which holds them may still be as wide as its box.
TEST(Damage, HeaderBehindTheDashes) {
  for (const std::string_view header : {"Colour", "Colour#", "\x80\x80\x80"}) {
    const std::string log = box({"     FQN     Sharding     Ranks        " + std::string(header),
                                 "   -----   ----------   -------", "     one           TW         3"});
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(rules(plan), Rules{"log.unknown_column"}) << header;
    EXPECT_EQ(plan.diagnostics[0].where.text, header);
    EXPECT_EQ(plan.tables.columns.size(), 3u);
  }
}

// A label that is known with a value that is not is an error at that value; what is not known at all is a warning.
TEST(Damage, Lines) {
  const struct {
    std::string_view text, rule, where;
  } cases[] = {
      {"Batch Size: 51x2", "log.malformed_cell", "51x2"},
      {"Batch Size: 512 or so", "log.unknown_line", "Batch Size: 512 or so"},
      {"Peak Memory Pressure: 1.5 GB on ranks 3-1", "log.malformed_cell", "3-1"},
      {"Peak Memory Pressure: 1..5 GB on ranks 0-1", "log.malformed_cell", "1..5"},
      {"Max HBM: 1.5 GB on ranks [3, x]", "log.malformed_cell", "[3, x]"},
      {"Top Tier #2 Estimated Peak HBM Pressure: 1.5 MB on rank 0", "log.malformed_cell", "1.5"},
      {"Warmth: 3", "log.unknown_line", "Warmth: 3"},
      {"   nested: 3", "log.unknown_line", "nested: 3"},
      {"  indented by hand", "log.unknown_line", "indented by hand"},
  };
  for (const auto& c : cases) {
    const std::string log = box({std::string(c.text)});
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(plan.diagnostics.size(), 1u) << c.text;
    const Diagnostic& found = plan.diagnostics[0];
    EXPECT_EQ(found.rule, c.rule) << c.text;
    EXPECT_EQ(found.severity, c.rule == "log.unknown_line" ? Severity::warning : Severity::error) << c.text;
    EXPECT_EQ(found.where.text, c.where) << c.text;
    EXPECT_EQ(found.where.place, (Place{3, static_cast<std::uint32_t>(3 + c.text.find(c.where))})) << c.text;
    EXPECT_EQ(test::rendered(log), log) << c.text;
  }
}

// A line of a section whose heading is lost is none of the section above.
TEST(Damage, LinesWithoutTheirHeading) {
  const std::string log =
      box({"Compute Kernels Optimizer State:", "   fused: 0.5 GB", "   fused: HBM: 1.5 GB, DDR: 0.0 GB"});
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.unknown_line"});
  EXPECT_EQ(plan.diagnostics.front().where.place.line, 5u);
  EXPECT_EQ(test::rendered(log), log);
}

// A title that does not open a box is a line of somebody else's.
TEST(Damage, TitleInsideOfTheBox) {
  const std::string log = box({"Batch Size: 512", "     --- Planner Statistics ---"});
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.unknown_line"});
  EXPECT_EQ(test::rendered(log), log);
}

// Lines without padding may stick out; all else that is not as long as the box is said once.
TEST(Damage, LengthsOfTheFrame) {
  const std::string line = "Batch Size: 512", padding(kWidth - 3 - line.size(), ' ');
  const struct {
    std::string from, to;
    Rules rules;
  } cases[] = {
      {line, line, {}},
      {line, line + "      ", {"log.decoration"}},
      {line + padding, std::string(kWidth, 'x'), {"log.unknown_line"}},
      {"##\n#  ", "##########\n#  ", {"log.decoration"}},
      {"-- #", "--- #", {"log.decoration"}},
  };
  const std::string log = box({line, std::string(kWidth - 4, '-')});
  for (const auto& c : cases)
    EXPECT_EQ(rules(test::parsed(test::replaced(log, c.from, c.to))), c.rules) << c.from << c.to;
}

// The end of the log may be in the middle of its last line.
TEST(Damage, CutOffWithinTheClosingBorder) {
  const std::string log = box({"Batch Size: 512"});
  const std::size_t border = log.rfind("\n#") + 1;
  for (std::size_t size = 60; size < kWidth; ++size)
    EXPECT_EQ(rules(test::parsed(log.substr(0, border + size))), Rules{"log.cut_border"}) << size;
  EXPECT_EQ(rules(test::parsed(log.substr(0, border + kWidth))), Rules{});
  // Not where its rest follows, or anything else, nor where both are short.
  const std::string cut = log.substr(0, border + 100);
  EXPECT_EQ(rules(test::parsed(cut + "\n" + std::string(kWidth - 100, '#') + "\n")), Rules{"log.wrapped"});
  EXPECT_EQ(rules(test::parsed(cut + "\nstep 1\n")), Rules{"log.decoration"});
  EXPECT_EQ(rules(test::parsed(cut.substr(40))), Rules{"log.decoration"});
}

// Columns are bytes, but cells are aligned by characters.
TEST(Damage, NamesOutsideAscii) {
  std::string wide = test::replaced(kFirst, "ebc.one", "ebc.\xc3\xb6ne");
  const std::string log = test::replaced(table({wide, kSecond}), wide + "  ", wide + "   ");  // padded by characters
  const PrintedPlan plan = test::parsed(log);
  EXPECT_TRUE(plan.diagnostics.empty());
  ASSERT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(plan.tables.rows[0].fqn.text, "ebc.\xc3\xb6ne");
  EXPECT_EQ(plan.tables.rows[0].ranks.text, "3");
  EXPECT_EQ(plan.tables.rows[0].ranks.place.column, plan.tables.rows[1].ranks.place.column + 3);
  EXPECT_EQ(test::rendered(log), log);
}

// --- what happens to whole lines -------------------------------------------------------------------------------------

std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ') out.push_back(c);
  return out;
}

TEST(Damage, SqueezedBlanks) {
  const std::string log =
      box({kHeader, kRule, kFirst, test::replaced(kSecond, "ebc.two", "ebc. two 2"), "", "Batch Size: 512"});
  const std::string changed = squeezed(log);
  const PrintedPlan plan = test::parsed(changed);
  EXPECT_EQ(rules(plan), Rules{"log.squeezed"});
  ASSERT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(plan.tables.rows[1].fqn.text, "ebc. two 2");
  EXPECT_EQ(plan.tables.rows[1].perf.components[2].text, "0.08");
  EXPECT_EQ(plan.tables.rows[1].ranks.text, "0-1");
  EXPECT_EQ(plan.slot(LineId::batch_size).text, "512");
}

// Cut off inside the column Hash Size: its piece "10" of "1000" is no number.
TEST(Damage, LinesCutOffAtAColumn) {
  const std::string log = table({kFirst, kSecond});
  const std::size_t edge = 2 + kFirst.find("1000") + 2;
  std::string cut;
  for (std::size_t start = 0; start < log.size(); start = log.find('\n', start) + 1)
    cut += log.substr(start, edge) + "\n";
  const PrintedPlan plan = test::parsed(cut);
  EXPECT_EQ(rules(plan), Rules{"log.cut_lines"});
  ASSERT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(plan.tables.rows[0].perf.total.text, "0.081");
  EXPECT_FALSE(plan.tables.rows[0].hash_size);
}

// The first so many bytes of each line, without blanks at their ends, as copies of a terminal leave them.
std::string copied(const std::string& log, std::size_t width) {
  std::string copy;
  for (std::size_t start = 0; start < log.size(); start = log.find('\n', start) + 1) {
    const std::string line = log.substr(start, std::min(width, log.find('\n', start) - start));
    copy += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return copy;
}

// Where no cell reaches the edge, the borders do, and the title stands in the middle of more: a column may be lost that
// stood there. Where the title was moved the divider tells, which is shorter than a border otherwise.
TEST(Damage, LinesCutOffBehindTheirCells) {
  const std::vector<std::string> table = {kHeader, kRule, kFirst, kSecond, "", "Batch Size: 512"};
  std::vector<std::string> with_divider = table;
  with_divider.emplace_back(kWidth - 4, '-');
  const std::string title = "--- Planner Statistics ---";
  const struct {
    std::string log;
    std::size_t width;
    std::string_view rule;
  } cases[] = {{box(table), kWidth - 40, "log.cut_lines"},
               {box(with_divider), kWidth - 40, "log.cut_lines"},
               {test::replaced(box(with_divider), std::string(50, ' ') + title, title + std::string(50, ' ')),
                kWidth - 40, "log.cut_lines"},
               {box(table), kWidth - 4, "log.cut_lines"},
               {box(table), kWidth - 3, "log.right_border"},  // no more than the frame
               {box(with_divider), kWidth - 3, "log.right_border"}};
  for (const auto& c : cases) {
    const std::string log = copied(c.log, c.width);
    const PrintedPlan plan = test::parsed(log);
    ASSERT_FALSE(plan.diagnostics.empty()) << log;
    const auto told = std::ranges::find(plan.diagnostics, c.rule, &Diagnostic::rule);
    ASSERT_NE(told, plan.diagnostics.end()) << log;
    EXPECT_EQ(told->where.place.column, c.rule == "log.cut_lines" ? c.width : 1);
    ASSERT_EQ(plan.tables.rows.size(), 2u);
    EXPECT_EQ(plan.tables.rows[1].ranks.text, "0-1");
  }
}

// A line of dashes as long as the box, and one that lost its '#', are no cut where others are whole.
TEST(Damage, OpenLinesOfAWholeBox) {
  const std::string log = box({kHeader, kRule, kFirst, kSecond, "", std::string(kWidth - 4, '-'), "Batch Size: 512"});
  for (const std::string& open : {test::replaced(log, "-- #", "----"), test::replaced(log, "-- #", "--")})
    EXPECT_EQ(std::ranges::count(rules(test::parsed(open)), "log.cut_lines"), 0) << open;
}

// What a cut leaves of a header may be a header of v0.1.0, "Input" of "Input (MB)"; pieces of numbers stand below it.
TEST(Damage, LinesCutOffInsideAHeaderThatBeginsAsAnother) {
  const std::string log =
      box({"     Rank     HBM (GB)     DDR (GB)     Perf (ms)     Input (MB)     Output (MB)     Shards",
           "   ------   ----------   ----------   -----------   ------------   -------------   --------",
           "        0   1.372 (2%)     0.0 (0%)   1405.275301      123456.78      1234567.89    TW: 123",
           "        1   0.174 (0%)     0.0 (0%)         0.301           1.25            0.01      TW: 1", "",
           "Input: MB/iteration, Output: MB/iteration, Shards: number of tables"});
  const struct {
    std::string piece;
    Cell (*cell)(const PrintedRank&);
  } cases[] = {{"Perf", [](const PrintedRank& row) { return row.perf.total; }},
               {"Input", [](const PrintedRank& row) { return row.input; }},
               {"Output", [](const PrintedRank& row) { return row.output; }}};
  for (const auto& c : cases) {
    const std::size_t header = log.find("#      Rank"), edge = log.find(c.piece, header) + c.piece.size() - header;
    for (const std::size_t width : {edge, edge + 1}) {
      const std::string cut = copied(log, width);
      const PrintedPlan plan = test::parsed(cut);
      EXPECT_TRUE(plan.is_reported(DiagnosticKind::cut_headers)) << cut;
      ASSERT_EQ(plan.ranks.rows.size(), 2u) << cut;
      EXPECT_EQ(plan.ranks.rows[0].hbm.text, "1.372");
      EXPECT_FALSE(c.cell(plan.ranks.rows[0])) << cut;
    }
  }
}

TEST(Damage, LinesOfOthersInsideATable) {
  std::string log = table({kFirst, kSecond});
  log.insert(log.find("# " + kSecond), "# note to self\n");
  const PrintedPlan plan = test::parsed(log);
  EXPECT_EQ(rules(plan), Rules{"log.foreign_lines"});
  EXPECT_EQ(plan.tables.rows.size(), 2u);
  EXPECT_EQ(test::rendered(log), table({kFirst, kSecond}));
}

// Comments and small tables of others look like lines of the box, but are far narrower. What the planner's words tell
// is its own line, however narrow.
TEST(Damage, NarrowLinesOfOthers) {
  const std::string log = table({kFirst, kSecond});
  const std::size_t first = log.find('\n', log.find("Planner Statistics")) + 1;
  for (const std::string_view line : {"# note to self", "# ------------ #", "# -------------------------------- #"})
    for (std::size_t at = first; at < log.size(); at = log.find('\n', at) + 1) {
      std::string noisy = log;
      noisy.insert(at, std::string(line) + "\n");
      EXPECT_EQ(rules(test::parsed(noisy)), Rules{"log.foreign_lines"}) << noisy;
      EXPECT_EQ(test::rendered(noisy), log) << noisy;
    }
  std::string short_line = log;
  short_line.insert(first, "# Batch Size: 512 #\n");
  EXPECT_EQ(test::parsed(short_line).slot(LineId::batch_size).text, "512");
}

TEST(Damage, BordersAreRenderedAgain) {
  const std::string whole = table({kFirst, kSecond});
  EXPECT_EQ(test::rendered(whole.substr(kWidth + 1)), whole);
  EXPECT_EQ(test::rendered(whole.substr(0, whole.size() - kWidth - 1)), whole);
}

// With a divider, and without the borders and all that is no text of the lines.
std::string with_divider(std::string log) {
  return log.insert(log.find('\n', log.find("Planner Statistics")) + 1, "# " + std::string(kWidth - 4, '-') + " #\n");
}
std::string bare(const std::string& log) {
  std::string text;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = log.find('\n', start);
    if (log[start + 1] != '#') text += log.substr(start + 2, log.find_last_not_of(" #", end - 1) - start - 1) + "\n";
    start = end + 1;
  }
  return text;
}

TEST(Damage, WithoutFrame) {
  const std::string log = with_divider(table({kFirst, kSecond})), text = bare(log);
  const PrintedPlan plan = test::parsed(text + "somebody else speaks\n");
  EXPECT_EQ(rules(plan),
            (Rules{"log.no_frame", "log.foreign_lines", "log.no_opening_border", "log.no_closing_border"}));
  EXPECT_EQ(plan.tables.rows[1].ranks.text, "0-1");
  EXPECT_EQ(test::rendered(text), log);
}

// Rows of ranks that are none any more, below which no other tells that one is missing.
TEST(Damage, LinesOfTheBoxThatAreLeftOut) {
  const std::string last = "        1     1.0 (2%)       CW: 0 TW: 1";
  const std::string log =
      with_divider(box({"     Rank     HBM (GB)             Shards", "   ------   ----------           --------",
                        "        0     1.0 (2%)       CW: 0 TW: 1", last, "", "Compute Kernels:", "  fused: 2"}));
  const std::string row = box_line(last), kernel = box_line("  fused: 2");
  const struct {
    std::string log;
    bool lost;
  } cases[] = {
      {log, false},
      {test::replaced(bare(log), last, "loss:  " + last), true},
      {test::replaced(bare(log), last, last.substr(8)), true},
      {test::replaced(bare(log), last, "memory 1.0 (2%) of 80 (90%)"), false},
      {test::replaced(bare(log), last, "placement done (50%) on DP: 3 hosts"), false},
      {test::replaced(log, row, row.substr(1)), true},
      {test::replaced(log, row, last + "\n"), true},
      {test::replaced(log, kernel, kernel.substr(1)), true},
      {test::replaced(log, kernel, " " + kernel.substr(1)), true},
      {test::replaced(log, kernel, "fused: 2\n" + kernel), false},
      {test::replaced(log, kernel, "x: " + kernel.substr(1) + kernel), true},
      {test::replaced(log, kernel, "x: 50%|#####     |\n# 1 2\nWARNING  #\n" + kernel), false},
  };
  for (const auto& c : cases) {
    const PrintedPlan plan = test::parsed(c.log);
    const auto is_error = [](const Diagnostic& found) {
      return found.rule == "log.foreign_lines" && found.severity == Severity::error;
    };
    EXPECT_EQ(std::ranges::any_of(plan.diagnostics, is_error), c.lost) << c.log;
  }
}

// The rows of a table whose blanks were squeezed are told from comments by what they hold.
TEST(Damage, SqueezedRowsThatWereCutOff) {
  const std::string log = box(
      {"Rank HBM (GB) Shards", "------ ---------- --------", "0 1.0 (2%) CW: 0 TW: 1", "", "Perf: Total perf (ms)"});
  const std::string padded = "# 1 1.0 (2%) CW:" + std::string(kWidth / 2, ' ');
  for (const auto& [line, lost] : {std::pair<std::string, bool>{"# 1 1.0 (2%) C", true},
                                   {"# 1 1.", true},
                                   {padded, true},
                                   {"1 1.0 #", true},
                                   {"# 1 note", false}}) {
    const std::string noisy = test::replaced(log, box_line(""), line + "\n" + box_line(""));
    const auto errors = std::ranges::count(test::parsed(noisy).diagnostics, Severity::error, &Diagnostic::severity);
    EXPECT_EQ(errors, lost ? 1 : 0) << line;
  }
}

// Where blanks are squeezed, an empty line ends the table: of a row that was cut off at its start nothing else is left.
TEST(Damage, SqueezedRowsBehindAnEmptyLine) {
  const std::string row = " 1.0 (2%) CW: 0 TW: 1";
  const std::string log =
      box({"Rank HBM (GB) Shards", "------ ---------- --------", "0" + row, "", "2" + row, "2" + row});
  const PrintedPlan plan = test::parsed(squeezed(log));
  EXPECT_EQ(plan.ranks.rows.size(), 1u);
  ASSERT_EQ(std::ranges::count(rules(plan), "log.missing_lines"), 1);
  const auto error = std::ranges::find(plan.diagnostics, "log.missing_lines", &Diagnostic::rule);
  EXPECT_TRUE(error->message.starts_with("an empty line ended the rank table")) << error->message;
}

// Shards may be empty, but not where the row was cut off in front of them.
TEST(Damage, RowsThatEndBeforeAnEmptyCell) {
  const std::string row = "        0     1.0 (2%)";
  const std::string log = box({"     Rank     HBM (GB)     Shards", "   ------   ----------   --------", row});
  for (const auto& [line, errors] : {std::pair{box_line(row), 0}, {"# " + row + "\n", 1}, {"# " + row + "   \n", 1}}) {
    const std::string cut = test::replaced(log, box_line(row), line);
    const PrintedPlan plan = test::parsed(cut);
    EXPECT_EQ(std::ranges::count(rules(plan), "log.malformed_cell"), errors) << line;
    EXPECT_EQ(plan.ranks.rows[0].hbm.text, "1.0");
  }
}

// Nor where a cell in front of them is lost, which takes them with it.
TEST(Damage, AnEmptyCellBehindALostOne) {
  const std::string row = "        0     1.0 (2%)     0.0 (0%)",
                    header = "     Rank     HBM (GB)     DDR (GB)     Shards";
  for (const std::string& cut : {row, row.substr(0, row.size() - 8)}) {
    const std::string log = box({header, "   ------   ----------   ----------   --------", cut});
    const PrintedPlan plan = test::parsed(log);
    ASSERT_EQ(plan.ranks.rows.size(), 1u);
    EXPECT_EQ(plan.ranks.rows[0].shards.text.data() == nullptr, cut != row) << cut;
  }
}

// A terminal shows what stands behind a carriage return in the place of what stands in front of it.
TEST(Damage, CarriageReturnsInALine) {
  const std::string log = box({"Batch Size: 1024", "", "Compute Kernels:", "  fused: 7", "", "\tPerf: Total perf"});
  const std::string batch = box_line("Batch Size: 1024"), kernel = box_line("  fused: 7");
  const struct {
    std::string log;
    bool lost;
  } cases[] = {
      {test::replaced(log, batch, "50%|###   |\r" + batch), false},
      {test::replaced(log, batch, batch.substr(0, batch.size() - 1) + "\r50%|###   |\n"), false},
      {test::replaced(log, "1024", "10\r24"), true},
      {test::replaced(log, "1024", "1\r24"), true},
      {test::replaced(log, "fused: 7", "fused\r: 7"), true},
      {test::replaced(log, "fused: 7", "fused: 7\r"), true},
  };
  for (const auto& c : cases)
    for (const std::string& with_tab : {c.log, test::replaced(c.log, "\t", "  ")}) {
      const PrintedPlan plan = test::parsed(with_tab);
      const bool has_error = std::ranges::count(plan.diagnostics, Severity::error, &Diagnostic::severity) > 0;
      EXPECT_EQ(has_error, c.lost) << with_tab;
    }
}

// Nor is the number at the end read where no line has its right border.
TEST(Damage, CutOffWithinTheLastLine) {
  std::string log = table({kFirst, kSecond});
  log = log.substr(0, log.rfind("\n#") + 1) + "# Batch Size: 10";
  for (std::size_t at = log.find(" #\n"); at != std::string::npos; at = log.find(" #\n")) log.erase(at, 2);
  EXPECT_FALSE(test::parsed(log).slot(LineId::batch_size));
  EXPECT_EQ(test::parsed(log + "24\n#\n").slot(LineId::batch_size).text, "1024");
}

// What ends where the others have their right border may have gone on.
TEST(Damage, LinesThatEndInTheirText) {
  const std::string log = box(
      {"Batch Size: 1024", "", "Maximum of Forward Compute: 1.0 ms on ranks 0-3", "Max HBM: 1.0 GB on ranks [1, 3]"});
  const struct {
    std::string_view text, end;
    bool lost;
  } cases[] = {
      {"Batch Size: 1024", "Batch Size: 10", true},      {"Batch Size: 1024", "Batch Size: 1024", true},
      {"Batch Size: 1024", "Batch Size: 1024  ", false}, {"on ranks 0-3", "on ranks 0", true},
      {"on ranks [1, 3]", "on ranks [1, 3]", false},
  };
  for (const auto& c : cases) {
    const std::size_t at = log.find(c.text);
    const std::string open = log.substr(0, at) + std::string(c.end) + log.substr(log.find('\n', at));
    const PrintedPlan plan = test::parsed(open);
    EXPECT_EQ(plan.is_rule_reported(DiagnosticKind::malformed_cell), c.lost) << c.end;
    const bool is_read = !c.lost || !c.text.starts_with("Batch");
    EXPECT_EQ(plan.slot(LineId::batch_size).text, is_read ? "1024" : "") << c.end;
  }
}

TEST(Damage, ProcessesThatAgreeOrNot) {
  const std::string one = table({kFirst, kSecond});
  for (const std::string& other : {one, table({kFirst, test::replaced(kSecond, "0.163", "0.164")})}) {
    std::string log;
    for (std::size_t at = 0; at < one.size(); at = one.find('\n', at) + 1)
      for (const auto& [tag, text] : {std::pair{"[rank0]: ", &one}, std::pair{"[rank1]: ", &other}})
        log += tag + text->substr(at, text->find('\n', at) + 1 - at);
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 2u);
    const PrintedPlan plan = parse(blocks[1]);
    const auto twin = std::ranges::find(plan.diagnostics, "log.twin", &Diagnostic::rule);
    ASSERT_NE(twin, plan.diagnostics.end());
    EXPECT_EQ(twin->severity, other == one ? Severity::note : Severity::warning);
  }
}

// With the heading of the KJT storage and the line in front of it, that of the dense storage may be lost, too. Where
// the lines of both are left, or nothing below them, the first is known.
TEST(Damage, TheStorageThatIsLeftMayBeThatOfTheKjt) {
  const std::string dense = "Dense Storage (per rank): ", size = "   HBM: 0.5 GB, DDR: 0.0 GB",
                    kjt = "KJT Storage (per rank): ";
  const std::string below = "Top 5 Tables Causing Max Perf:";
  const struct {
    std::vector<std::string> lines;
    bool is_read;
  } cases[] = {
      {{dense, size, "", kjt, "   HBM: 0.1 GB, DDR: 0.0 GB", "", below}, true},
      {{dense, size, "", below}, false},
      {{dense, size, "   HBM: 0.1 GB, DDR: 0.0 GB", "", below}, true},
      {{dense, size, size, "", below}, false},  // one line that stands twice
  };
  for (const auto& c : cases) {
    const std::string log = box(c.lines);
    EXPECT_EQ(test::parsed(log).find(LineId::dense_storage) != nullptr, c.is_read) << log;
  }
}

}  // namespace
}  // namespace shardstats
