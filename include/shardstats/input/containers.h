// Compressed files and archives that are not read: what they are called, and what unpacks them.
#pragma once

#include <string_view>

namespace shardstats {

struct OtherContainer {
  std::string_view name;    // "zip archive"
  std::string_view magic;   // its first bytes
  std::string_view unpack;  // the command that writes its content to standard output: "unzip -p"
};

// nullptr: the bytes are none that is known.
const OtherContainer* other_container(std::string_view bytes);

}  // namespace shardstats
