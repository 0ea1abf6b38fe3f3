// Marks say of each byte of a row whether it is printed, wherever the row ends.
#include "log/marks.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace shardstats::log_detail {
namespace {

// Marks of the row from `at` on, found byte by byte.
std::uint64_t slow_marks(const std::string& row, std::size_t at) {
  return at < row.size() ? marks_of_few(std::string_view(row).substr(at, kMarks)) : 0;
}

TEST(Marks, AreThoseOfEachByte) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 3 * kMarks; ++size) {
    std::string row(size, ' ');
    for (char& c : row)
      if (random() % 3 == 0) c = static_cast<char>(random());
    for (std::size_t at = 0; at < 4 * kMarks; at += kMarks) {
      const bool is_full = at + kMarks <= size;
      EXPECT_EQ(is_full ? marks_of(row.data() + at) : marks_at(row, at), slow_marks(row, at)) << row << at;
    }
  }
}

TEST(Marks, AreThoseOfTheNumbersOfACell) {
  std::mt19937 random(1);
  constexpr std::string_view kBytes = "0123456789./:,() e-\xB0\xFF";
  for (std::size_t size = 0; size < kMarks; ++size)
    for (const std::size_t behind : {0, 1, 100}) {
      std::string line(size + behind, '5');
      for (char& c : line) c = kBytes[random() % kBytes.size()];
      const std::string_view cell = std::string_view(line).substr(0, size);
      const NumberMarks marks = numbers_of(cell, line.size()), slow = numbers_of_few(cell);
      EXPECT_EQ(marks.digits, slow.digits) << line;
      EXPECT_EQ(marks.points, slow.points) << line;
    }
}

}  // namespace
}  // namespace shardstats::log_detail
