// The physical lines of a text, found anywhere in it, and numbered when that is asked for. Private to src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "input/box.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {

// Of the text in [from, to), or kNowhere.
inline std::size_t find_between(std::string_view bytes, std::string_view text, std::size_t from, std::size_t to) {
  if (from >= to) return kNowhere;
  const void* found = memmem(bytes.data() + from, to - from, text.data(), text.size());
  return found == nullptr ? kNowhere : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

// Where a text stands next. It is asked from part to part of a log, and no byte is searched twice.
class NextText {
 public:
  explicit NextText(std::string_view text) : text_(text) {}

  // The first one in [from, to), or kNowhere. `from` never goes back.
  std::size_t find(std::string_view bytes, std::size_t from, std::size_t to) {
    if (at_ == kNowhere || at_ < from) {
      searched_ = std::max(searched_, from);
      at_ = find_between(bytes, text_, searched_, to);
      // It may still begin in front of `to` and end behind.
      if (at_ == kNowhere) searched_ = std::max(searched_ + text_.size(), to + 1) - text_.size();
    }
    return at_ < to ? at_ : kNowhere;
  }

 private:
  std::string_view text_;
  std::size_t at_ = kNowhere;
  std::size_t searched_ = 0;  // none that is not known begins before
};

class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  Line line_from(std::size_t start) const { return line_at(bytes_, start); }
  // The one in front of it, which is not the first.
  Line line_before(const Line& line) const { return input_detail::line_before(bytes_, line.start); }
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
