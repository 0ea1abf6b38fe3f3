// Compressed content: recognised by its magic bytes, decompressed by zlib or libarchive. Internal to input/source.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "shardstats/input/source.h"
#include "shardstats/limits.h"

namespace shardstats {

struct Decompressed {
  std::string bytes;                        // all that came out in front of the fault
  ContentFault fault = ContentFault::none;  // of the compressed form
  std::string problem;                      // one sentence; empty if `bytes` is the whole content
  std::string hint;                         // what to try; may be empty
};

// nullopt: the bytes are not compressed. Content that is compressed itself or longer than `most` is a problem without
// bytes.
std::optional<Decompressed> decompress(std::string_view bytes, std::size_t most = kMostInMemory);

}  // namespace shardstats
