// Numbers in a form or a unit of a release after the newest known one.
#include <gmock/gmock.h>

#include "newer_logs.h"

namespace shardstats {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

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

}  // namespace
}  // namespace shardstats
