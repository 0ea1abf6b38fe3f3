// Marks say of each byte of a row whether it is printed, wherever the row ends.
#include "log/marks.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace shardstats::log_detail {
namespace {

// Marks of the row from `at` on, found byte by byte.
Marks slow_marks(const std::string& row, std::size_t at) {
  return at < row.size() ? marks_of_few(std::string_view(row).substr(at, kMarks)) : Marks{};
}

TEST(Marks, AreThoseOfEachByte) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 3 * kMarks; ++size) {
    std::string row(size, ' ');
    for (char& c : row)
      if (random() % 3 == 0) c = static_cast<char>(random());
    for (std::size_t at = 0; at < 4 * kMarks; at += kMarks) {
      const bool is_full = at + kMarks <= size;
      const Marks marks = is_full ? marks_of(row.data() + at) : marks_at(row, at);
      EXPECT_EQ(marks.printed, slow_marks(row, at).printed) << row << at;
    }
  }
}

TEST(Marks, SayThatAByteIsNotAscii) {
  for (std::size_t size = 1; size < 2 * kMarks; ++size)
    for (std::size_t place = 0; place < size; ++place) {
      std::string row(size, 'x');
      EXPECT_EQ(size >= kMarks ? marks_of(row.data()).wide : marks_at(row, 0).wide, 0U);
      row[place] = '\xE9';
      const std::size_t at = place / kMarks * kMarks;
      EXPECT_NE(at + kMarks <= size ? marks_of(row.data() + at).wide : marks_at(row, at).wide, 0U) << size << place;
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
