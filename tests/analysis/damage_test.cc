// Where lines or rows are lost, nothing is said against those that are left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "logs.h"

namespace shardstats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kLogs[] = {"v0.3.0.log", "v1.4.0.log", "v1.8.0.log"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// Errors of rules other than log.*, and the others.
struct Errors {
  std::vector<std::string> of_numbers;
  std::ptrdiff_t of_log = 0;
};
Errors errors_of(const std::string& bytes) {
  Errors errors;
  const Checked checked(bytes);
  for (const Finding& finding : checked.report.findings) {
    if (finding.severity != Severity::error) continue;
    if (finding.rule->id.starts_with("log."))
      ++errors.of_log;
    else
      errors.of_numbers.push_back(finding.message);
  }
  return errors;
}

// Numbers of the lines that are rows of the rank table, by their rank, or of the parameter table.
std::vector<std::size_t> rows_of(const std::string& bytes, bool ranks) {
  const PrintedPlan printed = parse(find_blocks(bytes).front());
  std::vector<std::size_t> rows;
  if (ranks)
    for (const PrintedRank& row : printed.ranks.rows) rows.push_back(row.rank.place.line - 1);
  else
    for (const PrintedTable& row : printed.tables.rows) rows.push_back(row.fqn.place.line - 1);
  return rows;
}

TEST(Damage, RowsThatStandTwice) {
  for (const char* name : kLogs)
    for (const bool ranks : {true, false}) {
      const std::string bytes = log_bytes(name);
      for (const std::size_t row : rows_of(bytes, ranks)) {
        std::vector<std::string> lines = lines_of(bytes);
        const std::string twice = lines[row];
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(row), twice);
        const Errors errors = errors_of(joined(lines));
        EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << row + 1;
        EXPECT_EQ(errors.of_log, 1) << name << ":" << row + 1;
      }
    }
}

// Measures of the same values look like a run that was sent again where the heading between them is lost.
TEST(Damage, HeadingLostBetweenEqualMeasures) {
  std::vector<std::string> lines = lines_of(log_bytes("v1.8.0.log"));
  ASSERT_EQ(std::erase_if(lines, [](const auto& line) { return line.starts_with("# HBM Imbalance Statistics"); }), 1u);
  const Checked checked(joined(lines));
  std::set<std::string_view> rules;
  for (const Finding& finding : checked.report.findings) rules.insert(finding.rule->id);
  EXPECT_TRUE(rules.contains("log.missing_lines"));
  EXPECT_FALSE(rules.contains("log.repeated_lines"));
}

// As where a shipper of logs sends some of them again. Of the lists at the end the order alone tells it.
TEST(Damage, RunsThatStandTwice) {
  for (const char* name : kLogs) {
    const std::vector<std::string> all = lines_of(log_bytes(name));
    const auto lists = std::ranges::find_if(all, [](const auto& line) { return line.starts_with("# Top 5"); });
    const auto up_to_lists = lists - all.begin();
    for (const std::ptrdiff_t count : {3, 4, 7, 12})
      for (std::ptrdiff_t first = 3; first + count < up_to_lists; ++first) {
        const auto start = all.begin() + first, end = start + count;
        std::vector<std::string> lines(all.begin(), end);
        lines.insert(lines.end(), start, all.end());
        const Errors errors = errors_of(joined(lines));
        EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << first + 1 << " " << count;
        EXPECT_LE(errors.of_log, 1) << name << ":" << first + 1 << " " << count;
        lines.insert(lines.begin() + first, start, end);
        EXPECT_LE(errors_of(joined(lines)).of_log, 2) << name << ":" << first + 1 << " " << count;
      }
  }
}

// Of the lines outside the two tables. Lists may have tables of one name, and the frame is the frame.
bool may_stand_twice(const PrintedPlan& printed, std::size_t line) {
  const auto at = std::ranges::find(printed.lines, line, [](const PrintedLine& l) { return l.place.line; });
  if (at == printed.lines.end()) return true;
  using enum LineId;
  constexpr LineId kAny[] = {border, blank, title, divider, rank_table, parameter_table, top_perf_table, top_hbm_table};
  return std::ranges::find(kAny, at->id) != std::end(kAny);
}

