// Numbers that a tool put in front of all lines of a log, as grep -n and cat -n do. Private to src/input.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardstats::input_detail {

inline constexpr std::string_view kDigits = "0123456789";

inline constexpr std::size_t kMostNumbers = 8;  // of a prefix that are looked at for one that changes all the time

class Numbering {
 public:
  // Of the lines that begin at `start`.
  Numbering(std::string_view bytes, std::size_t start);

  // Bytes of the line up to the end of its number; 0 if it has none.
  std::size_t front_of(std::string_view line) const;

 private:
  bool is_numbering(std::string_view bytes, std::size_t start) const;

  bool found_ = false;
  std::string_view front_;  // in front of the number
};

}  // namespace shardstats::input_detail
