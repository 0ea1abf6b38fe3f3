#include "input/csv.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "input/box.h"
#include "input/decode.h"
#include "input/doubled_quotes.h"
#include "input/process.h"
#include "input/rewrite.h"
#include "input/strings.h"

namespace shardstats::input_detail {
namespace {

bool is_separator(char c) { return c == ',' || c == ';' || c == '\t'; }

// Where a field of a record stands, with its quotes if it has any.
struct FieldSpan {
  std::size_t start = 0, end = 0;
};

// The first field in quotes of which `is_it` says so.
template <class F>
std::optional<FieldSpan> field_in_quotes(std::string_view record, F is_it) {
  for (std::size_t open = record.find('"'); open != kNowhere;) {
    if (open > 0 && !is_separator(record[open - 1])) return std::nullopt;
    const std::size_t close = closing_quote(record, open + 1, '"');
    if (close == kNowhere) return std::nullopt;
    const FieldSpan field{open, close + 1};
    if (field.end < record.size() && !is_separator(record[field.end])) return std::nullopt;
    if (is_it(field)) return field;
    open = record.find('"', field.end);
  }
  return std::nullopt;
}

std::optional<FieldSpan> field_around_box(std::string_view record) {
  const std::size_t box = record.find('"') == kNowhere ? kNowhere : first_box_or_border(record);
  if (box == kNowhere) return std::nullopt;
  const auto found = field_in_quotes(record, [&](FieldSpan field) { return field.end > box + 1; });
  return found && found->start < box ? found : std::nullopt;
}

// The field behind those columns with the rest of a line, or with a '#' alone, of which nothing else tells that it is
// the start of one.
std::optional<FieldSpan> field_behind(std::string_view record, const std::optional<std::string>& columns,
                                      bool goes_on) {
  constexpr std::string_view kLoneHash = "\"#\"";
  if (!columns || (!goes_on && record.find(kLoneHash) == kNowhere)) return std::nullopt;
  return field_in_quotes(record, [&](FieldSpan field) {
    const bool may_be_it = goes_on || record.substr(field.start).starts_with(kLoneHash);
    return may_be_it && tag_of(record.substr(0, field.start)) == *columns;
  });
}

constexpr std::string_view kStartOfEvent = "\"{\"\"";

// Of all fields; none if the quotes are not those of a record.
std::vector<FieldSpan> spans_of_fields(std::string_view record, char separator) {
  std::vector<FieldSpan> spans;
  for (std::size_t at = 0; at <= record.size(); at = spans.back().end + 1) {
    const bool has_quotes = record.substr(at).starts_with('"');
    const std::size_t close = has_quotes ? closing_quote(record, at + 1, '"') : kNowhere;
    const std::size_t end = has_quotes ? close + 1 : std::min(record.find(separator, at), record.size());
    if (has_quotes && (close == kNowhere || (end < record.size() && record[end] != separator))) return {};
    spans.push_back({at, end});
  }
  return spans;
}

Transcript content_of(const Transcript& record, FieldSpan span) {
  if (!record.text().substr(span.start).starts_with('"')) return part_of(record, span.start, span.end);
  return without_doubled_quotes(part_of(record, span.start + 1, span.end - 1), '"');
}

std::string_view box_in(std::string_view text) {
  const std::size_t box = first_box(text);
  return box == kNowhere ? std::string_view() : trim_right(text.substr(box));
}

// Where a field may be such an event: the separator of the record; 0 if none is.
char separator_of_events(std::string_view record) {
  const std::size_t start = record.find(kStartOfEvent);
  if (start == kNowhere) return 0;
  const std::size_t close = closing_quote(record, start + 1, '"');
  const std::size_t beside = start > 0 ? start - 1 : close + 1;
  const bool is_field = close != kNowhere && beside < record.size() && is_separator(record[beside]);
  return is_field ? record[beside] : '\0';
}

bool is_repeated_event(const Transcript& record, const std::vector<FieldSpan>& spans, FieldSpan event,
                       std::size_t width) {
  const LinesInStrings found = lines_in_strings(content_of(record, event), width);
  const std::string_view box = found.lines.size() == 1 ? box_in(found.lines.front().text()) : std::string_view();
  return !box.empty() && std::ranges::any_of(spans, [&](FieldSpan span) {
    return span.start != event.start && box_in(content_of(record, span).text()) == box;
  });
}

}  // namespace

bool begins_with_field_in_quotes(std::string_view text) {
  if (!text.starts_with('"') || text.find('\\') != kNowhere) return false;
  const std::size_t close = closing_quote(text, 1, '"');
  const bool is_field = close != kNowhere && close + 1 < text.size() && is_separator(text[close + 1]);
  if (!is_field || first_box_or_border(text.substr(0, close)) == kNowhere) return is_field;
  const std::string_view others = trim_right(text.substr(close + 2));
  return !others.empty() && first_box_or_border(others) == kNowhere;
}

std::optional<std::string> columns_in_front_of_box(std::string_view record) {
  constexpr std::size_t kLongest = 1024;
  const auto in_quotes = field_around_box(record);
  const std::size_t start = in_quotes ? in_quotes->start : first_box_or_border(record);
  const bool is_field = in_quotes || (start != kNowhere && start > 0 && is_separator(record[start - 1]));
  return is_field && start <= kLongest ? std::optional(tag_of(record.substr(0, start))) : std::nullopt;
}

Transcript without_quotes_of_field(Transcript record, const std::optional<std::string>& columns, bool goes_on,
                                   std::vector<Mended>& mended) {
  std::optional<FieldSpan> field = field_around_box(record.text());
  if (!field) field = field_behind(record.text(), columns, goes_on);
  if (!field) return record;
  note(mended, Mending::suffix, record.place_of(field->end - 1));
  Transcript line = part_of(record, 0, field->start);
  line.append(content_of(record, *field));
  return line;
}

Transcript take_repeated_event(Transcript& record, std::size_t width) {
  const char separator = separator_of_events(record.text());
  if (separator == 0) return {};
  const std::vector<FieldSpan> spans = spans_of_fields(record.text(), separator);
  for (const FieldSpan span : spans) {
    if (!record.text().substr(span.start).starts_with(kStartOfEvent)) continue;
    if (!is_repeated_event(record, spans, span, width)) continue;
    Transcript event = content_of(record, span);
    Transcript rest = part_of(record, 0, span.start);
    rest.append(record, span.end);
    record = std::move(rest);
    return event;
  }
  return {};
}

std::string_view fields_behind_box(std::string_view record) {
  if (const auto in_quotes = field_around_box(record)) return record.substr(in_quotes->end);
  const std::size_t border = record.rfind('#');
  if (border == record.find('#')) return {};  // of a line without its right border, or there is none
  const std::string_view behind = record.substr(border + 1);
  return !behind.empty() && is_separator(behind.front()) ? behind : std::string_view();
}

}  // namespace shardstats::input_detail