TEST(Damage, LinesThatStandTwice) {
  for (const char* name : kLogs) {
    const std::string bytes = log_bytes(name);
    const std::vector<std::string> all = lines_of(bytes);
    const PrintedPlan printed = parse(find_blocks(bytes).front());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (may_stand_twice(printed, i + 1)) continue;
      std::vector<std::string> lines = all;
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
      const Checked checked(joined(lines));
      ASSERT_EQ(count(checked.report.findings).error, 1) << name << ":" << i + 1;
      const auto error = std::ranges::find(checked.report.findings, Severity::error, &Finding::severity);
      EXPECT_EQ(error->rule->id, "log.repeated_lines") << name << ":" << i + 1;
      EXPECT_EQ(error->where.place.line, i + 2);
      EXPECT_EQ(checked.report.coverage.unchecked, 0);
    }
  }
}

// As where a notebook or a store shows the start and the end of its output only. What is left is right; that lines of
// kernels or of the lists are lost is seen in what counts them.
TEST(Damage, LinesLostInTheMiddle) {
  constexpr std::size_t kMost = 14;
  constexpr std::string_view kCounting[] = {"kernel.count", "kernel.constraints", "top_tables.perf", "top_tables.hbm"};
  for (const char* name : kLogs) {
    const std::vector<std::string> all = lines_of(log_bytes(name));
    const auto batch = std::ranges::find_if(all, [](const auto& line) { return line.starts_with("# Batch Size"); });
    for (auto first = batch; all.end() - first > 1; ++first)
      for (auto last = first + 1; last < all.end() && last - first <= std::ptrdiff_t{kMost}; ++last) {
        // Not every log has these sections: here no rank shows DDR, and before v1.6.0 some reservations are not
        // printed.
        const std::string lost = joined({first, last});
        const auto is_lost = [&](std::string_view text) { return lost.find(text) != std::string::npos; };
        if (is_lost("# DDR Imbalance")) continue;
        const bool is_printed_always = std::string_view(name) == "v1.8.0.log";
        if (is_lost("# KJT Storage") && !is_lost("# Top 5") && !is_lost("Percent of Total") && !is_printed_always)
          continue;
        std::vector<std::string> lines(all.begin(), first);
        lines.insert(lines.end(), last, all.end());
        const Checked checked(joined(lines));
        for (const Finding& finding : checked.report.findings) {
          const std::string_view rule = finding.rule->id;
          const bool may_be = rule.starts_with("log.") || std::ranges::find(kCounting, rule) != std::end(kCounting);
          EXPECT_TRUE(finding.severity != Severity::error || may_be)
              << name << ":" << first - all.begin() + 1 << " " << last - first << " " << finding.message;
        }
      }
  }
}

// From v1.6.0 on every known policy prints what it reserves: the ranks show that it was.
TEST(Damage, LostReservation) {
  std::vector<std::string> lines = lines_of(log_bytes("v1.8.0.log"));
  const auto is_heading = [](const std::string& line) { return line.starts_with("# Dense Storage"); };
  const auto first = std::ranges::find_if(lines, is_heading);
  ASSERT_GT(lines.end() - first, 5);
  ASSERT_TRUE(first[3].starts_with("# KJT Storage")) << first[3];
  lines.erase(first, first + 5);
  const Checked checked(joined(lines));
  std::vector<std::string_view> errors;
  for (const Finding& finding : checked.report.findings)
    if (finding.severity == Severity::error) errors.push_back(finding.rule->id);
  EXPECT_EQ(errors, std::vector<std::string_view>{"log.missing_lines"});
}

