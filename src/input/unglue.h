// Cuts several lines of a box apart that stand on one. Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "input/reframe.h"
#include "input/region.h"

namespace shardstats::input_detail {

class Ungluer {
 public:
  Ungluer(Region& region, Framer& framer) : region_(region), framer_(framer) {}

  void add_line(Transcript line, const std::string& process);
  // Of the next title behind such a prefix; 0: it is not close, or broken.
  std::size_t own_title_width(std::string_view prefix) const;

 private:
  std::size_t border_end(std::string_view text, std::size_t box, const std::string& process) const;
  std::size_t own_border_end(std::string_view prefix, std::size_t length, const std::string& process) const;
  std::size_t next_title_width(std::string_view prefix) const;
  std::size_t glued_end(std::string_view text, std::size_t box, const std::string& process) const;
  std::size_t end_before_prefix(std::string_view text, std::size_t box) const;

  Region& region_;
  Framer& framer_;
  // What next_title_width() is known for: a long line is asked for it at each border that is glued into it, of which
  // the first one decides.
  mutable const char* title_asked_at_ = nullptr;
  mutable std::size_t next_title_width_ = 0;
};

}  // namespace shardstats::input_detail
