// The physical lines of a text, found anywhere in it, and numbered when that is asked for. Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "input/box.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {

class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  Line line_from(std::size_t start) const { return line_at(bytes_, start); }
  Line line_around(std::size_t offset) const {
    const std::size_t newline = offset == 0 ? kNowhere : bytes_.rfind('\n', offset - 1);
    return line_from(newline == kNowhere ? 0 : newline + 1);
  }
  // 1-based number of the line that starts at `start`, counted on from the last one asked for.
  std::uint32_t number(std::size_t start) {
    if (start < counted_) {
      const bool is_near = start >= remembered_;
      counted_ = is_near ? remembered_ : 0;
      number_ = is_near ? remembered_number_ : 1;
    }
    for (; counted_ < start; number_ += number_ < kMostLines) counted_ = newline_from(bytes_, counted_) + 1;
    return number_;
  }
  // The same of a whole line, whose end need not be looked for again when the next one is counted.
  std::uint32_t number(const Line& line) {
    const std::uint32_t number = this->number(line.start);
    counted_ = line.next;
    number_ += number_ < kMostLines;
    return number;
  }
  // The line that starts at `start` is known to have this number.
  void count_from(std::size_t start, std::uint32_t number) {
    counted_ = start;
    number_ = number;
  }
  // Counts from this line on, when a line before the last one is asked for.
  void remember(std::size_t start) {
    remembered_number_ = number(start);
    remembered_ = start;
  }
  // Of `text` in the bytes [from, to), or kNowhere.
  std::size_t find(std::string_view text, std::size_t from, std::size_t to) const {
    if (from >= to) return kNowhere;
    const void* found = memmem(bytes_.data() + from, to - from, text.data(), text.size());
    return found == nullptr ? kNowhere : static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data());
  }
  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t counted_ = 0;
  std::uint32_t number_ = 1;
  std::size_t remembered_ = 0;
  std::uint32_t remembered_number_ = 1;
};

}  // namespace shardstats::input_detail