TEST(Damage, LostRanks) {
  for (const char* name : kLogs) {
    const std::string bytes = log_bytes(name);
    for (const std::size_t row : rows_of(bytes, true)) {
      std::vector<std::string> lines = lines_of(bytes);
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(row));
      const Errors errors = errors_of(joined(lines));
      EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << row + 1;
      EXPECT_GE(errors.of_log, 1) << name << ":" << row + 1;
    }
  }
}

// Where no table is printed, only the memory of the kernels tells that a rank is missing.
TEST(Damage, LastRankOfALogWithoutTables) {
  std::string log = log_bytes("v1.8.0-nodebug.log");
  const std::size_t row = log.find("#         7 ");
  log.erase(row, log.find('\n', row) + 1 - row);
  const Checked checked(log);
  ASSERT_EQ(checked.report.findings.size(), 1u);
  EXPECT_EQ(checked.report.findings[0].rule->id, "kernel.storage.hbm");
  EXPECT_EQ(checked.report.findings[0].message,
            "HBM of all kernels adds up to 84.136..84.138 GB, of all ranks to 77.534..77.54 GB: a row of the rank "
            "table is missing, or one of the numbers is wrong");
}

// Likewise, the shards of the ranks tell that a line of a kernel is, and the kernels that one of a rank is.
TEST(Damage, CountsOfALogWithoutTables) {
  const auto without = [](std::string log, const std::string& line) {
    const std::size_t at = log.find(line);
    return log.erase(at, log.find('\n', at) + 1 - at);
  };
  const auto errors = [](const std::string& log) { return errors_of(log).of_numbers; };
  const std::string log = log_bytes("v0.1.0.log"), line = "#   batched_fused: 9 ";
  std::string wrong = log;
  wrong.replace(log.find(line), line.size(), "#   batched_fused: 29");
  const std::string kernel = ": a kernel's line is missing, or one of the numbers is wrong";
  const std::string rank = ": a row of the rank table is missing, or one of the numbers is wrong";
  EXPECT_THAT(errors(log), IsEmpty());
  EXPECT_THAT(errors(without(log, line)),
              ElementsAre("the kernels have 3 tables in all, the ranks shards of at least 11" + kernel));
  EXPECT_THAT(errors(wrong), ElementsAre("the kernels have 32 tables in all, the ranks shards of at most 20" + rank));
  EXPECT_THAT(errors(without(log, "#         1 ")),
              ElementsAre("the kernels have 12 tables in all, the ranks shards of at most 8" + rank));
  // Only the last rank has a shard of GS, and only dense kernels take DP.
  const std::string newer = log_bytes("v1.1.0-nodebug.log");
  EXPECT_EQ(errors_of(without(newer, "#         3 ")).of_log, 1);
  EXPECT_THAT(errors(without(newer, "#    dense: 1 ")),
              ElementsAre("the dense kernels have 0 tables, the ranks shards of at least 1 with DP" + kernel));
}

// One list alone goes beyond the rows that are left, but their shards leave it no other rank.
TEST(Damage, LastRankThatOneTableNames) {
  std::string log = log_bytes("../planner/v1.4.0-link_of_the_imbalance.log");
  const std::size_t row = log.find("#        11 ");
  log.erase(row, log.find('\n', row) + 1 - row);
  const Checked checked(log);
  EXPECT_TRUE(checked.printed.has_lost_ranks());
  EXPECT_EQ(errors_of(log).of_numbers, std::vector<std::string>{});
  EXPECT_EQ(errors_of(log).of_log, 1);
}

// The kernels' lines tell a lost line of the constraints from a wrong number there.
TEST(Damage, ConstraintsOfALogWithoutTables) {
  const std::string log = log_bytes("v1.8.0-nodebug.log"), line = "#    Hardcoded fused: 21";
  std::string lost = log, wrong = log;
  lost.erase(log.find(line), log.find('\n', log.find(line)) + 1 - log.find(line));
  wrong.replace(log.find("Hardcoded: 21"), 13, "Hardcoded: 22");
  EXPECT_THAT(errors_of(lost).of_numbers,
              ElementsAre("the hardcoded kernels' lines add up to 21 fewer than Hardcoded"));
  EXPECT_THAT(errors_of(wrong).of_numbers, ElementsAre("Hardcoded is printed as 22, the other counts give 21"));
}

