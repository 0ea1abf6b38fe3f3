// What a release after the newest known one may print: it is named, what is understood is checked, and nothing passes
// for an unchanged log.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "newer_logs.h"

namespace shardstats {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// One cell in a form that no release prints is damage.
TEST(NewerRelease, OneCellIsWrong) {
  const struct {
    const char* mark;
    const char* old_text;
    const char* new_text;
    const char* finding;
  } cases[] = {
      {"#         1 ", "0.969", "0,969", "error log.malformed_cell 0,969: the planner never prints a number as 0,969"},
      {"#         1 ", "(0%)", "(0.5%)", "error log.malformed_cell 0.5: the planner never prints a number as 0.5"},
      {"like_creative_slot_emb", "0.05,0.07,0)", "0.05,0.07)",
       "error log.malformed_cell 0.173: this cell has more or fewer numbers than the planner prints of perf"},
      {"like_creative_slot_emb", ", 0.0 GB, 0.0 GB)", ", 0.0 GB)",
       "error log.malformed_cell 8.432: this cell has more or fewer numbers than the header of its column names"},
      {"position_ebc.device_70", "    0-1", "   None",
       "error log.malformed_cell None: the planner prints None only where it found no plan; the shards of this table "
       "were not rebuilt"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(findings(changed(log_bytes("v1.8.0.log"), c.mark, c.old_text, c.new_text)), Contains(c.finding))
        << c.new_text;
}

// In all cells of a column they are a newer release's; an unreadable percentage is not 0.
TEST(NewerRelease, AllCellsAreAnotherForm) {
  std::string log = log_bytes("v1.8.0-nodebug.log");
  for (const char* rank : {"0", "1", "2", "3", "4", "5", "6", "7"})
    log = changed(log, std::string("#         ") + rank + " ", "(0%)", "(0.5%)");
  EXPECT_THAT(findings(log), AllOf(SizeIs(1), Each(HasSubstr("warning log.unknown_format 0.5"))));
}

// They are no wrong numbers: they are checked as they are rounded.
TEST(NewerRelease, FewerDecimalsInAColumn) {
  const struct {
    RoundedNumbers column;
    const char* header;
    const char* wrong_in;  // a number of the column, rounded, ...
    const char* wrong;     // ... and another one
    const char* rule;
  } cases[] = {
      {RoundedNumbers::rank_memory, "HBM (GB)", "35.0 (44%)", "35.2 (44%)", "error rank.hbm 35.2"},
      {RoundedNumbers::rank_perf, "Perf (ms)", "598.2 (78,", "598.4 (78,", "error rank.perf 598.4"},
      {RoundedNumbers::table_storage, "Storage (HBM, DDR, SSD)", "(59.8 GB", "(60.9 GB",
       "error table.storage.hbm 60.9"},
      {RoundedNumbers::table_perf, "Perf (ms)", "5806.0 (1066,", "5806.2 (1066,", "error table.perf.total 5806.2"},
  };
  for (const auto& c : cases) {
    const std::string log = with_one_decimal(log_bytes("main.log"), c.column);
    EXPECT_THAT(findings(log),
                ElementsAre("warning log.unknown_format " + std::string(c.header) + ": \"" + c.header +
                            "\" is a column whose numbers have fewer decimals than any known release prints; they are "
                            "checked as they are rounded"));
    const std::size_t at = log.find(c.wrong_in);
    ASSERT_NE(at, std::string::npos);
    std::string wrong = log;
    wrong.replace(at, std::string_view(c.wrong_in).size(), c.wrong);
    EXPECT_THAT(findings(wrong), Contains(HasSubstr(c.rule))) << c.header;
  }
}

// A few numbers without their last decimal are wrong ones.
TEST(NewerRelease, FewerDecimalsInAFewCells) {
  const std::string log = with_one_decimal(log_bytes("v1.8.0.log"), RoundedNumbers::table_perf);
  EXPECT_THAT(findings(log), Contains(HasSubstr("error table.perf.total")));
  EXPECT_THAT(findings(log), Not(Contains(HasSubstr("log.unknown_format"))));
}

// Numbers of lines are checked as they are rounded, too.
TEST(NewerRelease, NumbersOfLinesInAnotherForm) {
  const std::string log = log_bytes("main.log");
  const struct {
    std::string_view kind;
    Format form;
    const char* wrong_in;
    const char* wrong;
    const char* rule;
  } cases[] = {
      {"r3", Format::r2, "Sum of Maxima: 21215.35 ms", "21215.95", "error maxima.sum 21215.95"},
      {"r3", Format::r1, "Sum of Maxima: 21215.3 ms", "21219.3", "error maxima.sum 21219.3"},
      {"r3", Format::f2, "Sum of Maxima: 21215.35 ms", "21215.95", "error maxima.sum 21215.95"},
      {"r3", Format::f3, "Sum of Maxima: 21215.349 ms", "21215.359", "error maxima.sum 21215.359"},
      {"f3", Format::f2, "Total Variation: 0.", "0.9", "error imbalance.perf 0.9"},
  };
  for (const auto& c : cases) {
    const std::string newer = with_lines_as(log, c.kind, c.form);
    EXPECT_THAT(findings(newer), AllOf(SizeIs(1), Each(HasSubstr("warning log.unknown_format")))) << c.kind;
    const std::size_t at = newer.find(c.wrong_in);
    ASSERT_NE(at, std::string::npos) << c.wrong_in;
    std::string wrong = newer;
    wrong.replace(newer.find_first_of("0123456789", at), std::string_view(c.wrong).size(), c.wrong);
    EXPECT_THAT(findings(wrong), Contains(HasSubstr(c.rule)));
  }
  const std::string four = with_numbers_of_lines(log, "r3", [](std::string_view text) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.4f", std::stod(std::string(text)) + 1e-4);
    return std::string(digits);
  });
  EXPECT_THAT(findings(four),
              Contains(AllOf(HasSubstr("warning log.unknown_format"), HasSubstr("of them are kept but not checked"))));
  EXPECT_THAT(findings(four),
              Each(AnyOf(HasSubstr("warning log.unknown_format"), HasSubstr("the release is unknown"))));
  // Measures are not among these.
  const std::string of_measure = with_numbers_of_lines(
      four, "f3", [](std::string_view text) { return format(std::stod(std::string(text)) + 0.5, Format::f2) + "31"; });
  EXPECT_THAT(findings(of_measure), Contains(HasSubstr("error imbalance.perf")));
}

// Sizes of powers of two are quarters of a GiB, which end so by themselves.
TEST(NewerRelease, QuartersAreWholeNumbers) {
  std::string log = log_bytes("main.log");
  const Checked checked(log);
  int quarter = 0;
  for (const PrintedRank& row : checked.printed.ranks.rows)
    for (const Cell& cell : {row.hbm, row.ddr}) {
      const std::string text = format(++quarter / 4.0, Format::r3);
      const auto at = static_cast<std::size_t>(cell.text.data() - checked.source->bytes().data());
      ASSERT_LE(text.size(), cell.text.size() + 1);
      log.replace(at + cell.text.size() - text.size(), text.size(), text);
    }
  EXPECT_THAT(findings(log), Not(Contains(HasSubstr("log.unknown_format"))));
}

TEST(NewerRelease, ShardingTypeOfRanksAlone) {
  const std::string log = everywhere(log_bytes("v1.8.0-nodebug.log"), "DP:", "XY:");
  EXPECT_THAT(findings(log),
              ElementsAre("warning log.unknown_word XY: XY is not a sharding type of any known release"));
}

TEST(NewerRelease, ShardsOfOneRankAreNotLeftOut) {
  std::string log = log_bytes("v1.8.0.log");
  const std::string shards = "CW: 1 RW: 2 TWCW: 2 TWRW: 2";
  log.replace(log.find(shards), shards.size(), shards.size(), ' ');
  EXPECT_THAT(findings(log), ElementsAre("error log.malformed_cell : cells of this row are missing"));
}

TEST(NewerRelease, LineBelowThoseOfKernels) {
  const std::string log = inserted(log_bytes("v1.8.0.log"), "#    fused_uvm: 0.0 GB", "#    Total: 10.434 GB");
  EXPECT_THAT(findings(log), ElementsAre("warning log.unknown_word Total: Total is not a compute kernel of any "
                                         "known release"));
}

// Its lines are none of the section above.
TEST(NewerRelease, HeadingWithAnotherName) {
  const auto planning = findings(replaced(log_bytes("v1.8.0.log"), "Planning Memory:", "Available Memory:"));
  EXPECT_THAT(planning,
              Contains("warning log.unknown_line Available Memory:: \"Available Memory:\" is a line that no known "
                       "release prints; it is kept but not checked"));
  EXPECT_THAT(planning, Contains(AllOf(HasSubstr("\"Planning Memory:\" and 2 more"),
                                       HasSubstr("the release is unknown, so it may have another name now"))));
  EXPECT_THAT(planning, Not(Contains(HasSubstr("log.repeated_lines"))));
  const std::string top = replaced(log_bytes("v1.8.0.log"), "Causing Max HBM:", "Causing Peak HBM:");
  EXPECT_THAT(findings(top), Contains(HasSubstr("\"like_creative_slot_emb: 4.216 GB on ranks [0, 1]\" is a line")));
  EXPECT_EQ(rendered(Checked(top).printed), top);
}

TEST(NewerRelease, LineAboveTheTitle) {
  const std::string log = inserted(log_bytes("v1.8.0.log"), "--- Planner Statistics", "# Planner: new");
  EXPECT_THAT(findings(log), ElementsAre(HasSubstr("warning log.unknown_line Planner: new")));
  EXPECT_EQ(rendered(Checked(log).printed), log);
}

TEST(NewerRelease, RankColumnWithAnotherName) {
  const Checked checked(changed(log_bytes("v1.8.0.log"), "     Rank  ", "Rank", "Host"));
  EXPECT_THAT(checked.printed.ranks.rows, SizeIs(2));
  EXPECT_THAT(findings(checked.report), ElementsAre(HasSubstr("warning log.unknown_column Host: \"Host\" is")));
  // It has the numbers of the ranks all the same, so that everything is compared.
  const Report before = Checked(log_bytes("v1.8.0.log")).report;
  EXPECT_EQ(checked.report.coverage.derived, before.coverage.derived);
  const std::string log = changed(log_bytes("v1.8.0.log"), "     Rank  ", "Rank", "Host");
  EXPECT_THAT(findings(changed(log, "   7.856 (9%)", "7.856", "7.956")),
              Contains(AllOf(HasSubstr("error rank.hbm 7.956"), HasSubstr("the release is unknown"))));
}

TEST(NewerRelease, RankColumnWithAnotherNameAndAWrongNumber) {
  const std::string log = changed(log_bytes("v1.8.0-nodebug.log"), "     Rank  ", "Rank", "Host");
  EXPECT_THAT(findings(changed(log, "#         5 ", "5 ", "3 ")), Contains(HasSubstr("error log.rank_rows 3")));
}

// An older release has its own name.
TEST(NewerRelease, ColumnOfAnOlderReleaseWithAnotherName) {
  const struct {
    const char* old_text;
    const char* new_text;
  } cases[] = {{"     Rank  ", "     Rnk   "}, {"     DDR (GB)", "     DDX (GB)"}, {"Sharding  ", "Shardink  "}};
  for (const auto& c : cases) {
    const std::string log = changed(log_bytes("v1.4.0.log"), c.old_text, c.old_text, c.new_text);
    EXPECT_THAT(findings(log), AllOf(Contains(HasSubstr("warning log.unknown_column")),
                                     Contains(HasSubstr("error log.missing_lines"))))
        << c.new_text;
  }
  EXPECT_THAT(findings(inserted(log_bytes("v1.4.0.log"), "# Batch Size:", "# Foo Size: 5")),
              ElementsAre(HasSubstr("warning log.unknown_line")));
}

TEST(NewerRelease, KernelOfConstraintsThatNoTableHas) {
  for (const char* kernel : {"fusad", "dense"}) {
    const std::string log = changed(log_bytes("v1.8.0.log"), "Hardcoded fused: 2", "fused", kernel);
    EXPECT_THAT(findings(log), Contains(AllOf(HasSubstr(std::string("error kernel.constraints ") + kernel),
                                              HasSubstr("the parameter table has 0 with this kernel"))));
  }
}

TEST(NewerRelease, KernelOfTheCountsThatNoTableHas) {
  const auto found = findings(changed(log_bytes("v1.8.0.log"), "#    fused: 5", "fused: 5", "fusad: 5"));
  EXPECT_THAT(found, Not(Contains(HasSubstr("the line of fusad is missing"))));
  EXPECT_THAT(found, Contains(HasSubstr("error")));
}

// All ranks name the same sharding types.
TEST(NewerRelease, ShardingTypeOfOneRankAlone) {
  const std::string log = changed(log_bytes("v1.8.0-nodebug.log"), "#         3 ", "DP: ", "6P: ");
  EXPECT_THAT(findings(log),
              ElementsAre("error log.unknown_word 6P: 6P is not a sharding type of any known release, and the "
                          "Shards of other ranks do not have it"));
}

TEST(NewerRelease, LinesInAnotherOrder) {
  const auto swapped = [](std::string log, const std::string& mark) {
    const std::size_t at = log.rfind('\n', log.find(mark)) + 1, size = log.find('\n', at) + 1 - at;
    const std::string line = log.substr(at, size);
    return log.erase(at, size).insert(log.find('\n', at) + 1, line);
  };
  for (const char* mark : {"--- Planner Statistics", "Batch Size", "Mean Total Perf"}) {
    const std::string before = log_bytes("v1.4.0.log"), log = swapped(before, mark);
    const std::size_t expected = std::string_view(mark) == "Batch Size" ? 0 : 1;  // it changes places with a blank line
    EXPECT_THAT(findings(log), AllOf(SizeIs(expected), Each(HasSubstr("warning log.line_order")))) << mark;
    EXPECT_EQ(rendered(Checked(log).printed), log);
  }
}

// Two ranks are too few to tell by themselves.
TEST(NewerRelease, PerfOfBothTablesInAnotherForm) {
  const std::string log =
      std::regex_replace(log_bytes("v1.8.0.log"), std::regex(R"((\d \([\d.e-]+),)"), "$1;");  // the first comma of each
  EXPECT_THAT(findings(log), Each(AnyOf(HasSubstr("warning log.unknown_format"), HasSubstr("release is unknown"))));
  EXPECT_THAT(findings(log), Not(Contains(HasSubstr("log.malformed_cell"))));
}

// Of ranks that say nothing there is no imbalance to compare.
TEST(NewerRelease, PerfOfRanksInAnotherUnit) {
  const auto found = findings(everywhere(log_bytes("main.log"), "Perf (ms)", "Perf (us)"));
  EXPECT_THAT(found, AllOf(SizeIs(2), Each(HasSubstr("warning log.unknown_column Perf (us)"))));
}

// A line that is known but for words of its own is there, and its values are read.
TEST(NewerRelease, KnownLineWithNewWords) {
  const struct {
    const char* old_text;
    const char* new_text;
  } cases[] = {
      {"# Batch Size: 512     ", "# Batch Size: 512 each"},
      {"Critical Path (comms): 0.225   ", "Critical Path (comms): 0.225 ms"},
  };
  for (const auto& c : cases) {
    const std::string log = replaced(log_bytes("v1.4.0.log"), c.old_text, c.new_text);
    ASSERT_NE(log, log_bytes("v1.4.0.log")) << c.old_text;
    EXPECT_THAT(findings(log), ElementsAre(HasSubstr("warning log.unknown_line"))) << c.new_text;
    EXPECT_EQ(rendered(Checked(log).printed), log);
  }
  EXPECT_TRUE(Checked(replaced(log_bytes("v1.4.0.log"), cases[0].old_text, cases[0].new_text)).plan.sized);
}

// What takes the place of a value, or stands in the padding, is damage.
TEST(NewerRelease, DamageIsNoNewWord) {
  for (const char* damage : {"# Batch Size: 51x     ", "# Batch Size: 512    x", "# Batch Size: 5 2     "})
    EXPECT_THAT(findings(replaced(log_bytes("v1.4.0.log"), "# Batch Size: 512     ", damage)),
                Contains(HasSubstr("error log.malformed_cell")))
        << damage;
}

// Below the last rank, or table.
TEST(NewerRelease, RowOfAllRows) {
  const std::string log = log_bytes("v1.4.0.log");
  const std::size_t last = log.find("#         3 "), end = log.find('\n', last) + 1;
  std::string row = log.substr(last, end - last);
  row.replace(0, 11, "#     Total");
  const std::string with_row = std::string(log).insert(end, row);
  EXPECT_THAT(findings(with_row), ElementsAre(AllOf(HasSubstr("warning log.unknown_line"), HasSubstr("Total"))));
  EXPECT_EQ(rendered(Checked(with_row).printed), with_row);
}

TEST(NewerRelease, LineThatIsPrintedWithoutAPlanOnly) {
  for (const char* log : {"v1.4.0.log", "v0.5.0.log"})  // the older one has no such line without a plan either
    EXPECT_THAT(findings(inserted(log_bytes(log), "# Batch Size", "# World Size: 16")),
                Contains(AllOf(HasSubstr("warning log.unknown_line"), HasSubstr("World Size:"))))
        << log;
}

TEST(NewerRelease, KernelOfAnotherRelease) {
  EXPECT_THAT(findings(everywhere(log_bytes("v0.5.0.log"), "    fused ", "key_value ")),
              Contains(AllOf(HasSubstr("error log.unknown_word"), HasSubstr("from TorchRec v0.8.0 on"))));
}

// Of tables that cannot be rebuilt the printed memory still adds up to that of their kernel.
TEST(NewerRelease, MemoryOfAKernelIsThatOfItsTables) {
  const std::string log = everywhere(log_bytes("v1.8.0.log"), "TWRW", "XYZW");
  EXPECT_THAT(findings(log), Not(Contains(HasSubstr("error"))));
  EXPECT_THAT(findings(changed(log, "fused: HBM: 15.674", "15.674", "16.674")),
              Contains(AllOf(HasSubstr("error kernel.storage.hbm 16.674: HBM of kernel fused"),
                             HasSubstr("the cells of its tables add up to"), HasSubstr("the release is unknown"))));
}

// A cell that a terminal broke goes on in the next line.
TEST(NewerRelease, ShardingInABrokenCell) {
  std::string log = log_bytes("v1.8.0-nodebug.log"), broken;
  const std::size_t line = log.find("#         0 "), type = log.find("TW: ", line), width = type - line - 3;
  log.replace(type, 2, "ZQ");
  for (std::size_t start = 0, end; start < log.size(); start = end) {
    end = std::min({start + width, log.find('\n', start) + 1, log.size()});
    broken += log.substr(start, end - start) + (log[end - 1] == '\n' ? "" : "\n");
  }
  const Checked checked(broken);
  const auto& all = checked.report.findings;
  const auto found = std::ranges::find_if(all, [](const Finding& f) { return f.where.text == "ZQ"; });
  ASSERT_NE(found, all.end());
  const std::string_view text = broken;
  std::size_t start = 0;
  for (std::uint32_t i = 1; i < found->where.place.line; ++i) start = text.find('\n', start) + 1;
  EXPECT_EQ(text.substr(start + found->where.place.column - 1, 2), "ZQ");
}

}  // namespace
}  // namespace shardstats
