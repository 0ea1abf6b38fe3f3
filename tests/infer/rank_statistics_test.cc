#include "infer/rank_statistics.h"

#include <gtest/gtest.h>

#include "shardstats/input/blocks.h"

namespace shardstats::infer_detail {
namespace {

struct Case {
  const char* name;
  std::vector<RealInterval> totals;  // ms
  std::int64_t contradicted;
};

// Totals of 1 and 3 ms, memory of 1 and 2 GB; the last two lines are of memory.
constexpr std::string_view kLog =
    "####################################################\n"
    "#            --- Planner Statistics ---            #\n"
    "# ------------------------------------------------ #\n"
    "#      Rank    HBM (GB)    DDR (GB)      Perf (ms) #\n"
    "#    ------  ----------  ----------    ----------- #\n"
    "#         0    1.0 (1%)    0.0 (0%)            1.0 #\n"
    "#         1    2.0 (2%)    0.0 (0%)            3.0 #\n"
    "#                                                  #\n"
    "# Total Perf Imbalance Statistics                  #\n"
    "# Total Variation: 0.250                           #\n"
    "# Total Distance: 0.500                            #\n"
    "#                                                  #\n"
    "# HBM Imbalance Statistics                         #\n"
    "# Total Variation: 0.167                           #\n"
    "# Total Distance: 0.333                            #\n"
    "#                                                  #\n"
    "# Mean Total Perf: 2.0 ms                          #\n"
    "# Max Total Perf is 50% greater than the mean      #\n"
    "####################################################\n";

TEST(PerfStatistics, TellWhichTotalsTheyAreOf) {
  const PrintedPlan printed = parse(find_blocks(kLog).front());
  const auto statistics = read_perf_statistics(printed);
  ASSERT_EQ(statistics.size(), 4u);
  const std::vector<Case> cases = {
      {"those printed", {exactly(1.0), exactly(3.0)}, 0},
      {"others of the same mean", {exactly(1.5), exactly(2.5)}, 3},
      {"others with the same shares", {exactly(2.0), exactly(6.0)}, 1},
      {"all others", {exactly(2.0), exactly(2.1)}, 4},
      {"bounds that hold them", {{0, 4}, {0, 4}}, 0},
      {"no time at all", {exactly(0.0), exactly(0.0)}, 0},
      {"no ranks", {}, 0},
  };
  for (const Case& c : cases) EXPECT_EQ(contradicted_statistics(statistics, c.totals), c.contradicted) << c.name;
}

TEST(PerfStatistics, ImbalanceOfMemoryHasASectionOfItsOwn) {
  const PrintedPlan printed = parse(find_blocks(kLog).front());
  const auto hbm = read_imbalance(printed, LineId::hbm_imbalance_heading);
  ASSERT_EQ(hbm.size(), 2u);
  EXPECT_EQ(contradicted_statistics(hbm, std::vector{exactly(1.0), exactly(2.0)}), 0);
  EXPECT_EQ(contradicted_statistics(hbm, std::vector{exactly(1.0), exactly(3.0)}), 2);
  EXPECT_TRUE(read_imbalance(printed, LineId::ddr_imbalance_heading).empty());
}

}  // namespace
}  // namespace shardstats::infer_detail