// The rank rows at the end were lost with lines below them, so that nothing tells how many there were.
TEST(Damage, RankRowsThatWereLostWithTheLinesBelow) {
  for (const char* name : kLogs) {
    const std::vector<std::string> lines = lines_of(log_bytes(name));
    const auto batch = std::ranges::find_if(lines, [](const auto& line) { return line.starts_with("# Batch Size"); });
    const std::vector<std::size_t> ranks = rows_of(log_bytes(name), true);
    for (const std::size_t row : ranks) {
      if (row == ranks.front()) continue;
      std::vector<std::string> left(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(row));
      left.insert(left.end(), batch - 1, lines.end());
      const Errors errors = errors_of(joined(left));
      EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << row + 1;
      EXPECT_GE(errors.of_log, 1) << name << ":" << row + 1;
    }
  }
}

TEST(Damage, BlankLineBelowTheRanks) {
  std::vector<std::string> lines = lines_of(log_bytes("v1.8.0-nodebug.log"));
  const auto is_blank = [](const std::string& line) { return line.find_first_not_of("# \n") == line.npos; };
  std::vector<std::string> without_any = lines;
  std::erase_if(without_any, [&](const std::string& line) { return is_blank(line) && line[1] == ' '; });
  EXPECT_EQ(errors_of(joined(without_any)).of_log, 0);
  lines.erase(std::find_if(lines.begin() + 1, lines.end(), is_blank));
  EXPECT_EQ(errors_of(joined(lines)).of_log, 1);
}

// Cut off at any line, or within it.
TEST(Damage, CutOff) {
  for (const char* name : kLogs) {
    const std::vector<std::string> lines = lines_of(log_bytes(name));
    std::string bytes;
    for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
      bytes += lines[i];
      if (i < rows_of(log_bytes(name), true).back()) continue;  // a block needs a sign of one
      for (const std::size_t more :
           {std::size_t{0}, lines[i + 1].find_first_not_of("# ") + 9, lines[i + 1].size() / 2}) {
        const Errors errors = errors_of(bytes + lines[i + 1].substr(0, more));
        EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << i + 1 << " and " << more;
        EXPECT_GE(errors.of_log, 1) << name << ":" << i + 1 << " and " << more;
      }
    }
  }
}

// What is left of a plan may be explained by hosts of another size with one dtype less, but not its perf.
TEST(Damage, CutOffWhereSettingsAreLeft) {
  const std::string bytes = log_bytes("../planner/v1.1.0-hosts_or_output_dtype.log");
  const Errors errors = errors_of(bytes.substr(0, bytes.find("Compute Kernels Storage")));
  EXPECT_EQ(errors.of_numbers, std::vector<std::string>{});
  EXPECT_EQ(errors.of_log, 1);
}

TEST(Damage, RanksInAnotherOrder) {
  for (const char* name : kLogs) {
    const std::string bytes = log_bytes(name);
    const std::vector<std::size_t> ranks = rows_of(bytes, true);
    for (const std::size_t other : ranks) {
      std::vector<std::string> lines = lines_of(bytes);
      std::swap(lines[ranks.front()], lines[other]);
      const Checked checked(joined(lines));
      const std::size_t moved = std::min<std::size_t>(other - ranks.front(), 2);  // of neighbours one
      EXPECT_EQ(static_cast<std::size_t>(count(checked.report.findings).error), moved) << name << ":" << other + 1;
      EXPECT_EQ(checked.report.coverage.unchecked, 0);
      for (std::size_t r = 0; r < ranks.size(); ++r)
        EXPECT_EQ(checked.printed.ranks.rows[r].rank.text, std::to_string(r)) << name << ":" << other + 1;
    }
  }
}

