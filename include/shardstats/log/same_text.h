// Are two texts equal? Those of most cells are a few bytes long, for which a call takes longer than to compare them.
// Tested by tests/log/same_text_test.cc.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace shardstats {
namespace log_detail {

// Compared as one value.
struct SixteenBytes {
  std::uint64_t first, last;
  bool operator==(const SixteenBytes&) const = default;
};

// Of texts of one length, which is that of a word at least and of two at most.
template <class Word>
bool same_ends(std::string_view a, std::string_view b) {
  const auto word = [](const char* from) {
    Word bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  };
  const std::size_t last = a.size() - sizeof(Word);
  return word(a.data()) == word(b.data()) && word(a.data() + last) == word(b.data() + last);
}

}  // namespace log_detail

[[gnu::always_inline]] inline bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() > 32) return a == b;
  if (a.size() > 16) return log_detail::same_ends<log_detail::SixteenBytes>(a, b);
  if (a.size() >= 8) return log_detail::same_ends<std::uint64_t>(a, b);
  if (a.size() >= 4) return log_detail::same_ends<std::uint32_t>(a, b);
  if (a.size() >= 2) return log_detail::same_ends<std::uint16_t>(a, b);
  return a.empty() || a.front() == b.front();
}

}  // namespace shardstats
