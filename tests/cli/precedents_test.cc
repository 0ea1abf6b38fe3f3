// Who starts from whom depends on the order of the blocks, not on which thread is first.
#include "cli/precedents.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::cli {
namespace {

// Blocks with other tables have other keys.
PrintedPlan with_tables(std::string_view name, std::size_t count) {
  PrintedPlan printed;
  printed.tables.rows.resize(count);
  printed.tables.rows[0].fqn.text = name;
  return printed;
}

class PrecedentsTest : public testing::Test {
 protected:
  // The block is through inference; says where it started from. `leaves`: others may start from it.
  std::optional<std::size_t> pass(std::size_t number, std::size_t name, bool leaves = true, std::size_t tables = 1) {
    Precedents::Turn turn(precedents_, number);
    const auto found = turn.enter(with_tables(std::string_view("0123456789").substr(name, 1), tables));
    if (turn.is_first() && leaves) turn.leave(some_, {"a.log", number, 1});
    return found ? std::optional(found->place.index) : std::nullopt;
  }

  // Any address will do: nobody looks into it.
  std::shared_ptr<const Precedent> some_{std::shared_ptr<void>(), reinterpret_cast<const Precedent*>(this)};
  Precedents precedents_;
};

TEST_F(PrecedentsTest, TheFirstOfAKeyIsThePrecedent) {
  EXPECT_EQ(pass(0, 7), std::nullopt);
  EXPECT_EQ(pass(1, 8), std::nullopt);
  EXPECT_EQ(pass(2, 7), 0);
  EXPECT_EQ(pass(3, 8), 1);
  EXPECT_EQ(pass(4, 7), 0);
}

TEST_F(PrecedentsTest, ABlockWithErrorsLeavesNone) {
  EXPECT_EQ(pass(0, 7, false), std::nullopt);
  EXPECT_EQ(pass(1, 7), std::nullopt);
  EXPECT_EQ(pass(2, 7), std::nullopt);
}

TEST_F(PrecedentsTest, KeepsOnlySoManyTables) {
  EXPECT_EQ(pass(0, 7, true, 40'000), std::nullopt);
  EXPECT_EQ(pass(1, 8, true, 40'000), std::nullopt);
  EXPECT_EQ(pass(2, 9, true, 9'000), std::nullopt);
  EXPECT_EQ(pass(3, 7, true, 40'000), 0);
  EXPECT_EQ(pass(4, 8, true, 40'000), std::nullopt);
  EXPECT_EQ(pass(5, 9, true, 9'000), 2);
}

TEST_F(PrecedentsTest, ABlockThatNeverEntersHoldsNobodyUp) {
  { const Precedents::Turn turn(precedents_, 0); }
  EXPECT_EQ(pass(1, 7), std::nullopt);
  EXPECT_EQ(pass(2, 7), 1);
}

TEST_F(PrecedentsTest, ThreadsWaitForEarlierBlocks) {
  constexpr std::size_t kBlocks = 200, kKeys = 5;
  std::vector<std::optional<std::size_t>> from(kBlocks);
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> threads;
  for (int t = 0; t < 4; ++t)
    threads.push_back(std::async(std::launch::async, [&] {
      for (std::size_t n = next++; n < kBlocks; n = next++) from[n] = pass(n, n % kKeys);
    }));
  for (std::future<void>& thread : threads) thread.get();
  for (std::size_t n = 0; n < kBlocks; ++n)
    EXPECT_EQ(from[n], n < kKeys ? std::nullopt : std::optional(n % kKeys)) << n;
}

TEST_F(PrecedentsTest, HelpsWhileItWaits) {
  Precedents::Turn first(precedents_, 0);
  first.enter(with_tables("7", 1));
  int helped = 0;
  const auto help = [&] {
    if (++helped == 3) first.leave(some_, {"a.log", 0, 1});
    return true;
  };
  Precedents::Turn second(precedents_, 1, true, help);
  EXPECT_TRUE(second.enter(with_tables("7", 1)));
  EXPECT_EQ(helped, 3);
}

TEST(Precedents, UnusedOnesLetAllPass) {
  Precedents precedents;
  Precedents::Turn late(precedents, 5, false);
  EXPECT_FALSE(late.enter(with_tables("a", 1)));
  EXPECT_FALSE(late.is_first());
}

}  // namespace
}  // namespace shardstats::cli