// A row of the parameter table, and a line that counts the tables of some kernel. Before v0.6.0 no other line names the
// kernel.
TEST(Damage, LostTablesAndKernels) {
  for (const char* name : {"v1.4.0.log", "v1.8.0.log"}) {
    const std::string bytes = log_bytes(name);
    const PrintedPlan printed = parse(find_blocks(bytes).front());
    for (const PrintedLine& kernel : printed.lines) {
      if (kernel.id != LineId::kernel_count) continue;
      for (const std::size_t row : rows_of(bytes, false)) {
        std::vector<std::string> lines = lines_of(bytes);
        lines.erase(lines.begin() + kernel.place.line - 1);
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(row));
        const Errors errors = errors_of(joined(lines));
        EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << ":" << row + 1;
        const Checked checked(joined(lines));
        EXPECT_FALSE(of_rule(checked.report, "log.table_rows").empty()) << name << ":" << row + 1;
      }
    }
  }
}

// A cell of a rank and most of a table's row, so that neither tells what the rank has.
TEST(Damage, RanksAndTablesThatCannotBeRead) {
  for (const char* name : kLogs) {
    const std::string bytes = log_bytes(name);
    const PrintedPlan printed = parse(find_blocks(bytes).front());
    const auto garble = [](std::string& line, std::size_t start, std::size_t length) {
      for (std::size_t i = start; i < start + length; ++i)
        if (line[i] != ' ') line[i] = '?';
    };
    for (const PrintedRank& rank : printed.ranks.rows)
      for (const PrintedTable& table : printed.tables.rows)
        for (const Cell& cell : {rank.hbm, rank.ddr, rank.perf.total}) {
          std::vector<std::string> lines = lines_of(bytes);
          garble(lines[cell.place.line - 1], cell.place.column - 1, cell.text.size());
          std::string& row = lines[table.fqn.place.line - 1];
          garble(row, table.fqn.place.column - 1 + table.fqn.text.size(),
                 row.rfind('#') - table.fqn.place.column - table.fqn.text.size());
          const Errors errors = errors_of(joined(lines));
          EXPECT_EQ(errors.of_numbers, std::vector<std::string>{})
              << name << ": " << rank.rank.text << " " << table.fqn.text;
          EXPECT_GE(errors.of_log, 2) << name;
        }
  }
}

// The ranks without a shard of the lost table still tell numbers of poolings that the log does not print.
TEST(Damage, NumbersOfOtherRanksAreComparedWhereTheRowOfATableIsLost) {
  std::vector<std::string> lines = lines_of(log_bytes("v0.3.0.log"));
  std::erase_if(lines,
                [](const std::string& line) { return line.find("fused_ebc_weighted.page_table ") != line.npos; });
  EXPECT_EQ(errors_of(joined(lines)).of_numbers, std::vector<std::string>{});
  const auto row =
      std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("#         2 "); });
  ASSERT_NE(row, lines.end());
  const std::string rank = *row;
  for (const auto& [number, twice] :
       {std::pair<std::string, std::string>{" 0.6 ", " 1.2 "}, {" 4.77 ", " 9.54 "}, {" 26.22 ", " 52.44 "}}) {
    *row = rank;
    ASSERT_NE(row->find(number), row->npos) << number;
    row->replace(row->find(number), number.size(), twice);
    EXPECT_EQ(errors_of(joined(lines)).of_numbers.size(), 1) << number;
  }
}

// The ranks that are left count the shards of one of two lost tables; the other one was on a lost rank.
TEST(Damage, LostTablesOfWhichOneIsOnALostRank) {
  std::vector<std::string> lines = lines_of(log_bytes("v0.3.0.log"));
  std::erase_if(lines, [](const std::string& line) {
    const auto has = [&](const char* text) { return line.find(text) != line.npos; };
    return line.starts_with("#         6 ") || has("follow_seller_emb ") || has("page_category_hist ");
  });
  const Errors errors = errors_of(joined(lines));
  EXPECT_EQ(errors.of_numbers, std::vector<std::string>{});
  EXPECT_EQ(errors.of_log, 2);  // the rank, and both tables
}

