// What all steps share that mend a damaged region. Each hands its lines to the next one: physical line, decode(),
// Console, Unwrapper, Ungluer, Framer, Streams. Private to src/input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "input/blocks_so_far.h"
#include "input/decode.h"
#include "input/lines.h"
#include "input/physical_lines.h"

namespace shardstats::input_detail {

// What is kept from region to region of a log.
struct LogSoFar {
  NextText next_title{kTitle};
  int borders_in_vain = 0;  // below which a further piece was looked for far ahead, and none found
};

// The first step moves `lines` on, the last one makes `blocks` follow them; the others ask.
struct Region {
  Region(std::string_view bytes, std::size_t start, std::uint32_t number, LogSoFar& so_far)
      : lines(bytes, start, number), log(so_far) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  void note(Mending what, Place first) { input_detail::note(mended, what, first); }

  // Is f(text) true of one of the next `most` lines, as decode() gives them if a line goes on in them? Those without
  // `needed` are passed over. It ends in front of one that stands for several lines, of which none goes on, and of one
  // that is much longer than the last line read: pieces of what a terminal broke are not.
  bool any_ahead(int most, std::string_view needed, const std::function<bool(std::string_view)>& f) const;
  // The next one, or empty; until the next line is read. Kept, as a line of many strings asks for it with each.
  std::string_view decoded_next() const;

  PhysicalLines lines;
  BoxSoFar box;  // for decode()
  BlocksSoFar blocks{lines};
  std::vector<Mended> mended;
  LogSoFar& log;

 private:
  mutable std::size_t next_at_ = kNowhere;  // what next_ is known for
  mutable std::string next_;
};

}  // namespace shardstats::input_detail
