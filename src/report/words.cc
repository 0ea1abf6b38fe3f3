#include "report/words.h"

#include <algorithm>

#include "report/width.h"
#include "shardstats/report/units.h"

namespace shardstats {

std::string_view color_of(Severity severity) {
  return severity == Severity::error ? kBad : severity == Severity::warning ? kDoubtful : kRemark;
}

std::string_view color_of(Verdict verdict) { return verdict == Verdict::clean ? kGood : kBad; }

std::string painted(std::string_view text, std::string_view color, const TextStyle& style) {
  if (!style.color || color.empty()) return std::string(text);
  return std::string(color).append(text).append(kReset);
}

std::string plural(std::int64_t n, std::string_view word) {
  return with_commas(n) + " " + std::string(word) + (n == 1 ? "" : "s");
}

std::string plural(std::size_t n, std::string_view word) { return plural(static_cast<std::int64_t>(n), word); }

std::string and_more(std::size_t left_out, std::string_view word) {
  return "... and " + plural(left_out, "more " + std::string(word));
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() && !last.empty() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string from_to(const std::string& low, const std::string& high) { return low == high ? low : low + ".." + high; }

std::string message_and_hint(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "; " + error.hint);
}

std::string suspect_text(const Finding& finding) {
  const std::vector<Suspect>& suspects = finding.suspects;
  if (suspects.empty()) return {};
  const Place& place = suspects.front().cell.place;
  const bool is_alone = suspects.size() == 1 || !suspects[1].as_likely;
  // The finding points at its own number already.
  return place.line == 0 || (is_alone && place == finding.where.place) ? "" : words_of_likeliest(suspects);
}

std::string message_and_suspect(const Finding& finding) {
  const std::string suspect = suspect_text(finding);
  return finding.message + (suspect.empty() ? "" : "; suspect: " + suspect);
}

std::vector<std::string> count_words(const FindingCounts& counts) {
  std::vector<std::string> words;
  if (counts.error > 0) words.push_back(plural(counts.error, "error"));
  if (counts.warning > 0) words.push_back(plural(counts.warning, "warning"));
  if (counts.note > 0) words.push_back(plural(counts.note, "note"));
  return words;
}

std::vector<std::string> count_words(const BudgetCounts& counts) {
  std::vector<std::string> words;
  if (counts.broken > 0) words.push_back(with_commas(counts.broken) + " broken");
  if (counts.undecided > 0) words.push_back(with_commas(counts.undecided) + " undecided");
  if (counts.passed > 0 || words.empty()) words.push_back(with_commas(counts.passed) + " passed");
  return words;
}

std::string with_its_end(std::string text, std::size_t most, std::string_view mark) {
  if (columns_of(text) <= most) return text;
  return std::string(mark).append(end_within(text, most - std::min(most, columns_of(mark))));
}

std::string spaced(std::string_view id) {
  std::string words(id);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, columns_of(text)), ' ');
}
std::string right_aligned(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + std::string(text);
}

std::size_t shown(std::size_t rows, std::size_t top) { return top == 0 ? rows : std::min(top, rows); }

}  // namespace shardstats
