// Compressed content: recognised by its magic bytes, decompressed by zlib or libarchive. Internal to input/source.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardstats/input/source.h"
#include "shardstats/limits.h"

namespace shardstats {

// The names of the formats as messages print them are in one table in decompress.cc.
enum class Compression : std::uint8_t { none, gzip, zstd, xz, bzip2 };

Compression compression_of(std::string_view bytes);

struct Decompressed {
  std::string bytes;                        // all that came out in front of the fault
  ContentFault fault = ContentFault::none;  // of the compressed form
  std::string problem;                      // one sentence; empty if `bytes` is the whole content
  std::string hint;                         // what to try; may be empty
};

// `kind` is not Compression::none. Content that is compressed itself or longer than `limit` is a problem without bytes.
Decompressed decompress(std::string_view compressed, Compression kind, std::size_t limit = kMostInMemory);

}  // namespace shardstats
