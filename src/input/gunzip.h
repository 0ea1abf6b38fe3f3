// gzip content by zlib, which hands out what comes before damage; libarchive keeps the last piece to itself. Private to
// input/decompress.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "shardstats/input/source.h"

namespace shardstats::input_detail {

// Appends the content of all members to `out`, up to the first fault. nullopt: it is larger than `limit`.
std::optional<ContentFault> gunzip(std::string_view compressed, std::size_t limit, std::string& out);

}  // namespace shardstats::input_detail
