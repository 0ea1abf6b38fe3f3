// Release candidates of single hints, and their width over the corpus (log-format.md section 9).
#include "shardstats/log/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "corpus.h"
#include "log/texts.h"

namespace shardstats {
namespace {

using enum Release;

std::string replaced_in_place(std::string text, std::string_view from, std::string_view to) {
  EXPECT_EQ(from.size(), to.size());
  return test::replaced(std::move(text), from, to);
}

std::string testdata(std::string_view name) {
  return test::file_text(test::source_folder() / "testdata" / "logs" / name);
}

TEST(ReleaseCandidates, OfAnEmptyPlanAreAll) {
  EXPECT_EQ(release_candidates(PrintedPlan{}, {}, false).size(), kReleaseNames.size());
}

// A kernel's name narrows what the layout leaves open.
TEST(ReleaseCandidates, KernelNames) {
  const std::string log = testdata("v1.8.0.log");
  const std::size_t count = log.find("Compute Kernels Count:");
  ASSERT_NE(count, std::string::npos);
  const std::size_t kernel = log.find("fused", count), end = log.find("  ", kernel);
  std::string tpu = log;
  tpu.replace(kernel, end - kernel, "unfused_tpu: 1");
  tpu.erase(kernel + 14, 14 - (end - kernel));
  EXPECT_EQ(test::parsed(log).releases, (std::vector{v1_8_0, main_branch}));
  EXPECT_EQ(test::parsed(tpu).releases, std::vector{main_branch});
}

// One foreign spelling does not outvote the others, and nothing known still gives the nearest.
TEST(ReleaseCandidates, OneDamagedLineDoesNotMislead) {
  const std::string log = testdata("v1.8.0.log");
  EXPECT_EQ(test::parsed(replaced_in_place(log, "Batch Size: ", "Butch Size: ")).releases,
            (std::vector{v1_8_0, main_branch}));
  EXPECT_EQ(test::parsed(replaced_in_place(log, "Compute Kernels Optimizer State:", "Compute Kernels Optimizer Stats:"))
                .releases,
            (std::vector{v1_8_0, main_branch}));
}

// What is not there says nothing in a block that was cut off.
TEST(ReleaseCandidates, CutOffBlocks) {
  const std::string log = testdata("v1.8.0-nodebug.log");
  const std::string_view head = std::string_view(log).substr(0, log.find("# Compute Kernels Count:"));
  const auto releases = test::parsed(head).releases;
  EXPECT_EQ(releases.front(), v0_8_0);
  EXPECT_EQ(releases.back(), main_branch);
}

// Nor does what stood to the right of a cut.
TEST(ReleaseCandidates, CutLines) {
  for (const std::string name : {"v0.3.0.log", "v1.4.0.log", "v1.8.0.log"}) {
    const std::string log = testdata(name);
    const Release release = test::parsed(log).releases.front();
    for (std::size_t width = 60; width < log.find('\n'); width += 7) {
      std::string cut;
      for (std::size_t at = 0; at < log.size(); at = log.find('\n', at) + 1)
        cut += log.substr(at, std::min(width, log.find('\n', at) - at)) + "\n";
      const auto releases = test::parsed(cut).releases;
      EXPECT_TRUE(std::ranges::find(releases, release) != releases.end()) << name << " at " << width;
    }
  }
}

// Section 9.1 tells apart all layouts with debug; these pairs print the same.
TEST(ReleaseCandidates, AreNarrowWithDebug) {
  const auto plans = test::shared_folder() / "corpus" / "plans";
  if (!std::filesystem::exists(plans)) GTEST_SKIP() << test::kNoCorpus;
  int seen = 0;
  for (const auto& log : test::logs_below(plans)) {
    const std::string text = test::file_text(log);
    const PrintedPlan plan = test::parsed(text);
    if (!plan.ranks.printed || (!plan.tables.printed && plan.releases.front() != v0_1_0)) continue;
    ++seen;
    EXPECT_LE(plan.releases.size(), 2u) << log;
  }
  EXPECT_GT(seen, 250);
}

}  // namespace
}  // namespace shardstats
