// Numbers in a form or a unit of a release after the newest known one.
#include <gmock/gmock.h>

#include "newer_logs.h"
#include "shardstats/analysis/changed_print.h"
#include "shardstats/infer/what_if.h"

namespace shardstats {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string with_text(std::string log, const std::string& old_text, const std::string& new_text) {
  const std::size_t at = log.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return at == std::string::npos ? log : log.replace(at, old_text.size(), new_text);
}

// One that is damaged does not turn the others into damage.
TEST(NewerNumbers, OneDamagedNumberOfANewerForm) {
  const std::string log = log_bytes("main.log");
  const struct {
    std::string newer;
    const char* old_text;
    const char* new_text;
    const char* finding;
  } cases[] = {
      {with_lines_as(log, "r3", Format::r2), "Sum of Maxima: 21215.35 ms ", "Sum of Maxima: 21215.354 ms",
       "error log.malformed_cell 21215.354"},
      {with_lines_as(log, "r3", Format::r1), "Sum of Maxima: 21215.3 ms  ", "Sum of Maxima: 21215.354 ms",
       "error log.malformed_cell 21215.354"},
      {with_lines_as(log, "r3", Format::f3), "Sum of Maxima: 21215.349 ms", "Sum of Maxima: 21215.34 ms ",
       "error log.malformed_cell 21215.34"},
      {with_lines_as(log, "r3", Format::f2), "Sum of Maxima: 21215.35 ms ", "Sum of Maxima: 21215.354 ms",
       "error log.malformed_cell 21215.354"},
      {with_lines_as(log, "f3", Format::f2), "Total Distance: 1.07 ", "Total Distance: 1.071",
       "error imbalance.perf 1.071"},
      {with_one_decimal(log, RoundedNumbers::rank_memory), "  35.0 (44%)", " 35.04 (44%)",
       "error log.malformed_cell 35.04"},
      {with_one_decimal(log, RoundedNumbers::table_perf), "  5806.0 (1066,", "5806.031 (1066,",
       "error log.malformed_cell 5806.031"},
  };
  for (const auto& c : cases) {
    const auto found = findings(with_text(c.newer, c.old_text, c.new_text));
    EXPECT_THAT(found, Contains(HasSubstr(c.finding))) << c.new_text;
    EXPECT_THAT(found, Contains(HasSubstr("warning log.unknown_format"))) << c.new_text;
    EXPECT_THAT(found, SizeIs(testing::Le(3))) << c.new_text;
  }
}

TEST(NewerNumbers, MeasuresWithMoreDecimalsAreCheckedAsTheyAreRounded) {
  const std::string log = log_bytes("main.log");
  const Checked checked(log);
  for (const std::size_t decimals : {4u, 6u}) {
    const Format form = decimals == 4 ? Format::f4 : Format::f6;
    // What the ranks leave open is wide enough for zeros.
    const std::string newer = with_lines_as(log, "f3", form);
    EXPECT_THAT(findings(newer), Contains(AllOf(HasSubstr("warning log.unknown_format"), HasSubstr("more decimals"))));
    EXPECT_THAT(findings(newer), Not(Contains(HasSubstr("as no known release prints"))));
    EXPECT_EQ(Checked(newer).printed.format_of(RoundedNumbers::measures), form);
  }
}

TEST(NewerNumbers, MeasuresInAFormThatIsNotReadAreNotChecked) {
  const std::string log = log_bytes("main.log");
  const std::string exponents = with_numbers_of_lines(log, "f3", [](std::string_view text) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.3e", std::stod(std::string(text)));
    return std::string(digits);
  });
  EXPECT_THAT(findings(exponents), ElementsAre(AllOf(HasSubstr("warning log.unknown_format"),
                                                     HasSubstr("12 of them are kept but not checked"))));
  const Coverage before = Checked(log).report.coverage, after = Checked(exponents).report.coverage;
  EXPECT_EQ(after.derived + 12, before.derived);
  EXPECT_EQ(after.unchecked, before.unchecked + 12);
}

std::string with_unit(const std::string& log, const std::string& known, const std::string& newer) {
  return with_texts_of_lines(log, [&](const std::string& text) { return everywhere(text, known, newer); });
}

