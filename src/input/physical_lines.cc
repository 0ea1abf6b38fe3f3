#include "input/physical_lines.h"

#include <utility>

#include "shardstats/limits.h"

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
    next_text_ = look_at_next();
    next_text_at_ = at_;
  }
  return next_text_;
}

std::string_view PhysicalLines::look_at_next() const {
  const std::string_view text = line_at(bytes_, at_).text;
  if (!wrapped_.are_any()) return text.substr(numbering_.front_of(text));
  PhysicalLines ahead = *this;
  std::string joined(ahead.read());
  while (ahead.goes_on() && joined.size() < kWidestBox) {
    joined.append(ahead.lost_blanks(), ' ');
    joined += ahead.read();
  }
  next_joined_ = std::make_shared<const std::string>(std::move(joined));
  return *next_joined_;
}

}  // namespace shardstats::input_detail
