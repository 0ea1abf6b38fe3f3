#include "input/strings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "input/box.h"
#include "input/colours.h"
#include "input/csv.h"
#include "input/rewrite.h"
#include "input/utf16.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

using namespace std::string_view_literals;

std::optional<char32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t digits) {
  return at + digits <= text.size() ? code_point(text.substr(at, digits), 16) : std::nullopt;
}

// "\uXXXX", also as a pair of surrogates; "\xXX"; "\UXXXXXXXX".
Change numbered_escape(std::string_view text, std::size_t at) {
  const char kind = text[at + 1];
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  const auto code = hexadecimal(text, at + 2, digits);
  if (!code) return {};
  if (kind == 'u' && is_high_surrogate(*code) && text.substr(at + 6).starts_with("\\u")) {
    const auto low = hexadecimal(text, at + 8, 4);
    if (low && is_low_surrogate(*low)) return {12, utf8(of_surrogates(*code, *low))};
  }
  return {2 + digits, utf8(*code)};
}

// The escapes of JSON and Python strings.
Change escape_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kLetters = "nrt\"'\\/", kMeanings = "\n\r\t\"'\\/", kNumbered = "uxU";
  if (text[at] != '\\' || at + 1 == text.size()) return {};
  if (const std::size_t i = kLetters.find(text[at + 1]); i != kNowhere) return {2, std::string(1, kMeanings[i])};
  return kNumbered.find(text[at + 1]) != kNowhere ? numbered_escape(text, at) : Change();
}

// Where strings of a container may start: at once, or behind what is in front of a list or a value.
std::size_t container_start(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == kNowhere) return kNowhere;
  if ("{[\"'"sv.find(text[first]) != kNowhere) return first;
  std::size_t start = kNowhere;
  for (const std::string_view opening : {"['"sv, "[\""sv, "{\""sv, ": \""sv, "=\""sv, "{'"sv})
    start = std::min(start, text.find(opening, first));
  return start;
}

// Colours may stand around the '#' of a box, and a tab behind it. A terminal may have broken its border.
bool has_box(const Transcript& line) {
  const std::size_t box =
      has_colours(line.text()) ? first_box_with_tabs(without_colours(line).text()) : first_box_with_tabs(line.text());
  return box != kNowhere || first_wrapped_border(line.text()) != kNowhere;
}

// Or the title of a block that lost its frame.
bool holds_box(const std::vector<Transcript>& lines) {
  return std::ranges::any_of(lines, [&](const Transcript& line) {
    return has_box(line) || (lines.size() > 1 && line.text().find(kTitle) != kNowhere);
  });
}

// Does a whole line of a box of that width stand in one of the texts that is none of `lines`?
bool hold_another_line(const std::vector<std::string_view>& texts, std::size_t width,
                       const std::vector<Transcript>& lines) {
  std::set<std::string_view> known;  // `lines`, from the first question on
  const auto is_known = [&](std::string_view line) {
    if (known.empty())
      for (const Transcript& one : lines) known.insert(trim_right(one.text()));
    return known.contains(line);
  };
  for (const std::string_view text : texts) {
    std::size_t start = 0, last = byte_of(text, width - 1);
    while (last < text.size()) {
      if (is_inner_box_line(text, start, last) && !is_known(text.substr(start, last + 1 - start))) return true;
      start += byte_of(text.substr(start), 1);
      last += byte_of(text.substr(last), 1);
    }
  }
  return false;
}

// The key of a string that is the value of a field: "message" of {"message": "..."}; empty: it has none, as in a list.
std::string_view key_of(std::string_view text, std::size_t open) {
  const auto last_before = [&](std::size_t end) {
    const std::string_view before = text.substr(0, end);
    return before.find_last_not_of(" \t");
  };
  const std::size_t colon = last_before(open);
  if (colon == kNowhere || text[colon] != ':') return {};
  const std::size_t close = last_before(colon);
  if (close == kNowhere || close == 0 || "\"'"sv.find(text[close]) == kNowhere) return {};
  const std::size_t quote = text.rfind(text[close], close - 1);
  return quote == kNowhere ? std::string_view() : text.substr(quote + 1, close - quote - 1);
}

