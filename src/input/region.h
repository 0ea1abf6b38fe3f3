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
#include "input/physical_lines.h"

namespace shardstats::input_detail {

// The first step moves `lines` on, the last one makes `blocks` follow them; the others ask.
struct Region {
  Region(std::string_view bytes, std::size_t start, std::uint32_t number) : lines(bytes, start, number) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  void note(Mending what, Place first) { input_detail::note(mended, what, first); }

  // Is f(text) true of one of the next `most` lines, as decode() gives them if a line goes on in them? Those without
  // `needed` are passed over. None is looked at behind one that stands for several lines, or is too long.
  bool any_ahead(int most, std::string_view needed, const std::function<bool(std::string_view)>& f) const;
  // The next one.
  std::string decoded_next() const;

  PhysicalLines lines;
  BoxSoFar box;  // for decode()
  BlocksSoFar blocks{lines};
  std::vector<Mended> mended;
};

}  // namespace shardstats::input_detail
