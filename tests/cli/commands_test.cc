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

namespace shardstats::cli {
namespace {

TEST(Commands, TableIsIndexedById) {
  for (const Command& command : commands()) {
    EXPECT_EQ(&command_of(command.id), &command);
    EXPECT_FALSE(command.formats.empty()) << command.name;
    EXPECT_EQ(command.examples.find("shardstats " + std::string(command.name)), 0U) << command.name;
  }
}

TEST(Commands, Nearest) {
  EXPECT_EQ(nearest_command("verfy"), "verify");
  EXPECT_EQ(nearest_command("explan"), "explain");
  EXPECT_EQ(nearest_command("rule"), "rules");
  EXPECT_EQ(nearest_command("something"), "");
}

struct Piece {
  int number = 0;
  int square = 0;
};

// Makes `count` pieces, squares them, and returns what was taken.
std::vector<int> squares(int count, std::size_t threads) {
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
      [](Piece& piece) {
        if (piece.number % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        piece.square = piece.number * piece.number;
      },
      [&](const Piece& piece) {
        --alive;
        taken.push_back(piece.square);
      });
  EXPECT_LE(most, static_cast<int>(2 * threads) + 1);
  return taken;
}

TEST(InOrder, TakesAllInTheOrderTheyWereMade) {
  for (const std::size_t threads : {1U, 2U, 8U})
    for (const int count : {0, 1, 2, 3, 100}) {
      std::vector<int> wanted;
      for (int i = 0; i < count; ++i) wanted.push_back(i * i);
      EXPECT_EQ(squares(count, threads), wanted) << threads << " " << count;
    }
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
          [&](const Piece& piece) { fail_if(thrower == 1 && piece.number == 5); },
          [&](const Piece& piece) { fail_if(thrower == 2 && piece.number == 5); });
    };
    EXPECT_THROW(run(), std::runtime_error) << thrower;
  }
}

}  // namespace
}  // namespace shardstats::cli
