#include "log/repeats.h"

#include <bit>
#include <functional>

namespace shardstats::log_detail {

// A hash table with open addressing: sorting the rows or a node per row would take longer than reading them.
std::vector<std::uint32_t> repeated_rows(std::span<const Cell> rows) {
  constexpr std::uint32_t kFree = UINT32_MAX;
  const std::size_t mask = std::bit_ceil(rows.size() * 2 + 1) - 1;
  std::vector<std::uint32_t> slots(mask + 1, kFree);
  std::vector<std::uint32_t> repeated;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    // Rows start with the table's name; equal rows have equal names, and few others have.
    const std::string_view name = rows[row].text.substr(0, rows[row].text.find(' '));
    std::size_t at = std::hash<std::string_view>{}(name)&mask;
    while (slots[at] != kFree && rows[slots[at]].text != rows[row].text) at = (at + 1) & mask;
    if (slots[at] == kFree)
      slots[at] = row;
    else
      repeated.push_back(row);
  }
  return repeated;
}

}  // namespace shardstats::log_detail