// Without the rank table the kernels' counts alone tell that rows are lost, where the memory of one kernel is lost,
// too. What is left of the other kernel's rows is not all that its line counts.
TEST(Damage, MemoryOfAKernelThatCountsMoreTablesThanThereAre) {
  std::vector<std::string> lines = lines_of(log_bytes("v1.4.0.log"));
  std::erase_if(lines, [](const std::string& line) {
    const auto has = [&](const char* text) { return line.find(text) != line.npos; };
    return has("position_ebc.device_os_ad_id ") || has("ebc.pub_table ") || has("fused_uvm_caching: HBM");
  });
  const auto head =
      std::ranges::find_if(lines, [](const std::string& line) { return line.find("Rank ") != line.npos; });
  lines.erase(head, std::ranges::find_if(head, lines.end(), [](const std::string& line) {
                return line.find_first_not_of("# \n") == line.npos;
              }));
  EXPECT_EQ(
      errors_of(joined(lines)).of_numbers,
      (std::vector<std::string>{"tables with kernel fused are printed as 3, the parameter table has 2",
                                "tables with kernel fused_uvm_caching are printed as 1, the parameter table has 0"}));
}

// The lines with one cell of a row lost, for each of its cells; those end below the dashes of `rule`.
std::vector<std::vector<std::string>> with_lost_cells(const std::vector<std::string>& whole, std::size_t rule,
                                                      std::size_t row) {
  std::vector<std::vector<std::string>> all;
  std::size_t start = 1;
  for (std::size_t end = 0; (end = whole[rule].find("- ", end)) != std::string::npos; start = end) {
    ++end;
    all.push_back(whole);
    all.back()[row].replace(start, end - start, end - start, ' ');
  }
  return all;
}

// The bounds of a damaged log hold the truth as well, so that those of the whole one may not lie outside of them.
void expect_overlap(const Plan& whole, const Plan& damaged, const std::string& what) {
  ASSERT_EQ(whole.tables.size(), damaged.tables.size());
  for (std::size_t t = 0; t < whole.tables.size(); ++t) {
    const auto before = whole.shards_of(whole.tables[t]), after = damaged.shards_of(damaged.tables[t]);
    if (!damaged.tables[t].sized || before.size() != after.size()) continue;
    for (std::size_t s = 0; s < before.size(); ++s) {
      EXPECT_TRUE(before[s].sizes->rows.overlaps(after[s].sizes->rows)) << "rows of table " << t << "\n" << what;
      EXPECT_TRUE(before[s].sizes->hbm.overlaps(after[s].sizes->hbm)) << "HBM of table " << t << "\n" << what;
    }
  }
}

// The rest of that kernel's tables is rebuilt, but the lost one is not among them, nor is its part of the KJT storage.
TEST(Damage, RebuiltMemoryOfAKernelThatCountsMoreTablesThanThereAre) {
  std::vector<std::string> lines = lines_of(log_bytes("../edits/v1.3.0-no_ranks.log"));
  const Checked whole(joined(lines));
  std::erase_if(lines, [](const std::string& line) { return line.find("sequence_ec.ad_page_device ") != line.npos; });
  const Checked lost(joined(lines));
  EXPECT_EQ(errors_of(joined(lines)).of_numbers,
            std::vector<std::string>{"tables with kernel fused are printed as 12, the parameter table has 11"});
  EXPECT_GE(lost.plan.kjt_hbm.high, whole.plan.kjt_hbm.high);
}

// A plan that found no place for its tables has no ranks that could show how rows are split, and has lost none.
TEST(Damage, RowsOfAPlanWithoutRanksAreSplitEvenly) {
  const Checked checked(log_bytes("../edits/v1.3.0-no_ranks.log"));
  for (const PlanTable& table : checked.plan.tables) EXPECT_EQ(table.row_split, RowSplitKind::evenly);
}

