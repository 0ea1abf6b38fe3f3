#include "report/words.h"

#include <algorithm>

#include "shardstats/report/units.h"

namespace shardstats {

std::string_view color_of(Severity severity) {
  return severity == Severity::error ? kBad : severity == Severity::warning ? "\033[1;33m" : "\033[1;36m";
}

std::string painted(std::string_view text, std::string_view color, const TextStyle& style) {
  if (!style.color) return std::string(text);
  return std::string(color).append(text).append("\033[0m");
}

std::string plural(std::int64_t n, std::string_view word) {
  return with_commas(n) + " " + std::string(word) + (n == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() && !last.empty() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace shardstats