// It is the planner's own: GB are 2^30 bytes.
TEST(NewerNumbers, UnitOfTheSameSizeIsRead) {
  const std::string log = log_bytes("main.log"), newer = with_unit(log, " GB", " GiB");
  EXPECT_THAT(findings(newer), ElementsAre(HasSubstr("warning log.unknown_format GiB: \"GiB\" is a unit")));
  EXPECT_EQ(Checked(newer).report.coverage.derived, Checked(log).report.coverage.derived);
  EXPECT_EQ(rendered(Checked(newer).printed), newer);
  EXPECT_THAT(findings(with_text(newer, "Max HBM: 34.994 GiB", "Max HBM: 34.394 GiB")),
              Contains(HasSubstr("error distribution.value 34.394")));
}

TEST(NewerNumbers, UnitOfTheSameSizeInHeadersAndCells) {
  const std::string log = log_bytes("main.log");
  std::string headers = with_text(log, "   HBM (GB)   ", "  HBM (GiB)   ");
  headers = with_text(headers, "   Input (MB)   ", "  Input (MiB)   ");
  EXPECT_THAT(findings(headers), UnorderedElementsAre(HasSubstr("warning log.unknown_column HBM (GiB)"),
                                                      HasSubstr("warning log.unknown_column Input (MiB)")));
  EXPECT_EQ(Checked(headers).report.coverage.derived, Checked(log).report.coverage.derived);
  EXPECT_EQ(rendered(Checked(headers).printed), headers);

  std::string cells = log;
  for (std::size_t at = 0; (at = cells.find(" GB, ", at)) != std::string::npos; ++at) {
    const std::size_t open = cells.rfind('(', at), line = cells.rfind('\n', at);
    const bool is_cell = open != std::string::npos && open > line && cells.substr(open - 6, 6) == std::string(6, ' ');
    if (!is_cell) continue;
    const std::size_t end = cells.find(')', open);
    const std::string cell = everywhere(cells.substr(open, end - open), " GB", " GiB");
    cells.replace(open - (cell.size() - (end - open)), cell.size(), cell);
  }
  EXPECT_THAT(findings(cells), ElementsAre(HasSubstr("warning log.unknown_format Storage (HBM, DDR, SSD)")));
  EXPECT_EQ(Checked(cells).report.coverage.derived, Checked(log).report.coverage.derived);
  EXPECT_EQ(findings(rendered(Checked(cells).printed)), findings(cells));
}

// The lines are there, so that none is missing.
TEST(NewerNumbers, UnitOfAnotherSizeIsNotRead) {
  const std::string log = log_bytes("main.log");
  const struct {
    const char* known;
    const char* newer;
  } cases[] = {{" GB", " MiB"}, {" GB", " MB"}, {" ms", " us"}, {" ms", " s"}};
  for (const auto& c : cases) {
    const std::string newer = with_unit(log, c.known, c.newer);
    EXPECT_THAT(findings(newer), ElementsAre(AllOf(HasSubstr("warning log.unknown_format"), HasSubstr(c.newer + 1),
                                                   HasSubstr("kept but not checked"))))
        << c.newer;
    EXPECT_EQ(rendered(Checked(newer).printed), newer);
  }
}

TEST(NewerNumbers, OneWrongUnitIsDamage) {
  EXPECT_THAT(findings(with_text(log_bytes("main.log"), "Maximum of Forward Comms: 159.009 ms",
                                 "Maximum of Forward Comms: 159.009s")),
              Contains(HasSubstr("error log.malformed_cell 159.009: the planner prints another unit here")));
  EXPECT_THAT(findings(with_text(log_bytes("main.log"), "Sum of Maxima: 21215.349 ms", "Sum of Maxima: 21215.349 us")),
              Contains(HasSubstr("error log.malformed_cell 21215.349: the planner prints another unit here")));
  EXPECT_THAT(findings(with_text(log_bytes("v1.4.0.log"), "Top HBM Memory Usage Estimation: 9.161 GB ",
                                 "Top HBM Memory Usage Estimation: 9.161 GiB")),
              Contains(HasSubstr("error log.malformed_cell 9.161: the planner prints another unit here")));
}

// Its value is as plain as that of others, or it may be any amount; it is none in no case.
TEST(NewerNumbers, ReservationInAnotherForm) {
  const std::string log = log_bytes("v1.8.0.log");
  const std::string kjt(Checked(log).printed.slot(LineId::kjt_storage).text);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4e", std::stod(kjt));
  for (const std::string& text : {kjt + "12", std::string(digits), std::string("nan")}) {
    const std::string changed = with_texts_of_lines(log, [&](const std::string& line) {
      return everywhere(line, "HBM: " + kjt + " GB, DDR: 0.0 GB", "HBM: " + text + " GB, DDR: 0.0 GB");
    });
    EXPECT_THAT(findings(changed), Not(Contains(HasSubstr("error rank.hbm")))) << text;
    EXPECT_THAT(findings(changed), Contains(HasSubstr("error log.malformed_cell " + text))) << text;
  }
}

