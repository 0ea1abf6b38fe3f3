// What is printed of perf, by table and by rank.
#include "infer/perf_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "infer/perf_evaluation.h"
#include "infer/read_plan.h"
#include "inferred_log.h"

namespace shardstats::infer_detail {
namespace {

TEST(PrintedPerfCells, SayWhatIsPrintedAndWhatIsNot) {
  PrintedPerfCells cells;
  cells.set(1, RealInterval{2, 3});
  cells.set(2, std::nullopt);
  EXPECT_EQ(cells.all(), 1u << 1);
  EXPECT_EQ(cells[1], (RealInterval{2, 3}));
  EXPECT_FALSE(cells[2]);
  EXPECT_FALSE(cells.has(kPerfTotal));
}

TEST(PrintedPerfCells, OnlyThoseThatAreContradicted) {
  PrintedPerfCells printed;
  printed.set(0, RealInterval{2, 3});
  printed.set(kPerfTotal, RealInterval{7, 8});
  PerfCells cells{};
  cells[0] = {3, 4};
  cells[3] = exactly(5.0);  // not printed
  cells[kPerfTotal] = {8.5, 9};
  EXPECT_EQ(printed.contradicted(cells), 1u << kPerfTotal);
}

TEST(TablePerfs, KeepThoseOfTablesThatHaveOne) {
  TablePerfs tables(3);
  EXPECT_TRUE(tables.add(2, [](TablePerf& perf) { return perf.shards = 2, true; }));
  EXPECT_FALSE(tables.add(0, [](TablePerf& perf) { return perf.shards = 7, false; }));
  tables.set(1, std::nullopt);
  EXPECT_EQ(tables[0], nullptr);
  EXPECT_EQ(tables[1], nullptr);
  ASSERT_NE(tables[2], nullptr);
  EXPECT_EQ(tables[2]->shards, 2);
}

TEST(ReadPerf, ListsTheShardsOfEachRankByTable) {
  for (const char* file : {"logs/v1.4.0.log", "logs/v1.8.0.log", "planner/v1.7.0-two_bandwidths.log"}) {
    const test::InferredLog log(file);
    const PlanInputs plan = read_plan(log.printed);
    const PerfInputs perf = read_perf(plan, log.plan);
    for (std::size_t r = 0; r < perf.ranks.size(); ++r) {
      std::vector<ShardsOnRank> expected;
      for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
        const auto here = std::ranges::count(plan.tables[t].ranks, static_cast<int>(r));
        const bool everywhere = std::ranges::count(perf.everywhere, t) > 0;
        if (here > 0 && !everywhere) expected.emplace_back(t, here);
      }
      EXPECT_TRUE(std::ranges::equal(perf.ranks[r].shards, expected)) << file << " rank " << r;
    }
  }
}

}  // namespace
}  // namespace shardstats::infer_detail
