#include "input/yaml.h"

#include <algorithm>
#include <utility>

#include "input/box.h"
#include "input/doubled_quotes.h"
#include "input/rewrite.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

// Emitters fold a scalar at the first place behind this column, so that the line in front of a fold is longer.
constexpr std::size_t kFoldedAt = 80;
bool may_be_folded(std::string_view text) { return text.size() > kFoldedAt; }

std::size_t indent_of(std::string_view text) { return skip_blanks(text, 0); }

// An empty line is a line end of the scalar.
bool may_go_on_behind(std::string_view text) { return may_be_folded(text) || is_blank(text); }

// Where the quote stands that ends the scalar, or kNowhere.
std::size_t end_of_quotes(std::string_view text, std::size_t from, char quote) {
  if (quote == '\'') return closing_quote(text, from, quote);
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '"') return at;
    if (text[at] == '\\') ++at;
  }
  return kNowhere;
}

// Behind the dash of a list and the key; the indentation if there are none.
std::size_t front_of_value(std::string_view text) {
  std::size_t at = indent_of(text);
  while (text.substr(at).starts_with("- ")) at += 2;
  const bool has_quote = at < text.size() && (text[at] == '\'' || text[at] == '"');
  const std::size_t close = has_quote ? end_of_quotes(text, at + 1, text[at]) : kNowhere;
  if (has_quote && close == kNowhere) return at;
  const std::size_t key = has_quote ? close + 1 : text.find_first_of("'\"#: ", at);
  return key != kNowhere && key > at && text.substr(key).starts_with(": ") ? key + 2 : at;
}

// A key whose value is on the next line.
bool is_key_alone(std::string_view text) {
  const std::string_view key = trim_right(text);
  return key.size() > 1 && key.ends_with(':') && key.find_first_of("'\"#: ", indent_of(key)) + 1 == key.size();
}

bool is_field_or_key(std::string_view text) { return front_of_value(text) > indent_of(text) || is_key_alone(text); }

// A line that was broken elsewhere than at a blank ends in a backslash, which is no second half of another one.
bool ends_in_backslash(std::string_view text) {
  const std::size_t backslashes = text.size() - (text.find_last_not_of('\\') + 1);
  return backslashes % 2 == 1;
}

// The escapes that strings of JSON do not have; a backslash that stands for itself is none.
Transcript with_escapes_of_json(const Transcript& line) {
  return rewrite(line, [](std::string_view text, std::size_t at) {
    if (text.substr(at).starts_with("\\\\")) return Change{2, "\\\\"};
    return text.substr(at).starts_with("\\e") ? Change{2, "\\x1b"} : Change{};
  });
}

// Below a key alone. A scalar of one line has another field below it; a text of many lines goes on.
std::optional<std::size_t> start_without_quotes(const PhysicalLines& lines, std::string_view before) {
  const std::string_view text = lines.text(), next = lines.next_text();
  const std::size_t indent = indent_of(text);
  const bool is_single = indent_of(next) < indent && (is_field_or_key(next) || next.starts_with("-"));
  const bool is_plain = is_key_alone(before) && indent > indent_of(before) && is_single && first_box(text) != kNowhere;
  return is_plain ? std::optional(indent) : std::nullopt;
}

}  // namespace

FoldedScalars::FoldedScalars(std::string_view bytes, std::size_t start) {
  const Line line = line_at(bytes, start);
  const std::size_t indent = indent_of(line.text);
  if (start == 0) return;
  before_ = line_before(bytes, start).text;
  if (indent == 0 || indent == line.text.size() || !may_go_on_behind(before_)) return;
  if (ends_in_backslash(before_) && line.text.find("\\n") != kNowhere)
    open_ = Scalar{'"', indent - 1};
  else
    open_ = scalar_above(bytes, line, indent);
}

