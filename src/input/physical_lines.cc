#include "input/physical_lines.h"

namespace shardstats::input_detail {

std::string_view PhysicalLines::read() {
  const Line line = line_at(bytes_, at_);
  at_ = line.next;
  ++next_number_;
  return text_ = line.text;
}

// Kept, as a line of many strings asks for it with each.
std::string_view PhysicalLines::next_text() const {
  if (!has_next()) return {};
  if (next_text_at_ != at_) {
    const std::string_view text = line_at(bytes_, at_).text;
    next_text_ = text.substr(numbering_.front_of(text));
    next_text_at_ = at_;
  }
  return next_text_;
}

}  // namespace shardstats::input_detail
