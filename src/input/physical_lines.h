// The lines of a log from a damaged one on, as they stand in it: read one after the other, without the numbers that
// grep -n and others put in front. Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "input/box.h"
#include "input/numbering.h"
#include "input/wrapped_records.h"
#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

class PhysicalLines {
 public:
  // From `start`, where the line `number` (1-based) begins.
  PhysicalLines(std::string_view bytes, std::size_t start, std::uint32_t number)
      : bytes_(bytes), at_(start), next_number_(number), numbering_(bytes, start), wrapped_(bytes, start) {}

  std::string_view bytes() const { return bytes_; }
  // Where the next line starts.
  std::size_t at() const { return at_; }
  bool has_next() const { return at_ < bytes_.size(); }
  std::string_view read();
  // Of the line that was just read.
  std::string_view text() const { return text_; }
  std::uint32_t number() const { return next_number_ - 1; }
  // Bytes of a line's own number that a tool put in front.
  std::size_t front_of(std::string_view text) const { return numbering_.front_of(text); }

  // The line after the one that was just read, without such a number; of a record that a terminal broke all pieces.
  std::string_view next_text() const;
  // Is the line that was just read a piece of a record that goes on in the next one?
  bool goes_on() const { return has_next() && wrapped_.goes_on(text_, line_at(bytes_, at_).text); }
  // How many blanks it has lost at its end then.
  std::size_t lost_blanks() const { return wrapped_.lost_blanks(text_); }

  // Of a byte of the line that was just read.
  Place column(std::size_t offset) const { return {number(), static_cast<std::uint32_t>(offset + 1)}; }
  // Appends the bytes [start, end) of that line to another one.
  void append_to(Transcript& line, std::size_t start = 0, std::size_t end = kNowhere) const {
    line.append(text_.substr(start, end - start), column(start));
  }
  // Of a byte of what became of that line; a blank one has none.
  Place place_of(const Transcript& line, std::size_t offset) const {
    return line.text().empty() ? column(0) : line.place_of(offset);
  }

 private:
  std::string_view look_at_next() const;

  std::string_view bytes_;
  std::size_t at_;
  std::uint32_t next_number_;
  Numbering numbering_;
  WrappedRecords wrapped_;
  std::string_view text_;
  mutable std::size_t next_text_at_ = kNowhere;  // what next_text() is known for
  mutable std::string_view next_text_;
  mutable std::shared_ptr<const std::string> next_joined_;  // that it is a part of; null: of the bytes
};

}  // namespace shardstats::input_detail
