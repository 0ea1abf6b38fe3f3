#include "log/repeats.h"

#include <bit>
#include <cstdint>
#include <functional>

#include "log/text.h"

namespace shardstats::log_detail {

namespace {

constexpr std::size_t kManyProbes = 16;  // for each row: more only if many rows begin with one name

// Rows start with the table's name; equal rows have equal names, and few others have.
std::string_view name_of(std::string_view row) { return row.substr(0, row.find(' ')); }
std::string_view whole(std::string_view row) { return row; }

// Of eight bytes at a time, since names are long; its first bits are the best mixed ones.
std::uint64_t hash_of(std::string_view key) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / the golden ratio
  if (key.size() < 8) return std::hash<std::string_view>{}(key)*kMultiplier;
  std::uint64_t hash = 0;
  const auto mix = [&](std::size_t at) {
    hash = (hash ^ eight_bytes(key, at)) * kMultiplier;
    hash ^= hash >> 29;
  };
  for (std::size_t at = 0; at + 8 < key.size(); at += 8) mix(at);
  mix(key.size() - 8);
  return hash;
}

// Equal rows have equal keys. False: too many different ones share a key.
bool find_repeated(std::span<const Cell> rows, std::string_view (*key)(std::string_view), std::size_t most_probes,
                   std::vector<std::uint32_t>& repeated) {
  constexpr std::uint32_t kFree = UINT32_MAX;
  const std::size_t mask = std::bit_ceil(rows.size() * 2 + 1) - 1;
  const int dropped = std::countl_zero(mask);  // bits of a hash
  std::vector<std::uint32_t> slots(mask + 1, kFree);
  std::size_t probes = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    auto at = static_cast<std::size_t>(hash_of(key(rows[row].text)) >> dropped);
    for (; slots[at] != kFree && rows[slots[at]].text != rows[row].text; at = (at + 1) & mask)
      if (++probes > most_probes) return false;
    if (slots[at] == kFree)
      slots[at] = row;
    else
      repeated.push_back(row);
  }
  return true;
}

}  // namespace

// A hash table with open addressing: sorting the rows or a node per row would take longer than reading them.
std::vector<std::uint32_t> repeated_rows(std::span<const Cell> rows) {
  std::vector<std::uint32_t> repeated;
  if (find_repeated(rows, name_of, kManyProbes * rows.size(), repeated)) return repeated;
  repeated.clear();
  find_repeated(rows, whole, SIZE_MAX, repeated);
  return repeated;
}

}  // namespace shardstats::log_detail
