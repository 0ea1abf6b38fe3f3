#include "cli/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/parallel.h"
#include "cli/split.h"

namespace shardstats::cli {
namespace {

TEST(Commands, TableIsIndexedById) {
  for (const Command& command : commands()) {
    EXPECT_EQ(&command_of(command.id), &command);
    EXPECT_FALSE(command.formats.empty()) << command.name;
    EXPECT_EQ(command.examples.find("shardstats " + std::string(command.name)), 0U) << command.name;
  }
}

TEST(Commands, ExamplesFitATerminal) {
  constexpr std::size_t kColumns = 80, kIndent = 2;
  for (const Command& command : commands())
    for (const std::string& line : split(command.examples, "\n")) EXPECT_LE(kIndent + line.size(), kColumns) << line;
}

TEST(Commands, Nearest) {
  EXPECT_EQ(nearest_command("verfy"), "verify");
  EXPECT_EQ(nearest_command("explan"), "explain");
  EXPECT_EQ(nearest_command("rule"), "rules");
  EXPECT_EQ(nearest_command("something"), "");
  const std::string kWords[] = {"hbm", "dim", "rows"};
  const std::pair<std::string_view, std::string_view> words[] = {
      {"foo", ""}, {"hot", ""}, {"five", ""}, {"HBM", "hbm"}, {"rws", "rows"}};
  for (const auto& [word, near] : words) EXPECT_EQ(nearest(word, kWords), near) << word;
}

struct Piece {
  int number = 0;
  int square = 0;
};

// Makes `count` pieces, squares them, and returns what was taken.
std::vector<int> squares(int count, std::size_t threads, std::size_t weight) {
  int made = 0;
  std::vector<int> taken;
  std::atomic<int> alive = 0, most = 0;
  InOrder<Piece>::run(
      threads,
      [&]() -> std::optional<Piece> {
        if (made == count) return std::nullopt;
        most = std::max<int>(most, ++alive);
        return Piece{made++};
      },
      [=](const Piece&) { return weight; },
      [](Piece& piece, const Help&) {
        if (piece.number % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        piece.square = piece.number * piece.number;
      },
      [&](const Piece& piece) {
        --alive;
        taken.push_back(piece.square);
      });
  const std::size_t light = weight == 0 ? InOrder<Piece>::kMostLight * threads : InOrder<Piece>::kLight / weight + 1;
  EXPECT_LE(most, static_cast<int>(std::max(2 * threads, light)) + 1);
  return taken;
}

TEST(InOrder, TakesAllInTheOrderTheyWereMade) {
  for (const std::size_t threads : {1U, 2U, 8U})
    for (const int count : {0, 1, 2, 3, 100}) {
      std::vector<int> wanted;
      for (int i = 0; i < count; ++i) wanted.push_back(i * i);
      for (const std::size_t weight : {InOrder<Piece>::kLight, InOrder<Piece>::kLight / 5, std::size_t{0}})
        EXPECT_EQ(squares(count, threads, weight), wanted) << threads << " " << count;
    }
}

// The others go on while one thread has a long piece.
TEST(InOrder, LightPiecesDoNotWaitForALongOne) {
  std::atomic<bool> others_are_done = false;
  int made = 0;
  InOrder<Piece>::run(
      2, [&]() -> std::optional<Piece> { return made < 50 ? std::optional(Piece{made++}) : std::nullopt; },
      [](const Piece&) { return std::size_t{1}; },
      [&](Piece& piece, const Help&) {
        if (piece.number == 0) others_are_done.wait(false);
        if (piece.number != 40) return;
        others_are_done = true;
        others_are_done.notify_all();
      },
      [](const Piece&) {});
  EXPECT_TRUE(others_are_done);
}

// Nor does the thread that waits for it.
TEST(InOrder, AThreadThatWaitsWorksOnOthers) {
  constexpr int kLong = 0, kWaiting = 1, kLast = 39;
  std::atomic<bool> others_are_done = false;
  std::vector<int> taken;
  int made = 0;
  InOrder<Piece>::run(
      2, [&]() -> std::optional<Piece> { return made <= kLast ? std::optional(Piece{made++}) : std::nullopt; },
      [](const Piece&) { return std::size_t{1}; },
      [&](Piece& piece, const Help& help) {
        if (piece.number == kLong) others_are_done.wait(false);
        if (piece.number == kWaiting)
          while (help()) continue;
        if (piece.number != kLast) return;
        others_are_done = true;
        others_are_done.notify_all();
      },
      [&](const Piece& piece) { taken.push_back(piece.number); });
  EXPECT_TRUE(std::ranges::is_sorted(taken));
  EXPECT_EQ(taken.size(), kLast + 1U);
}

TEST(InOrder, ExceptionsReachTheCaller) {
  for (const int thrower : {0, 1, 2}) {
    int made = 0;
    const auto fail_if = [](bool fails) {
      if (fails) throw std::runtime_error("5");
    };
    const auto run = [&] {
      InOrder<Piece>::run(
          4,
          [&]() -> std::optional<Piece> {
            fail_if(thrower == 0 && made == 5);
            return Piece{made++};
          },
          [](const Piece&) { return std::size_t{0}; },
          [&](const Piece& piece, const Help&) { fail_if(thrower == 1 && piece.number == 5); },
          [&](const Piece& piece) { fail_if(thrower == 2 && piece.number == 5); });
    };
    EXPECT_THROW(run(), std::runtime_error) << thrower;
  }
}

}  // namespace
}  // namespace shardstats::cli