// A scalar that began above lines of that indentation.
std::optional<FoldedScalars::Scalar> FoldedScalars::scalar_above(std::string_view bytes, Line line,
                                                                 std::size_t indent) {
  constexpr int kMostLines = 1000;
  constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // each region of a log may look for one
  const std::size_t end = line.start;
  bool has_single = false, has_double = false;
  for (int i = 0; i < kMostLines && line.start > 0 && end - line.start < kMostBytes && !(has_single && has_double);
       ++i) {
    line = line_before(bytes, line.start);
    const std::string_view text = line.text;
    if (is_blank(text)) continue;
    const bool is_inside = indent_of(text) >= indent;
    const std::size_t value = is_inside ? 0 : front_of_value(text);
    const char quote = is_inside || value == text.size() ? '\0' : text[value];
    if (!is_inside && quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t from = is_inside ? 0 : value + 1;
    has_single = has_single || end_of_quotes(text, from, '\'') != kNowhere;
    has_double = has_double || end_of_quotes(text, from, '"') != kNowhere;
    if (is_inside) continue;
    const bool is_closed = quote == '"' ? has_double : has_single;
    return is_closed ? std::nullopt : std::optional(Scalar{quote, indent_of(text)});
  }
  return std::nullopt;
}

bool FoldedScalars::goes_on(std::string_view next) const {
  const std::size_t indent = indent_of(next);
  return indent > open_->indent && indent < next.size();
}

// Not where a line of a box ends, and another one begins: those are no scalar's.
bool FoldedScalars::is_folded_in_front_of(std::string_view text, std::string_view next) const {
  return may_be_folded(text) && goes_on(next) && !(text.ends_with('#') && next[indent_of(next)] == '#');
}

// Of the line that was just read, if it begins or goes on with a scalar.
std::optional<std::size_t> FoldedScalars::start_of_content(const PhysicalLines& lines, std::string_view before) {
  const std::string_view text = lines.text();
  if (open_ && goes_on(text) && may_go_on_behind(before)) return indent_of(text);
  open_.reset();
  const std::size_t value = front_of_value(text);
  if (value >= text.size() || lines.front_of(text) > 0) return std::nullopt;
  const bool has_quote = text[value] == '\'' || text[value] == '"';
  return has_quote ? start_in_quotes(lines, before, value) : start_without_quotes(lines, before);
}

// A whole one on one line is told from other text by the field above, or by those before that were folded.
std::optional<std::size_t> FoldedScalars::start_in_quotes(const PhysicalLines& lines, std::string_view before,
                                                          std::size_t value) {
  const std::string_view text = lines.text();
  const std::size_t indent = indent_of(text), content = value + 1;
  const char quote = text[value];
  const std::size_t close = end_of_quotes(text, content, quote);
  const bool has_box = first_box(text.substr(content)) != kNowhere;
  if (close != kNowhere) {
    const bool is_whole = (have_any_ || is_field_or_key(before)) && has_box && value > indent && quote == '\'' &&
                          close + 1 == text.size();
    return is_whole ? std::optional(content) : std::nullopt;
  }
  open_ = Scalar{quote, indent};
  const std::string_view next = lines.next_text();
  const bool goes_on_below = is_folded_in_front_of(text, next) || (has_box && is_blank(next));
  if (goes_on_below && (has_box || first_box(next) != kNowhere)) return quote == '"' ? value : content;
  open_.reset();
  return std::nullopt;
}

// Up to the quote that ends the scalar, or to an empty line, which stands for a line end in it.
Transcript FoldedScalars::join(PhysicalLines& lines, std::size_t start) {
  const char quote = open_->quote;
  std::string_view text = lines.text();
  std::size_t close = end_of_quotes(text, text[start] == quote ? start + 1 : start, quote);
  Transcript line;
  if (quote == '"' && text[start] != quote) line.fill("\"", lines.column(start));  // it began in front of the region
  while (close == kNowhere && is_folded_in_front_of(text, lines.next_text()) && line.text().size() <= kLongestLine) {
    have_any_ = true;
    const bool has_backslash = quote == '"' && ends_in_backslash(text);
    lines.append_to(line, start, text.size() - (has_backslash ? 1 : 0));
    if (!has_backslash) line.fill(" ", lines.column(text.size()));
    text = lines.read();
    start = indent_of(text);
    if (quote == '"' && text.substr(start).starts_with("\\ ")) ++start;  // blanks at the start are not of the scalar
    close = end_of_quotes(text, start, quote);
  }
  lines.append_to(line, start, quote == '\'' ? close : kNowhere);
  if (close != kNowhere)
    open_.reset();
  else if (lines.has_next() && is_blank(lines.next_text()))
    lines.read();
  return quote == '\'' ? without_doubled_quotes(line, '\'') : with_escapes_of_json(line);
}

std::optional<Transcript> FoldedScalars::read(PhysicalLines& lines) {
  const std::string_view before = std::exchange(before_, lines.text());
  const std::optional<std::size_t> start = start_of_content(lines, before);
  if (!start) return std::nullopt;
  if (open_) {
    Transcript line = join(lines, *start);
    before_ = lines.text();
    return line;
  }
  const bool is_quoted = *start > 0 && lines.text()[*start - 1] == '\'';
  Transcript line;
  lines.append_to(line, *start, lines.text().size() - (is_quoted ? 1 : 0));
  return is_quoted ? without_doubled_quotes(line, '\'') : line;
}

}  // namespace shardstats::input_detail
