#include "input/decode.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "input/box.h"
#include "input/colours.h"
#include "input/csv.h"
#include "input/process.h"
#include "input/records.h"
#include "input/returns.h"
#include "input/rewrite.h"
#include "input/strings.h"
#include "input/utf16.h"

namespace shardstats::input_detail {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTabStop = 8;
constexpr std::size_t kFewBlanks = 4;      // that editors may put a tab in place of
constexpr std::size_t kLongestTag = 1024;  // bytes of an HTML tag with its attributes

// Blanks other than ' ' as UTF-8, and what stands for them. A lone 0xA0 is the non-breaking space of Latin-1.
struct Blank {
  std::string_view bytes;
  std::string_view meaning;
};
constexpr std::array<Blank, 9> kBlanks = {{
    {"\xC2\xA0", " "},
    {"\xC3\x82\xC2\xA0", " "},  // the same, taken for Latin-1 once
    {"\xE2\x80\x87", " "},
    {"\xE2\x80\xAF", " "},
    {"\xE3\x80\x80", " "},
    {"\xE2\x80\x8B", ""},
    {kByteOrderMark, ""},
    {"\xA0", " "},
    {"\0"sv, ""},
}};

constexpr std::array<bool, 256> kStartsBlank = [] {
  std::array<bool, 256> starts{};
  for (const Blank& blank : kBlanks) starts[static_cast<unsigned char>(blank.bytes.front())] = true;
  return starts;
}();

// The one that starts at `at`, or null.
const Blank* blank_at(std::string_view text, std::size_t at) {
  if (!kStartsBlank[static_cast<unsigned char>(text[at])]) return nullptr;
  const auto is_ascii = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) < 0x80; };
  const bool is_inside_character = is_continuation(text[at]) && at > 0 && !is_ascii(at - 1);
  if (is_inside_character) return nullptr;
  const auto* blank =
      std::ranges::find_if(kBlanks, [&](const Blank& one) { return text.substr(at).starts_with(one.bytes); });
  return blank != kBlanks.end() ? blank : nullptr;
}

class Blanks {
 public:
  Blanks() = default;
  // With the byte `box` in that column, whatever stands in front of it.
  Blanks(std::size_t box, std::size_t column) : box_(box), box_column_(column) {}
  // With a tab for so many blanks wherever it stands, as editors replace them.
  static Blanks so_many_each(std::size_t count) {
    Blanks blanks;
    blanks.blanks_of_tab_ = count;
    return blanks;
  }

  Change operator()(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (at == box_) column_ = box_column_;
    if (c == '\t') {
      const std::size_t blanks = blanks_of_tab_ != 0 ? blanks_of_tab_ : kTabStop - column_ % kTabStop;
      column_ += blanks;
      return {1, std::string(blanks, ' ')};
    }
    if (const Blank* blank = blank_at(text, at)) {
      column_ += blank->meaning.size();
      return {blank->bytes.size(), std::string(blank->meaning)};
    }
    if (!is_continuation(c)) ++column_;
    return {};
  }

 private:
  std::size_t box_ = kNowhere, box_column_ = 0;
  std::size_t column_ = 0;
  std::size_t blanks_of_tab_ = 0;  // 0: it reaches to the next stop
};

// Is the '#' on the right where it belongs?
bool is_as_wide(std::string_view text, std::size_t width) {
  const std::size_t start = first_box(text);
  return start != kNowhere && right_border(text.substr(start), width) != kNowhere;
}

