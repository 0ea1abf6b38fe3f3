// Puts a '#' in front of the lines of a block whose frame is gone. Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "input/region.h"
#include "input/streams.h"

namespace shardstats::input_detail {

class Framer {
 public:
  Framer(Region& region, Streams& streams) : region_(region), streams_(streams) {}

  void add_line(Transcript line, const std::string& process);

 private:
  void look_for_bare_title(const Transcript& line);
  Transcript with_frame(const Transcript& line);

  Region& region_;
  Streams& streams_;
  std::size_t prefix_ = 0;        // bytes in front of the lines
  std::string_view mark_ = "# ";  // for the next line
};

}  // namespace shardstats::input_detail
