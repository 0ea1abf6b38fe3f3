#include "cli/commands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "cli/parallel.h"

namespace shardstats::cli {
namespace {

TEST(Commands, TableIsIndexedById) {
  for (const Command& command : commands()) {
    EXPECT_EQ(&command_of(command.id), &command);
    EXPECT_FALSE(command.formats.empty()) << command.name;
    EXPECT_EQ(command.example.find("shardstats " + std::string(command.name)), 0U) << command.name;
  }
}

TEST(Commands, Nearest) {
  EXPECT_EQ(nearest_command("verfy"), "verify");
  EXPECT_EQ(nearest_command("explan"), "explain");
  EXPECT_EQ(nearest_command("rule"), "rules");
  EXPECT_EQ(nearest_command("something"), "");
}

TEST(ForEachIndex, CallsEachOnce) {
  for (const std::size_t threads : {1U, 2U, 8U}) {
    std::vector<std::atomic<int>> calls(100);
    for_each_index(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
  for_each_index(0, 4, [](std::size_t) { ADD_FAILURE(); });
}

TEST(ForEachIndex, ExceptionsReachTheCaller) {
  EXPECT_THROW(for_each_index(8, 4,
                              [](std::size_t i) {
                                if (i == 5) throw std::runtime_error("5");
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace shardstats::cli
