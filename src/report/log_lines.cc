#include "shardstats/report/log_lines.h"

#include <algorithm>

#include "report/clean.h"

namespace shardstats {

std::string_view LogLines::line(std::uint32_t number) {
  for (; line_ > number && offset_ > 0; --line_)
    offset_ = offset_ < 2 ? 0 : bytes_.rfind('\n', offset_ - 2) + 1;  // npos + 1 is 0
  for (; line_ < number; ++line_) {
    const std::size_t end = bytes_.find('\n', offset_);
    if (end == std::string_view::npos) return {};
    offset_ = end + 1;
  }
  const std::size_t end = std::min(bytes_.find('\n', offset_), bytes_.size());
  return bytes_.substr(offset_, end - offset_);
}

std::size_t utf16_units(std::string_view text) {
  constexpr std::size_t kPair = 4;  // bytes of a character that UTF-16 writes as two units
  std::size_t units = 0;
  while (!text.empty()) {
    const std::size_t bytes = character_at(text);
    units += bytes == kPair ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return units;
}

}  // namespace shardstats
