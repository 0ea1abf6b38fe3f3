#include "log/repeats.h"

#include <bit>
#include <cstdint>

#include "shardstats/log/text_hash.h"

namespace shardstats::log_detail {

namespace {

constexpr std::size_t kManyProbes = 16;  // for each row: more only if many rows begin with one name

// Rows start with the table's name; equal rows have equal names, and few others have.
std::string_view name_of(std::string_view row) { return row.substr(0, row.find(' ')); }
std::string_view whole(std::string_view row) { return row; }

// Equal rows have equal keys. False: too many different ones share a key.
bool find_repeated(std::span<const Cell> rows, std::string_view (*key)(std::string_view), std::size_t most_probes,
                   std::vector<std::uint32_t>& repeated) {
  constexpr std::uint32_t kFree = UINT32_MAX;
  const std::size_t mask = std::bit_ceil(rows.size() * 2 + 1) - 1;
  const int dropped = std::countl_zero(mask);  // bits of a hash
  std::vector<std::uint32_t> slots(mask + 1, kFree);
  std::size_t probes = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    auto at = static_cast<std::size_t>(text_hash(key(rows[row].text)) >> dropped);
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
