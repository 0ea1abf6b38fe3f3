// Makes lines of a line in which something is undone; each byte keeps its place. Private to src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// What a rule makes of the bytes at one place: `length` bytes become `text`. length 0: the byte stays.
struct Change {
  std::size_t length = 0;
  std::string text;
};

// The line with `rule(text, at)` applied from left to right.
template <class Rule>
Transcript rewrite(const Transcript& line, Rule rule) {
  Transcript out;
  const std::string_view text = line.text();
  std::size_t kept = 0, at = 0;
  while (at < text.size()) {
    const Change change = rule(text, at);
    if (change.length == 0) {
      ++at;
      continue;
    }
    out.append(line, kept, at);
    out.fill(change.text, line.place_of(at));  // its bytes are not those of the log
    kept = at += change.length;
  }
  out.append(line, kept, at);
  return out;
}

inline Transcript part_of(const Transcript& line, std::size_t start, std::size_t end = std::string_view::npos) {
  Transcript part;
  part.append(line, start, end);
  return part;
}

// The line alone, where others stand for several.
inline std::vector<Transcript> only(Transcript line) {
  std::vector<Transcript> lines;
  lines.push_back(std::move(line));
  return lines;
}

// The lines that its line feeds end.
inline std::vector<Transcript> split_lines(const Transcript& text) {
  std::vector<Transcript> lines;
  const std::string_view all = text.text();
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\n', start), all.size());
    lines.push_back(part_of(text, start, end));
    start = end + 1;
  }
  return lines;
}

}  // namespace shardstats::input_detail
