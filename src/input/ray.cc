#include "input/ray.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>

namespace shardstats::input_detail {

bool is_merged_by_ray(std::string_view line) {
  constexpr std::size_t kLongestSuffix = 512;  // bytes: the first one tells what to set, and where that is described
  if (line.ends_with('#')) return false;       // as nearly all lines of boxes
  const std::string_view end = line.substr(line.size() - std::min(line.size(), kLongestSuffix));
  if (end.find("x across cluster]") == std::string_view::npos) return false;
  static const re2::RE2 kRaySuffix(R"(\[repeated \d+x across cluster\](?: \(Ray [^"()]*\))?(?:\x1b\[0m|\[0m)?\s*$)");
  return re2::RE2::PartialMatch(re2::StringPiece(end.data(), end.size()), kRaySuffix);
}

bool is_shown_by_ray(std::string_view line) {
  constexpr std::size_t kLongestFront = 256;  // bytes, with what a shipper of logs put in front
  return line.substr(0, kLongestFront).find(" pid=") != std::string_view::npos;
}

}  // namespace shardstats::input_detail
