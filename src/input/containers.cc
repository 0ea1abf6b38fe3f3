#include "shardstats/input/containers.h"

#include <algorithm>
#include <iterator>

namespace shardstats {

using namespace std::string_view_literals;

const OtherContainer* other_container(std::string_view bytes) {
  static constexpr OtherContainer kOthers[] = {
      {"zip archive", "PK\x03\x04"sv, "unzip -p"},
      {"lz4 file", "\x04\x22\x4d\x18"sv, "lz4 -dc"},
      {"lzip file", "LZIP\x01"sv, "lzip -dc"},
      {"compress file", "\x1f\x9d"sv, "zcat"},
      {"7z archive", "7z\xbc\xaf\x27\x1c"sv, "7z x -so"},
  };
  const auto* const found =
      std::ranges::find_if(kOthers, [&](const OtherContainer& other) { return bytes.starts_with(other.magic); });
  return found == std::end(kOthers) ? nullptr : found;
}

}  // namespace shardstats
