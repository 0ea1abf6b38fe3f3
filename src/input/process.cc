#include "input/process.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "input/box.h"
#include "shardstats/ascii.h"

namespace shardstats::input_detail {

using namespace std::string_view_literals;

namespace {

// Where the rest of a bar of tqdm ends, as in "[00:12<00:15,  3.61it/s]": behind the last one; kNowhere if there is
// none.
std::size_t end_of_bar(std::string_view text) {
  for (std::size_t at = text.rfind('<'); at != kNowhere && at > 0; at = text.rfind('<', at - 1)) {
    const std::size_t before = text.find_last_not_of("0123456789:", at - 1);
    const bool is_elapsed = before != kNowhere && text[before] == '[' && before + 1 < at;
    const std::size_t close = is_elapsed ? text.find(']', at) : kNowhere;
    if (close != kNowhere) return close + 1;
  }
  return kNowhere;
}

// A bar has no line end, so that the next line stands behind it with its own prefix, or without one where the bar has
// taken that.
std::string_view without_bar(std::string_view prefix) {
  const std::size_t bar = prefix.find("%|");
  if (bar == kNowhere || bar == 0 || !is_digit(prefix[bar - 1])) return prefix;
  const std::size_t end = end_of_bar(prefix.substr(bar));
  if (end == kNowhere) return prefix;
  const std::string_view own = trim_right(prefix.substr(bar + end));
  return own.empty() ? prefix.substr(0, prefix.find_last_not_of("0123456789", bar - 1) + 1) : own;
}

}  // namespace

std::string tag_of(std::string_view prefix) {
  static const re2::RE2 kVolatile(
      R"(\d{4}[-/]\d{2}[-/]\d{2}|\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2}| ?[AP]M\b)?)"
      R"(|\b\d:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M\b)?|(?:^|[^\w:.])\d{1,2}:\d{2}[.,]\d{2,})"
      R"(|\[ *\d+(?:\.\d+)? ?m?s\]|\b\d+\.\d+ ?m?s\b)"
      R"(|\b[IWEF]\d{4}(?:\d{4})? \d{2}:?\d{2}:?\d{2}(?:[.,]\d+)?|\.py:\d+|\[ *\d+\.\d{3,}\])"
      // Seconds, milliseconds and so on since 1970, and numbers of records. With 15 digits it is none of these, but
      // the thread that absl prints on most machines, which tells the process.
      R"(|\b(?:\d{16,}|\d{9,14}(?:\b|[A-Za-z_]))(?:\.\d+)?)");
  std::string tag(trim_right(without_bar(prefix)));
  re2::RE2::GlobalReplace(&tag, kVolatile, "~");
  std::erase(tag, '"');  // a field of CSV has them only where it has a comma
  return tag;
}

std::string process_of_strings(std::string_view text) {
  static const re2::RE2 kField(
      R"re((?i)\\*["']?\b_?()re"
      R"re((?:local_?|global_?|node_?)?rank(?:_?id)?|pid|process(?:_?(?:id|name))?|(?:worker|actor|task|instance)(?:_?id)?)re"
      R"re(|replica(?:_?(?:id|index|name))?|(?:host|node)(?:_?name)?|(?:pod|container)(?:_?(?:id|name))?)re"
      R"re(|(?:log_?)?stream_?name|filename|tag|service|workload)re"
      R"re()\\*["']?\s*[:=]\s*(?:\{\s*\\*["'](?:id|name)\\*["']\s*:\s*)?\\*["']?([\w./-]{1,128}))re");
  std::size_t start = kNowhere;
  for (const std::string_view opening : {"{"sv, "['"sv, "[\""sv, ": \""sv, "=\""sv})
    start = std::min(start, text.find(opening));
  if (start == kNowhere) start = std::min(text.find_first_not_of(" \t"), text.size());  // a bare string
  std::map<std::string, std::string> fields;
  // Not in the box itself: a table may be named "rank".
  const std::size_t first = std::min(text.find('#', start), text.size()), last = std::max(first, text.rfind('#') + 1);
  for (const std::string_view part : {text.substr(start, first - start), text.substr(last)}) {
    re2::StringPiece rest(part.data(), part.size());
    std::string name, value;
    while (re2::RE2::FindAndConsume(&rest, kField, &name, &value)) {
      const auto [field, is_new] = fields.try_emplace(name, value);
      if (!is_new && field->second != value) field->second.clear();  // records of several processes: it tells none
    }
  }
  std::string process = tag_of(text.substr(0, start));
  for (const auto& [field, own] : fields)
    if (!own.empty()) process.append(" ").append(field).append("=").append(own);
  constexpr std::size_t kLongest = 512;  // it is kept with each line of the strings
  process.resize(std::min(process.size(), kLongest));
  return process;
}

std::string process_of_progress(std::string_view text) {
  static const re2::RE2 kProgress(R"(^([^\r%]*?)\s*\d+%\|)");
  std::string prefix;
  return text.find('\r') != kNowhere && re2::RE2::PartialMatch(text, kProgress, &prefix) ? tag_of(prefix) : prefix;
}

}  // namespace shardstats::input_detail
