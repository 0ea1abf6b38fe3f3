#include "input/region.h"

#include <utility>

namespace shardstats::input_detail {

bool Region::any_ahead(int most, std::string_view needed, const std::function<bool(std::string_view)>& f) const {
  constexpr std::size_t kMore = 256;  // bytes, of colours and escapes
  const std::size_t longest = 2 * lines.text().size() + kMore;
  PhysicalLines ahead = lines;
  BoxSoFar seen = box;
  seen.goes_on = true;
  std::vector<Mended> unused;  // it is noted when the lines are read
  for (; most > 0 && ahead.has_next() && ahead.next_text().size() <= longest; --most) {
    if (ahead.next_text().find(needed) != kNowhere) {
      Transcript line;
      line.append(ahead.next_text(), {});
      const Decoded decoded = decode(std::move(line), seen, unused);
      if (decoded.lines.size() != 1) return false;
      if (f(decoded.lines.front().text())) return true;
    }
    do ahead.read();
    while (ahead.goes_on());
  }
  return false;
}

std::string_view Region::decoded_next() const {
  if (next_at_ == lines.at()) return next_;
  next_at_ = lines.at();
  next_.clear();
  any_ahead(1, {}, [&](std::string_view text) {
    next_ = text;
    return true;
  });
  return next_;
}

}  // namespace shardstats::input_detail
