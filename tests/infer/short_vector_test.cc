#include "infer/short_vector.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace shardstats::infer_detail {
namespace {

using Short = ShortVector<std::string, 2>;

std::vector<std::string> all_of(const Short& values) { return {values.begin(), values.end()}; }

// Every size from empty to well over what needs no heap behaves like std::vector.
TEST(ShortVector, IsAVector) {
  Short values;
  std::vector<std::string> wanted;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(values.empty(), wanted.empty());
    EXPECT_EQ(all_of(values), wanted);
    const std::string text = "value " + std::to_string(i);
    values.push_back(text);
    wanted.push_back(text);
    EXPECT_EQ(values.size(), wanted.size());
    EXPECT_EQ(values.front(), wanted.front());
    EXPECT_EQ(values.back(), wanted.back());
    EXPECT_EQ(values[values.size() / 2], wanted[wanted.size() / 2]);
    const Short copy = values;
    EXPECT_EQ(all_of(copy), wanted);
  }
  values.clear();
  EXPECT_TRUE(values.empty());
  values.push_back("again");
  EXPECT_EQ(all_of(values), std::vector<std::string>{"again"});
}

TEST(ShortVector, AddsWhatIsAssignedTo) {
  Short values;
  std::vector<std::string> wanted;
  for (int i = 0; i < 5; ++i) {
    wanted.push_back(std::to_string(i));
    values.add() = wanted.back();
    EXPECT_EQ(all_of(values), wanted);
  }
}

TEST(ShortVector, Assign) {
  for (const std::size_t before : {0, 1, 2, 4}) {
    for (const std::size_t after : {0, 1, 2, 4}) {
      Short values;
      for (std::size_t i = 0; i < before; ++i) values.push_back("before");
      std::vector<std::string> wanted;
      for (std::size_t i = 0; i < after; ++i) wanted.push_back("after " + std::to_string(i));
      values.assign(wanted);
      EXPECT_EQ(all_of(values), wanted);
      values.push_back("last");
      wanted.push_back("last");
      EXPECT_EQ(all_of(values), wanted);
    }
  }
}

TEST(ShortVector, MovedFromIsEmpty) {
  for (const std::size_t size : {0, 1, 2, 3, 5}) {
    Short values;
    for (std::size_t i = 0; i < size; ++i) values.push_back("value " + std::to_string(i));
    const std::vector<std::string> wanted = all_of(values);
    Short made = std::move(values);
    EXPECT_EQ(all_of(made), wanted);
    EXPECT_TRUE(all_of(values).empty());
    values.push_back("again");
    values = std::move(made);
    EXPECT_EQ(all_of(values), wanted);
    EXPECT_TRUE(all_of(made).empty());
  }
}

TEST(ShortVector, TakesOneOfItsOwn) {
  Short values;
  values.push_back("a text that is too long to be kept in its place");
  for (int i = 0; i < 6; ++i) values.push_back(values.front());
  EXPECT_EQ(all_of(values), std::vector<std::string>(7, values.front()));
}

TEST(ShortVector, EraseIf) {
  for (const std::size_t size : {0, 1, 2, 3, 5}) {
    for (const std::size_t kept : {0, 1, 2, 5}) {
      Short values;
      std::vector<std::string> wanted;
      for (std::size_t i = 0; i < size; ++i) {
        values.push_back(std::to_string(i));
        if (i < kept) wanted.push_back(std::to_string(i));
      }
      values.erase_if([&](const std::string& text) { return std::stoul(text) >= kept; });
      EXPECT_EQ(all_of(values), wanted);
    }
  }
}

}  // namespace
}  // namespace shardstats::infer_detail
