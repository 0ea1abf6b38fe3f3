// Pieces of logs whose lines were changed on their way.
#pragma once

#include <string>

#include "printed_block.h"

namespace shardstats::test {

// As Python prints a list of strings.
inline std::string python_list(const Texts& lines) {
  std::string text = "[";
  for (const std::string& line : lines) text += (text.size() > 1 ? ", '" : "'") + line + "'";
  return text + "]\n";
}

// As the JSON logger of Docker writes a line, or a part of a long one.
inline std::string docker_record(const std::string& part, bool is_last) {
  return R"({"log":")" + replaced(replaced(part, "\\", "\\\\"), "\"", "\\\"") + (is_last ? "\\n" : "") +
         R"(","stream":"stderr","time":"2026-01-02T03:04:05Z"})";
}

// Of a record of many lines only the first one has the prefix of its logger.
inline Texts one_record(const std::string& prefix) {
  Texts lines = printed();
  lines[0].insert(0, prefix);
  return lines;
}

inline std::string lines_of_others(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "step " + std::to_string(i) + ": loss 0.5\n";
  return text;
}

}  // namespace shardstats::test
