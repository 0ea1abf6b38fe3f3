// What holds a log but is not read: compressed files and archives, and texts that have it in another code. What they
// are called, and what unpacks them.
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

// What it is, and how to get a log that is read, where a text in which no block was found has the lines of one in
// another code, or a tool has left them out; empty: nothing tells.
std::string_view hint_for_text(std::string_view bytes);

}  // namespace shardstats
