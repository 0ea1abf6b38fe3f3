// Another number in a genuine log is no dtype, bandwidth or device of its own as long as only that number says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/logs.h"

namespace shardstats {
namespace {

struct WrongNumber {
  const char *log, *mark, *printed, *wrong, *rule;  // log: below testdata
};

class OneWrongNumber : public testing::TestWithParam<WrongNumber> {};

bool is_error(const Finding& f) { return f.severity == Severity::error; }

TEST_P(OneWrongNumber, IsFound) {
  const WrongNumber& c = GetParam();
  const std::string bytes = read_file(std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/" + c.log);
  EXPECT_TRUE(std::ranges::none_of(Checked(bytes).report.findings, is_error));
  const Checked checked(changed(bytes, c.mark, c.printed, c.wrong));
  const auto disputed = [&](const Finding& f) {
    return is_error(f) && f.rule->id == c.rule &&
           std::string_view(c.wrong).find(f.where.text) != std::string_view::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(checked.report.findings, disputed)) << c.log;
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, OneWrongNumber,
    testing::Values(
        // Blocks of columns would move bytes from another rank.
        WrongNumber{"edits/v0.4.0-blocks.log", "#         1     0.8", " 504.83 ", " 504.81 ", "rank.output"},
        // A dtype of the table's own would show in its ranks.
        WrongNumber{"edits/v0.4.0-ranks_of_small_table.log", "ebc.t_cat_16 ", " 0.029 ", " 0.022 ", "table.perf.total"},
        // Perf shows the dtypes that the outputs add up with.
        WrongNumber{"logs/v0.5.0.log", "#         0     2.7", " 0.39 ", " 0.29 ", "rank.output"},
        WrongNumber{"logs/v0.5.0.log", "#         0     2.7", " 0.39 ", " 0.37 ", "rank.output"},
        WrongNumber{"planner/V1.5.0-buckets.log", "#         9 ", " 15.42 ", " 16.42 ", "rank.output"},
        // Two ranks rule out another device; what the small shares of others are of does not show.
        WrongNumber{"planner/v1.4.0-dtypes_of_80_tables.log", "#         1 ", "(13%)", "(15%)", "rank.ddr_percent"},
        // Values that may all be the usual ones are not.
        WrongNumber{"edits/v1.1.0-usual_values.log", "query_doc_table", " 13.178 ", " 13.173 ", "table.perf.total"},
        // Bandwidths that any dtypes leave are too wide to judge one number.
        WrongNumber{"planner/v0.5.0-peak_memory.log", "  0.738 ", " 0.738 ", " 0.736 ", "table.perf.total"},
        WrongNumber{"planner/v1.7.0-two_bandwidths.log", "  0.307 ", " 0.307 ", " 0.302 ", "table.perf.total"},
        // No optimizer gives it, though some give less and some more.
        WrongNumber{"edits/v1.8.0-optimizer_state.log", "caching: 0.008", "caching: 0.008", "caching: 4.008",
                    "kernel.optimizer"},
        // A virtual table would show in its ranks and in its kernel.
        WrongNumber{"edits/v1.3.0-virtual_table.log", "buyer_query_city", "(20.913 GB", "(20.911 GB",
                    "table.storage.hbm"}));

}  // namespace
}  // namespace shardstats
