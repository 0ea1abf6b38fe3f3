#include "input/region.h"

#include <utility>

namespace shardstats::input_detail {

bool Region::any_ahead(int most, std::string_view needed, const std::function<bool(std::string_view)>& f) const {
  constexpr std::size_t kLongest = 8192;  // bytes; a record of one line of a box that a terminal broke has fewer
  PhysicalLines ahead = lines;
  BoxSoFar seen = box;
  seen.goes_on = true;
  std::vector<Mended> unused;  // it is noted when the lines are read
  for (; most > 0 && ahead.has_next() && ahead.next_text().size() <= kLongest; --most, ahead.read()) {
    if (ahead.next_text().find(needed) == kNowhere) continue;
    Transcript line;
    line.append(ahead.next_text(), {});
    const Decoded decoded = decode(std::move(line), seen, unused);
    if (decoded.lines.size() != 1) return false;
    if (f(decoded.lines.front().text())) return true;
  }
  return false;
}

std::string Region::decoded_next() const {
  std::string next;
  any_ahead(1, {}, [&](std::string_view text) {
    next = text;
    return true;
  });
  return next;
}

}  // namespace shardstats::input_detail
