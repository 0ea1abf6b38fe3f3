#include <gtest/gtest.h>

#include <algorithm>

#include "logs.h"

namespace shardstats {
namespace {

bool has_error(const Report& report) { return count(report.findings).error > 0; }

// A line that the rest of the block does not miss: a heading that is not printed where all ranks have less than is
// shown.
bool may_be_missing(std::string_view line) { return line.starts_with("# DDR Imbalance Statistics"); }

class EveryLine : public testing::TestWithParam<const char*> {};

TEST_P(EveryLine, IsMissedWhereItIsDeleted) {
  const std::string bytes = log_bytes(GetParam());
  for (std::size_t start = 0, end = 0; start < bytes.size(); start = end) {
    end = bytes.find('\n', start) + 1;
    const std::string_view line = std::string_view(bytes).substr(start, end - start);
    if (line.find_first_not_of("# \n") == std::string_view::npos || may_be_missing(line)) continue;
    EXPECT_TRUE(has_error(Checked(bytes.substr(0, start) + bytes.substr(end)).report)) << line;
  }
}
INSTANTIATE_TEST_SUITE_P(Logs, EveryLine,
                         testing::Values("v0.3.0.log", "v0.5.0.log", "v0.8.0-empty.log", "v1.8.0.log"));

// Several lines in a row are one finding, where the next one stands.
TEST(MissingLines, OfASectionAreOneFinding) {
  std::string bytes = log_bytes("v1.8.0.log");
  const std::size_t start = bytes.find("# Maximum of Total Perf"), end = bytes.find("# Sum of Maxima");
  bytes.erase(start, end - start);
  const auto missing = of_rule(Checked(bytes).report, "log.missing_lines");
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].message, "\"Maximum of Total Perf:\" and 7 more that follow it are missing before this line");
  EXPECT_EQ(missing[0].where.place.line,
            1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
}

// The missing border says enough.
TEST(MissingLines, ATruncatedBlockIsNotListed) {
  std::string bytes = log_bytes("v1.8.0.log");
  bytes.resize(bytes.find("# Maximum of Total Perf"));
  EXPECT_TRUE(of_rule(Checked(bytes).report, "log.missing_lines").empty());
}

// All lines of one kind: the other sections and the parameter table name the kernels.
TEST(MissingLines, OfAllKernels) {
  std::string bytes = log_bytes("v1.8.0.log");
  const std::size_t start = bytes.find("#    fused: HBM:");
  bytes.erase(start, bytes.find("# ", bytes.find("fused_uvm: HBM:")) - start);
  EXPECT_EQ(of_rule(Checked(bytes).report, "log.missing_lines").size(), 2U);
}

// A label in somebody else's line is no line of the block.
TEST(MissingLines, NoneInALineOfOthers) {
  std::string bytes = log_bytes("v1.8.0.log");
  bytes.insert(bytes.find("# Batch Size"), "trainer: HBM (GB) 80.0, Parameter Info: 5 params\n");
  EXPECT_FALSE(has_error(Checked(bytes).report));
}

// Neither is what stood before the first line of a block that begins too late.
TEST(MissingLines, ATailIsNotListed) {
  std::string bytes = log_bytes("v1.8.0.log");
  bytes.erase(0, bytes.find("# Batch Size"));
  EXPECT_TRUE(of_rule(Checked(bytes).report, "log.missing_lines").empty());
}

}  // namespace
}  // namespace shardstats