// Tabs reach to the stops of the line as it was when its blanks became tabs, or stand for as many blanks each: which
// makes the line as wide as the box, tells. Where a prefix was put in front of it later, lines that become so tell in
// which column the box began.
Transcript with_blanks(const Transcript& line, BoxSoFar& box) {
  Transcript as_it_stands = rewrite(line, Blanks());
  if (box.width == 0 || line.text().find('\t') == kNowhere) return as_it_stands;
  const std::size_t start = first_box_with_tabs(line.text());
  if (start == kNowhere || line.text().find('\t', start) == kNowhere) return as_it_stands;
  if (box.has_moved) return rewrite(line, Blanks(start, *box.tab_column));
  if (is_as_wide(as_it_stands.text(), box.width)) {
    const std::string_view text = as_it_stands.text();
    box.tab_column = characters(text.substr(0, first_box(text))) % kTabStop;
    return as_it_stands;
  }
  if (Transcript replaced = rewrite(line, Blanks::so_many_each(kTabStop)); is_as_wide(replaced.text(), box.width))
    return replaced;
  const std::size_t first = box.tab_column.value_or(0), end = box.tab_column ? first + 1 : kTabStop;
  for (std::size_t column = first; column < end; ++column) {
    Transcript moved = rewrite(line, Blanks(start, column));
    if (!is_as_wide(moved.text(), box.width)) continue;
    box.tab_column = column;
    box.has_moved = true;
    return moved;
  }
  Transcript replaced = rewrite(line, Blanks::so_many_each(kFewBlanks));
  return is_as_wide(replaced.text(), box.width) ? replaced : as_it_stands;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities = {{
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&amp;", "&"},
    {"&quot;", "\""},
    {"&apos;", "'"},
    {"&nbsp;", " "},
}};
constexpr std::array<std::string_view, 12> kTags = {"br", "span", "b",  "i",    "pre",  "code",
                                                    "p",  "div",  "td", "font", "html", "body"};
constexpr std::size_t kLongestTagName = 4;

// The name of the tag that stands there, if it is one of kTags.
std::string_view tag_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.substr(0, kLongestTagName + 1).find_first_of(" />"));
  return name.size() <= kLongestTagName && std::ranges::find(kTags, name) != kTags.end() ? name : std::string_view();
}

// A paragraph ends a line only where it ends itself: a logger's prefix may stand in front of it.
bool ends_paragraph(std::string_view name, bool is_closing) { return is_closing && (name == "p" || name == "div"); }

// "&#160;" and "&#xA0;", where a non-breaking space is a blank.
Change numbered_entity(std::string_view text) {
  constexpr std::size_t kLongest = 10;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (!text.starts_with("&#") || end == kNowhere) return {};
  const bool is_hex = text.substr(2).starts_with('x') || text.substr(2).starts_with('X');
  const std::string_view digits = text.substr(is_hex ? 3 : 2, end - (is_hex ? 3 : 2));
  const std::optional<char32_t> code = code_point(digits, is_hex ? 16 : 10);
  if (!code || (*code < ' ' && *code != '\n' && *code != '\r' && *code != '\t')) return {};
  return {end + 1, *code == '\r' ? "" : *code == 0xA0 ? " " : utf8(*code)};  // XML has "&#13;&#10;"
}

Change html_at(std::string_view text, std::size_t at) {
  if (const Change change = text[at] == '&' ? numbered_entity(text.substr(at)) : Change(); change.length > 0)
    return change;
  if (text[at] == '&')
    for (const auto& [entity, meaning] : kEntities)
      if (text.substr(at).starts_with(entity)) return {entity.size(), std::string(meaning)};
  if (text[at] != '<') return {};
  const bool is_closing = text.substr(at + 1).starts_with('/');
  const std::string_view name = tag_name(text.substr(at + (is_closing ? 2 : 1)));
  // Every '<' of a name looks ahead, so not further than a tag is long.
  const std::size_t close = name.empty() ? kNowhere : text.substr(at, kLongestTag).find('>');
  if (close == kNowhere) return {};
  if (!ends_paragraph(name, is_closing)) return {close + 1, name == "br" ? "\n" : ""};
  // Blanks between paragraphs belong to none.
  return {skip_blanks(text, at + close + 1) - at, "\n"};
}

// The line without its tags and entities, or the lines that the tags end. Where a line ends anyway, such a tag leaves
// nothing behind.
std::vector<Transcript> without_html(Transcript line, std::vector<Mended>& mended) {
  const bool may_be_html = line.text().find('&') != kNowhere || line.text().find('<') != kNowhere;
  const Transcript undone = may_be_html ? rewrite(line, html_at) : Transcript();
  if (!may_be_html || undone.text() == line.text()) return only(std::move(line));
  note(mended, Mending::escapes, line.place_of(0));
  std::vector<Transcript> lines = split_lines(undone);
  std::erase_if(lines, [](const Transcript& one) { return is_blank(one.text()); });
  if (lines.empty()) lines.emplace_back();
  return lines;
}

