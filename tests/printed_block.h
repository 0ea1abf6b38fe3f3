// A small block as it is printed, what may happen to its lines, and what was found of it. Shared by the tests of
// src/input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::test {

using Texts = std::vector<std::string>;

inline constexpr std::size_t kWidth = 110;

inline std::string box_line(const std::string& text) {
  return "# " + text + std::string(kWidth - 3 - text.size(), ' ') + "#";
}

// A block as it was printed; `batch` tells several apart.
inline Texts printed(const std::string& batch = "512") {
  return {std::string(kWidth, '#'),
          "#" + std::string(41, ' ') + "--- Planner Statistics ---" + std::string(41, ' ') + "#",
          "# " + std::string(kWidth - 4, '-') + " #",
          box_line("     Rank     HBM (GB)"),
          box_line("   ------   ----------"),
          box_line("        0   1.5 (12%)"),
          box_line(""),
          box_line("Batch Size: " + batch),
          box_line(""),
          box_line("Compute Kernels Count:"),
          box_line("   fused: 3"),
          std::string(kWidth, '#')};
}

inline std::string joined(const Texts& lines) {
  std::string log;
  for (const std::string& line : lines) log += line + "\n";
  return log;
}

inline Texts each(Texts lines, const std::function<std::string(const std::string&)>& change) {
  std::ranges::transform(lines, lines.begin(), change);
  return lines;
}

inline Texts prefixed(const std::string& prefix, const Texts& lines = printed()) {
  return each(lines, [&](const std::string& line) { return prefix + line; });
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline Texts wrapped(const Texts& lines, std::size_t width, bool stripped = false) {
  Texts pieces;
  for (const std::string& line : lines)
    for (std::size_t at = 0; at < line.size(); at += width) {
      pieces.push_back(line.substr(at, width));
      if (stripped) pieces.back().erase(pieces.back().find_last_not_of(' ') + 1);
    }
  return pieces;
}

inline Texts texts_of(const Block& block) {
  Texts texts;
  for (const BoxLine& line : block.lines) texts.emplace_back(line.text);
  return texts;
}

inline bool was(Mending what, const Block& block) {
  return std::ranges::find(block.mended, what, &Mended::what) != block.mended.end();
}

inline char byte_at(const std::string& log, Place place) {
  std::size_t start = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) start = log.find('\n', start) + 1;
  return log.at(start + place.column - 1);
}

// Tab stops at eight columns, as unexpand -a sets them.
inline std::string tabbed(const std::string& line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); at += 8) {
    const std::string part = line.substr(at, 8);
    const std::size_t kept = part.find_last_not_of(' ') + 1;
    out += part.size() == 8 && part.size() - kept > 1 ? part.substr(0, kept) + "\t" : part;
  }
  return out;
}

inline std::string json(const std::string& text) {
  return "{\"level\": \"info\", \"msg\": \"" +
         replaced(replaced(replaced(text, "\\", "\\\\"), "\"", "\\\""), "\n", "\\n") + "\", \"n\": 1}";
}

}  // namespace shardstats::test