// Each cell of the first rows lost by itself: that is an error, and nothing is said against those that are left. A list
// of shards may be empty, but not beside others.
TEST(Damage, ALostCellIsAllThatIsWrong) {
  for (const char* name : {"v0.1.0.log", "v0.3.0.log", "v1.4.0.log", "v1.8.0.log", "../planner/v0.8.0-hidden_ddr.log",
                           "../edits/v0.3.2-hidden_poolings.log"}) {
    const std::vector<std::string> whole = lines_of(log_bytes(name));
    const Plan plan = Checked(joined(whole)).plan;
    for (const bool ranks : {true, false}) {
      const std::vector<std::size_t> rows = rows_of(joined(whole), ranks);
      if (rows.size() < 2) continue;
      for (const std::size_t row : {rows[0], rows[1]})
        for (const auto& lines : with_lost_cells(whole, rows[0] - 1, row)) {
          const Errors errors = errors_of(joined(lines));
          EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << lines[row];
          EXPECT_EQ(errors.of_log, 1) << lines[row];
          expect_overlap(plan, Checked(joined(lines)).plan, lines[row]);
        }
    }
  }
}

// The lists of shards of all ranks, which would be empty in a plan without shards only.
TEST(Damage, LostListsOfShards) {
  for (const char* name : {"v0.3.0.log", "v1.4.0.log"}) {
    std::vector<std::string> lines = lines_of(log_bytes(name));
    const std::vector<std::size_t> rows = rows_of(joined(lines), true);
    for (const std::size_t row : rows) {
      const std::size_t start = lines[row].find_first_of("CDRTG"), end = lines[row].rfind('#');
      ASSERT_NE(start, std::string::npos) << lines[row];
      lines[row].replace(start, end - start, end - start, ' ');
    }
    const Errors errors = errors_of(joined(lines));
    EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << joined(lines);
    EXPECT_EQ(errors.of_log, std::ssize(rows));
  }
}

// The table of the first row is on all ranks: without its size none shows how the rows of the others are split.
TEST(Damage, RowsOfOtherTablesStayOpenWhereNoRankShowsThem) {
  const std::vector<std::string> whole = lines_of(log_bytes("../planner/v1.1.0-equal_capacities.log"));
  const Plan plan = Checked(joined(whole)).plan;
  const std::size_t row = rows_of(joined(whole), false)[0];
  for (const auto& lines : with_lost_cells(whole, row - 1, row))
    expect_overlap(plan, Checked(joined(lines)).plan, lines[row]);
}

// One cell of a table in the way of a split that the memory of the ranks shows: of capacities beside an optimizer of
// half of the tables, where it takes the imbalance away, and of fewer buckets than ranks, where no rank is left.
TEST(Damage, RowsThatAreNotSplitEvenlyBesideALostCell) {
  for (const auto& [name, table] : {std::pair{"../planner/v1.1.0-capacities_and_optimizers.log", 11u},
                                    {"../planner/v1.7.0-few_buckets_of_one.log", 8u}}) {
    const std::vector<std::string> whole = lines_of(log_bytes(name));
    const Plan plan = Checked(joined(whole)).plan;
    const std::vector<std::size_t> rows = rows_of(joined(whole), false);
    for (const auto& lines : with_lost_cells(whole, rows[0] - 1, rows.at(table))) {
      const std::string& row = lines[rows.at(table)];
      EXPECT_EQ(errors_of(joined(lines)).of_numbers, std::vector<std::string>{}) << row;
      expect_overlap(plan, Checked(joined(lines)).plan, row);
    }
  }
}