void undo(Transcript& line, Mending what, std::vector<Mended>& mended, Transcript undone) {
  if (undone.text() == line.text()) return;
  note(mended, what, line.place_of(0));
  line = std::move(undone);
}

Transcript without_mark(const Transcript& line) {
  return line.text().starts_with(kByteOrderMark) ? part_of(line, kByteOrderMark.size()) : line;
}

// Of a line that is no record.
void undo_rest(Transcript line, BoxSoFar& box, std::vector<Mended>& mended, std::vector<Transcript>& lines) {
  if (has_colours(line.text())) undo(line, Mending::colours, mended, without_colours(line));
  if (has_lost_colours(line.text())) undo(line, Mending::colours, mended, without_lost_colours(line));
  const bool are_ends = returns_end_lines(line.text()) || would_lose_label(line.text(), box.width);
  if (are_ends) note(mended, Mending::glued, line.place_of(0));
  for (Transcript& kept : are_ends ? lines_of_returns(line) : without_overwritten(line, box.width))
    for (Transcript& part : without_html(std::move(kept), mended)) {
      undo(part, Mending::mark, mended, without_mark(part));
      if (has_other_blanks(part.text())) undo(part, Mending::blanks, mended, with_blanks(part, box));
      lines.push_back(std::move(part));
    }
}

// Adds the line, or what it stands for, to `lines`.
void undo_all(Transcript line, BoxSoFar& box, std::vector<Mended>& mended, std::vector<Transcript>& lines) {
  const Place first = line.place_of(0);
  box.has_escapes = box.has_escapes || has_sure_escape(line.text());
  std::vector<Transcript> of_record = lines_of_record(std::move(line));
  const std::size_t before = lines.size();
  for (Transcript& one : of_record)
    undo_rest(box.has_escapes ? without_escapes(one) : std::move(one), box, mended, lines);
  if (of_record.size() == 1) return;
  note(mended, Mending::glued, first);
  put_front_of_record(std::span(lines).subspan(before), box.front);
}

}  // namespace

void note(std::vector<Mended>& mended, Mending what, Place first) {
  if (std::ranges::find(mended, what, &Mended::what) == mended.end()) mended.push_back({what, first});
}

bool has_other_blanks(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\t' || blank_at(text, at) != nullptr) return true;
  return false;
}

bool is_undecoded(std::string_view text) {
  const auto begins_other = [](char c) { return c == kEscape || c == '\\' || c == '&' || c == '<'; };
  return std::ranges::any_of(text, begins_other) || has_other_blanks(text) || has_lost_colours(text) ||
         has_sure_escape(text);
}

Decoded decode(Transcript line, BoxSoFar& box, std::vector<Mended>& mended) {
  Decoded decoded;
  const Transcript event = take_repeated_event(line, box.width);
  if (!event.text().empty()) {
    decoded.process = process_of_strings(event.text());
    note(mended, Mending::doubled, line.place_of(0));
  }
  auto [inner, field, are_all, are_repeated] =
      lines_in_strings(line, box.width, box.goes_on ? box.field : StringField());
  std::string in_front;
  if (inner.empty()) {
    in_front = process_of_progress(line.text());
    inner = only(std::move(line));
  } else {
    decoded.process += process_of_strings(line.text());
    box.field = std::move(field);
    if (box.width == 0) box.width = width_of_box(inner);
    note(mended, Mending::escapes, {line.place_of(0).line, 1});
    if (!are_all) note(mended, Mending::beside, line.place_of(0));
    if (are_repeated) note(mended, Mending::doubled, line.place_of(0));
  }
  for (Transcript& one : inner) {
    if (auto columns = columns_in_front_of_box(one.text())) box.columns = std::move(columns);
    undo_all(without_quotes_of_field(std::move(one), box.columns, box.goes_on, mended), box, mended, decoded.lines);
  }
  // Where the line that is left has a prefix of its own, that tells.
  if (decoded.lines.size() == 1 && first_box(decoded.lines.front().text()) == 0) decoded.process += in_front;
  return decoded;
}

}  // namespace shardstats::input_detail
