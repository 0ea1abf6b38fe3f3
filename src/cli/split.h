// Lists that are written as one text. Tested by tests/cli/split_test.cc.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace shardstats::cli {

// What is between the separators. One at the end has nothing behind it.
inline std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return pieces;
}

inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

}  // namespace shardstats::cli