// Other codecs are tried for logs with bandwidths of their own, where any cell of a table may be lost.
TEST(Damage, ALostCellBesideOtherBandwidths) {
  struct Case {
    const char* log;
    std::size_t table;
  };
  for (const Case c :
       {Case{"../planner/v0.8.0-link_of_one_table.log", 1}, Case{"../planner/v0.5.0-lookups_and_dtypes.log", 0}}) {
    const std::vector<std::string> whole = lines_of(log_bytes(c.log));
    const std::vector<std::size_t> rows = rows_of(joined(whole), false);
    for (const auto& lines : with_lost_cells(whole, rows[0] - 1, rows.at(c.table)))
      EXPECT_EQ(errors_of(joined(lines)).of_log, 1) << lines[rows.at(c.table)];
  }
}

// A column of the table that begins with that header line, without its last column.
TEST(Damage, LostColumn) {
  const std::string bytes = log_bytes("v1.4.0.log");
  for (const std::string_view header : {"  Shards", "  Ranks"}) {
    std::vector<std::string> lines = lines_of(bytes);
    const auto head =
        std::ranges::find_if(lines, [&](const std::string& line) { return line.find(header) != line.npos; });
    const std::size_t end = head->find(header) + header.size(), start = end - (header == "  Shards" ? 20 : 10);
    for (auto row = head; row->find_first_not_of("# \n") != row->npos; ++row)
      row->replace(start, row->size() - 2 - start, row->size() - 2 - start, ' ');
    const Checked checked(joined(lines));
    const auto says_so = [&](const Finding& f) {
      return f.rule->id == "log.missing_lines" &&
             f.message == "the column \"" + std::string(header.substr(2)) + "\" is missing in this table";
    };
    EXPECT_EQ(std::ranges::count_if(checked.report.findings, says_so), 1) << joined(lines);
  }
}

// What is reserved is printed nowhere but in the memory of the ranks.
TEST(Damage, LostMemoryOfTheRanks) {
  std::vector<std::string> lines = lines_of(read_file(SHARDSTATS_SOURCE_DIR "/testdata/planner/v1.3.0-tiny.log"));
  const auto head = std::ranges::find_if(lines, [](const std::string& line) { return line.find("HBM (GB)") < 30; });
  const std::string dashes = head[1];
  const std::size_t start = dashes.find("---", dashes.find(' ', dashes.find("---"))), end = dashes.find(' ', start);
  for (auto row = head; row->find_first_not_of("# \n") != row->npos; ++row)
    row->replace(start, end - start, end - start, ' ');
  const std::string bytes = joined(lines);
  EXPECT_EQ(errors_of(bytes).of_numbers, std::vector<std::string>{});
  const Checked checked(bytes);
  const auto fullest = checked.printed.bytes_in(LineId::max_hbm);
  ASSERT_TRUE(fullest);
  EXPECT_EQ(checked.plan.dense_hbm, (ByteInterval{0, fullest->high}));
}

// Cut off at a column, but for the last one that the parameter table may have, with the blanks at the ends of lines and
// without them, as copies of a terminal have it. Two of the logs have a last column that others lack.
TEST(Damage, CutLines) {
  for (const char* name : {"v0.3.0.log", "v0.5.0.log", "v1.4.0.log", "v1.8.0.log", "main.log"}) {
    const std::vector<std::string> lines = lines_of(log_bytes(name));
    for (std::size_t width = 50; width < lines[0].size() - 6; width += 3) {  // no more than the frame from there on
      std::string bytes, copied;
      for (const std::string& line : lines) {
        const std::string cut = line.substr(0, std::min(width, line.size() - 1));
        bytes += cut + "\n";
        copied += cut.substr(0, cut.find_last_not_of(' ') + 1) + "\n";
      }
      for (const std::string& log : {bytes, copied}) {
        const Errors errors = errors_of(log);
        EXPECT_EQ(errors.of_numbers, std::vector<std::string>{}) << name << " at " << width;
        EXPECT_GE(errors.of_log, 1) << name << " at " << width;
      }
    }
  }
}

}  // namespace
}  // namespace shardstats