// Cells of a column by f(text), as long as before at most.
template <class F>
std::string with_cells(std::string log, Cell PrintedRank::*cell, F f) {
  const Checked checked(log);
  for (const PrintedRank& row : checked.printed.ranks.rows) {
    const std::string text = f((row.*cell).text);
    const std::size_t end =
        static_cast<std::size_t>((row.*cell).text.data() - checked.source->bytes().data()) + (row.*cell).text.size();
    const std::size_t size = std::max(text.size(), (row.*cell).text.size());
    log.replace(end - size, size, std::string(size - text.size(), ' ') + text);
  }
  return log;
}
double number_of(std::string_view text) { return std::stod(std::string(text)); }

TEST(NewerNumbers, InputInAnotherForm) {
  const std::string log = log_bytes("main.log");
  const auto rounded = [](Format form) {
    return [form](std::string_view text) { return format(number_of(text), form); };
  };
  EXPECT_THAT(findings(with_cells(log, &PrintedRank::input, rounded(Format::r1))),
              ElementsAre(HasSubstr("warning log.unknown_format Input (MB)")));
  EXPECT_THAT(findings(with_cells(log, &PrintedRank::input, rounded(Format::f2))),
              ElementsAre(HasSubstr("warning log.unknown_format Input (MB)")));
  EXPECT_THAT(findings(with_cells(log, &PrintedRank::input, rounded(Format::integer))),
              ElementsAre(AllOf(HasSubstr("warning log.unknown_format Input (MB)"), HasSubstr("not checked"))));
}

// Commas in a few cells are damage, though the numbers of all others are too small for separators.
TEST(NewerNumbers, AFewSeparatorsAreDamage) {
  const std::string log = log_bytes("main.log");
  int changed = 0;
  const std::string damaged = with_cells(log, &PrintedRank::output, [&](std::string_view text) {
    std::string cell(text);
    if (changed < 4 && cell.find('.') == 3) cell[1] = ',', ++changed;
    return cell;
  });
  ASSERT_EQ(changed, 4);
  EXPECT_THAT(findings(damaged), Contains(HasSubstr("error")));
}

// A unit is that of a newer release where most lines have it.
TEST(NewerNumbers, OneUnitOfTheSameSizeIsDamage) {
  const std::string log = log_bytes("v1.8.0.log");
  const std::size_t at = log.find("Usage Estimation: ");
  const std::string text = log.substr(at, log.find(" GB", at) - at);
  for (const auto& [unit, message] : {std::pair(" GiB", "the planner prints another unit here"),
                                      {"GB", "the planner prints a blank between this number and its unit"}}) {
    const Checked checked(replaced(log, text + " GB", text + unit));
    EXPECT_THAT(findings(checked.report), Contains(AllOf(HasSubstr("error log.malformed_cell"), HasSubstr(message))))
        << unit;
    Texts texts;
    EXPECT_EQ(rendered(changed_print(checked.printed, checked.plan, checked.printed, checked.plan, texts)), log)
        << unit;
  }
}

TEST(NewerNumbers, OneMissingLineIsOneFinding) {
  const std::string log = log_bytes("v1.8.0.log");
  const std::size_t at = log.rfind('\n', log.find("Total Variation:")) + 1;
  EXPECT_THAT(findings(std::string(log).erase(at, log.find('\n', at) + 1 - at)),
              ElementsAre(HasSubstr("error log.missing_lines : \"Total Variation:\" is missing beside this line")));
}

// Changed plans are printed as the log is.
TEST(NewerNumbers, ChangedPrintHasTheFormOfTheLog) {
  const std::string log = log_bytes("v1.8.0.log");
  for (const std::string& newer : {with_unit(log, " GB", " GiB"), with_lines_as(log, "r3", Format::f3)}) {
    const Checked checked(newer);
    Texts texts;
    const PrintedPlan print =
        changed_print(checked.printed, checked.plan, checked.printed, checked.plan, texts, std::nullopt);
    EXPECT_EQ(rendered(print), newer);
  }
}

}  // namespace
}  // namespace shardstats