// Fields in which loggers and stores keep the message, some of them twice.
bool is_of_message(std::string_view key) {
  static constexpr std::string_view kKeys[] = {"text", "message",  "msg",  "log",          "_raw",
                                               "raw",  "original", "body", "full_message", "textPayload"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

// From its box on, if it has one: a prefix may stand in front of it in one of the fields.
std::string from_box(const Transcript& line) {
  const Transcript plain = without_colours(line);
  const std::size_t box = first_box(plain.text());
  return std::string(trim_right(plain.text().substr(box == kNowhere ? 0 : box)));
}

// Empty lines, as behind the last line feed, do not count.
bool have_same_lines(std::span<const Transcript> a, std::span<const Transcript> b) {
  const auto texts_of = [](std::span<const Transcript> lines) {
    std::vector<std::string> texts;
    for (const Transcript& line : lines)
      if (std::string text = from_box(line); !text.empty()) texts.push_back(std::move(text));
    return texts;
  };
  return texts_of(a) == texts_of(b);
}

// Counts the fields of a record by their key.
class FieldCounts {
 public:
  // None: no key that is short, or too many others were seen.
  StringField next(std::string_view key) {
    constexpr std::size_t kLongest = 128, kMost = 32;
    if (key.empty() || key.size() > kLongest) return {};
    const auto own = std::ranges::find(counts_, key, &Count::key);
    if (own != counts_.end()) return {std::string(key), ++own->before};
    if (counts_.size() == kMost) return {};
    counts_.push_back({key, 0});
    return {std::string(key), 0};
  }

 private:
  struct Count {
    std::string_view key;
    int before;
  };
  std::vector<Count> counts_;
};

LinesInStrings lines_at_depth(const Transcript& line, std::size_t width, const StringField& of_rest, std::size_t depth);

// The lines of one string, which is the value of that field, or of the strings in it.
LinesInStrings lines_of_string(const Transcript& content, StringField field, std::size_t width,
                               const StringField& of_rest, std::size_t depth) {
  LinesInStrings found = lines_at_depth(content, width, of_rest, depth + 1);
  if (!found.lines.empty()) return found;
  const bool is_rest = !of_rest.key.empty() && field == of_rest;
  found.lines = split_lines(content);
  found.field = std::move(field);
  if (is_rest && found.lines.empty()) found.lines.emplace_back();  // of a piece that lost its blanks
  if (!is_rest && !holds_box(found.lines)) found.lines.clear();
  return found;
}

LinesInStrings lines_at_depth(const Transcript& line, std::size_t width, const StringField& of_rest,
                              std::size_t depth) {
  LinesInStrings found;
  const std::string_view text = line.text();
  const std::size_t start = container_start(text);
  if (start == kNowhere || depth == kDeepestNesting || begins_with_field_in_quotes(text.substr(start))) return found;
  std::vector<std::string_view> outside;
  std::size_t seen = 0;
  std::string_view last_key;
  std::size_t last = 0;  // where the lines of the string with that key start
  FieldCounts fields;
  for (std::size_t open = text.find_first_of("\"'", start); open != kNowhere;) {
    const std::size_t end = string_end(text, open);
    const Transcript content = rewrite(part_of(line, open + 1, end), escape_at);
    const std::string_view key = key_of(text, open);
    LinesInStrings inner = lines_of_string(content, fields.next(key), width, of_rest, depth);
    if (!inner.lines.empty()) {
      const bool has_other_key = key != last_key && is_of_message(key) && is_of_message(last_key);
      const bool is_repeated = has_other_key && have_same_lines(std::span(found.lines).subspan(last), inner.lines);
      found.are_repeated = found.are_repeated || is_repeated || inner.are_repeated;
      found.are_all = found.are_all && inner.are_all;
      outside.push_back(text.substr(seen, open - seen));
      seen = end;
      if (!is_repeated) {
        last_key = key;
        last = found.lines.size();
        found.field = std::move(inner.field);
        std::ranges::move(inner.lines, std::back_inserter(found.lines));
      }
    }
    open = end < text.size() ? text.find_first_of("\"'", end + 1) : kNowhere;
  }
  if (found.lines.empty()) return found;
  outside.push_back(text.substr(seen));
  const std::size_t known_width = width != 0 ? width : width_of_box(found.lines);
  found.are_all = found.are_all && (known_width == 0 || !hold_another_line(outside, known_width, found.lines));
  return found;
}

}  // namespace

std::size_t string_end(std::string_view text, std::size_t open) {
  std::size_t at = open + 1;
  while (at < text.size() && text[at] != text[open]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

std::size_t width_of_box(const std::vector<Transcript>& lines) {
  for (const Transcript& line : lines) {
    const std::string_view box = line.text().substr(std::min(first_box(line.text()), line.text().size()));
    if (const std::size_t hashes = hashes_at_start(box); hashes >= kShortestBorder) return hashes;
    if (const std::size_t width = width_of_title(box); width != 0) return width;
  }
  return 0;
}

LinesInStrings lines_in_strings(const Transcript& line, std::size_t width, const StringField& of_rest) {
  return lines_at_depth(line, width, of_rest, 0);
}

}  // namespace shardstats::input_detail
