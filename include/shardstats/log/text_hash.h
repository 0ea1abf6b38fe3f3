// A hash of a text, of eight bytes at a time: names of tables are long, and every row has one.
// Tested by tests/log/text_hash_test.cc.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

namespace shardstats {

// Its first bits are the best mixed ones.
inline std::uint64_t text_hash(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / the golden ratio
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() < kWord) return std::hash<std::string_view>{}(text)*kMultiplier;
  std::uint64_t hash = text.size() * kMultiplier;
  const auto mix = [&](std::size_t at) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, kWord);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  };
  for (std::size_t at = 0; at + kWord < text.size(); at += kWord) mix(at);
  mix(text.size() - kWord);
  return hash;
}

}  // namespace shardstats
