#include "analysis/subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <tuple>

namespace shardstats::analysis {
namespace {

constexpr std::size_t kEnough = 1'000'000;

std::vector<ByteInterval> exact(const std::vector<std::int64_t>& bytes) {
  std::vector<ByteInterval> amounts;
  for (const std::int64_t b : bytes) amounts.push_back(exactly(b));
  return amounts;
}

TEST(Subset, Cases) {
  const struct {
    std::vector<std::int64_t> amounts;
    std::int64_t need, most;
    std::vector<std::size_t> items;
  } cases[] = {
      {{}, 10, 100, {}},
      {{5, 7}, 0, 100, {}},             // nothing is needed
      {{5, 7, 9}, 10, 100, {0, 1}},     // 12 is the least that reaches 10
      {{5, 7, 9, 12}, 12, 100, {3}},    // as many bytes in one table
      {{5, 7, 9}, 30, 100, {0, 1, 2}},  // not enough: all
      {{5, 7, 9}, 30, 15, {0, 2}},      // 14 of 15
      {{6, 6, 6, 10}, 12, 13, {0, 1}},  // of equal ones the first
      {{50}, 10, 49, {}},               // does not fit
      {{4, 4, 8, 8, 16}, 16, 16, {4}},
  };
  for (const auto& c : cases) {
    const Subset found = best_subset(exact(c.amounts), c.need, c.most, kEnough);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.items, c.items) << c.need << " of at most " << c.most;
  }
}

TEST(Subset, BoundsCountAgainstIt) {
  const std::vector<ByteInterval> amounts = {{8, 12}, {9, 10}};
  EXPECT_THAT(best_subset(amounts, 9, 100, kEnough).items, testing::ElementsAre(1U));  // 8 might be too little
  EXPECT_THAT(best_subset(amounts, 20, 11, kEnough).items, testing::ElementsAre(1U));  // 12 might be too much
}

using Key = std::tuple<std::int64_t, std::int64_t, std::size_t>;  // missing, bytes, items

Key key_of(const std::vector<ByteInterval>& amounts, const std::vector<std::size_t>& items, std::int64_t need) {
  ByteInterval sum{};
  for (const std::size_t i : items) sum = sum + amounts[i];
  return {std::max<std::int64_t>(need - sum.low, 0), sum.high, items.size()};
}

Key best_of_all(const std::vector<ByteInterval>& amounts, std::int64_t need, std::int64_t most) {
  std::optional<Key> best;
  for (std::size_t set = 0; set < std::size_t{1} << amounts.size(); ++set) {
    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < amounts.size(); ++i)
      if ((set >> i & 1) != 0) items.push_back(i);
    const Key key = key_of(amounts, items, need);
    if (std::get<1>(key) <= most && (!best || key < *best)) best = key;
  }
  return *best;
}

struct Problem {
  std::vector<ByteInterval> amounts;
  std::int64_t need = 0, most = 0;
};
Problem random_problem(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  Problem problem;
  const auto largest = static_cast<unsigned>(1 + random() % 60);  // small ones make many ties
  const bool wide = random() % 2 == 0;
  for (std::int64_t n = below(12); n >= 0; --n) {
    const std::int64_t low = below(largest);
    problem.amounts.push_back({low, low + (wide ? below(5) : 0)});
  }
  problem.need = below(200);
  problem.most = below(300);
  return problem;
}

TEST(Subset, AsGoodAsTryingAll) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(random);
    const Subset found = best_subset(p.amounts, p.need, p.most, kEnough);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(key_of(p.amounts, found.items, p.need), best_of_all(p.amounts, p.need, p.most)) << "problem " << i;
  }
}

TEST(Subset, SaysHowFarItMayBeOffWhenStopped) {
  std::mt19937 random(11);
  int stopped = 0;
  for (int i = 0; i < 500; ++i) {
    const Problem p = random_problem(random);
    const Subset found = best_subset(p.amounts, p.need, p.most, 1 + random() % 8);
    stopped += !found.exact;
    const auto [missing, bytes, items] = key_of(p.amounts, found.items, p.need);
    const auto [least_missing, least_bytes, least_items] = best_of_all(p.amounts, p.need, p.most);
    EXPECT_LE(bytes, p.most);
    if (missing > 0)
      EXPECT_LE(missing - least_missing, found.off_by) << "problem " << i;
    else
      EXPECT_LE(bytes - least_bytes, found.off_by) << "problem " << i;
  }
  EXPECT_GT(stopped, 100);
}

}  // namespace
}  // namespace shardstats::analysis
