#include "input/decode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "input/box.h"
#include "input/process.h"
#include "input/utf16.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

using namespace std::string_view_literals;

constexpr char kEscape = '\x1b';
constexpr std::size_t kTabStop = 8;
constexpr std::size_t kLongestTag = 1024;  // bytes of an HTML tag with its attributes

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

std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text.data() + at + digits;
  const auto [read, error] = std::from_chars(text.data() + at, end, value, 16);
  if (error != std::errc() || read != end || value > 0x10FFFF) return std::nullopt;
  return value;
}

// "\uXXXX", also as a pair of surrogates; "\xXX"; "\UXXXXXXXX".
Change numbered_escape(std::string_view text, std::size_t at) {
  const char kind = text[at + 1];
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  const auto code = hexadecimal(text, at + 2, digits);
  if (!code) return {};
  if (kind == 'u' && *code >= 0xD800 && *code < 0xDC00 && text.substr(at + 6).starts_with("\\u")) {
    const auto low = hexadecimal(text, at + 8, 4);
    if (low && *low >= 0xDC00 && *low < 0xE000) return {12, utf8(0x10000 + ((*code - 0xD800) << 10) + *low - 0xDC00)};
  }
  return {2 + digits, utf8(*code)};
}

// The escapes of JSON and Python strings.
Change escape_at(std::string_view text, std::size_t at) {
  if (text[at] != '\\' || at + 1 == text.size()) return {};
  switch (text[at + 1]) {
    case 'n':
      return {2, "\n"};
    case 'r':
      return {2, "\r"};
    case 't':
      return {2, "\t"};
    case '"':
    case '\'':
    case '\\':
    case '/':
      return {2, std::string(1, text[at + 1])};
    case 'u':
    case 'x':
    case 'U':
      return numbered_escape(text, at);
    default:
      return {};
  }
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

// One past the string that starts behind the quote at `open`: at its closing quote, or at the end if it was cut off.
std::size_t string_end(std::string_view text, std::size_t open) {
  std::size_t at = open + 1;
  while (at < text.size() && text[at] != text[open]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

std::vector<Transcript> split_lines(const Transcript& text) {
  std::vector<Transcript> lines;
  const std::string_view all = text.text();
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\n', start), all.size());
    lines.emplace_back().append(text, start, end);
    start = end + 1;
  }
  return lines;
}

// A '#' belongs to the box: behind a sequence that was cut off it would be eaten with all that follow it.
std::size_t skip(std::string_view text, std::size_t at, char low, char high) {
  while (at < text.size() && text[at] >= low && text[at] <= high && text[at] != '#') ++at;
  return at;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One past the character that ends a sequence, if it is there.
std::size_t skip_final(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '~' ? at + 1 : at;
}

// Escape sequences of ECMA-48.
Change colour_at(std::string_view text, std::size_t at) {
  if (text[at] != kEscape) return {};
  if (at + 1 == text.size()) return {1, {}};
  if (text[at + 1] == '[') {
    return {skip_final(text, skip(text, skip(text, at + 2, '0', '?'), ' ', '/')) - at, {}};
  }
  if (text[at + 1] == ']') {
    const std::size_t end = std::min(text.find_first_of("\a\x1b", at + 2), text.size());
    const std::size_t box = first_box(text.substr(at, end - at));
    if (box != kNowhere) return {box, {}};  // it was cut off
    // It ends with BEL or with ESC and a backslash; any other ESC begins a sequence of its own.
    const std::string_view rest = text.substr(end);
    const std::size_t terminator = rest.starts_with('\a') ? 1 : rest.starts_with("\x1b\\") ? 2 : 0;
    return {end + terminator - at, {}};
  }
  return {skip_final(text, skip(text, at + 1, ' ', '/')) - at, {}};
}

// Bytes of what is left at `at` of a colour code whose ESC was dropped ("[1;31m", "[0m", "[m"); 0 if there is none. A
// name may go on behind "[m", as in "slot[mean]".
std::size_t lost_colour(std::string_view text, std::size_t at) {
  if (text[at] != '[') return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", at + 1);
  if (end == kNowhere || text[end] != 'm') return 0;
  const bool is_name = end == at + 1 && end + 1 < text.size() && is_letter(text[end + 1]);
  return is_name ? 0 : end + 1 - at;
}

Change lost_colour_at(std::string_view text, std::size_t at) { return {lost_colour(text, at), {}}; }

// A name may hold "[5m" or "[m", too: colours are set and taken back, so that two codes stand in a line, or a reset.
bool has_lost_colours(std::string_view text) {
  bool has_set = false, has_reset = false;
  for (std::size_t at = text.find('['); at != kNowhere; at = text.find('[', at + 1)) {
    const std::string_view code = text.substr(at, lost_colour(text, at));
    if (code == "[0m") return true;
    if (code == "[m")
      has_reset = true;
    else if (!code.empty())
      has_set = true;
  }
  return has_set && has_reset;
}

// Colours may stand around the '#' of a box.
bool has_box(const Transcript& line) {
  const bool coloured = line.text().find(kEscape) != kNowhere;
  return first_box(coloured ? rewrite(line, colour_at).text() : line.text()) != kNowhere;
}

// Or the title of a block that lost its frame.
bool holds_box(const std::vector<Transcript>& lines) {
  return std::ranges::any_of(lines, [&](const Transcript& line) {
    return has_box(line) || (lines.size() > 1 && line.text().find(kTitle) != kNowhere);
  });
}

// A row of CSV with nothing to undo: its other columns are kept as a prefix, which may tell the process.
bool is_csv_row(std::string_view text) {
  if (!text.starts_with('"') || text.find('\\') != kNowhere) return false;
  const std::size_t end = string_end(text, 0);
  return text.substr(end).starts_with("\",") && first_box(text.substr(0, end)) == kNowhere;
}

// Does a whole line of a box of that width stand in the text that is none of `others`?
bool holds_another_line(std::string_view text, std::size_t width, const std::set<std::string_view>& others) {
  std::size_t start = 0, last = byte_of(text, width - 1);
  while (last < text.size()) {
    if (is_inner_box_line(text, start, last) && !others.contains(text.substr(start, last + 1 - start))) return true;
    start += byte_of(text.substr(start), 1);
    last += byte_of(text.substr(last), 1);
  }
  return false;
}

// As the first border or title among the lines has it; 0 if there is none.
std::size_t width_of_box(const std::vector<Transcript>& lines) {
  for (const Transcript& line : lines) {
    const std::string_view box = line.text().substr(std::min(first_box(line.text()), line.text().size()));
    if (const std::size_t hashes = hashes_at_start(box); hashes >= kShortestBorder) return hashes;
    if (const std::size_t width = width_of_title(box); width != 0) return width;
  }
  return 0;
}

// The lines of the strings in a line that hold lines of a box.
struct LinesInStrings {
  std::vector<Transcript> lines;  // empty if there is no such string
  bool are_all = true;            // no other whole line of the box stands outside those strings
};

// `width`: of the box in characters; 0: not known yet.
LinesInStrings lines_in_strings(const Transcript& line, std::size_t width, std::size_t depth) {
  LinesInStrings found;
  const std::string_view text = line.text();
  const std::size_t start = container_start(text);
  if (start == kNowhere || depth == kDeepestNesting || is_csv_row(text.substr(start))) return found;
  std::vector<std::string_view> outside;
  std::size_t seen = 0;
  for (std::size_t open = text.find_first_of("\"'", start); open != kNowhere;) {
    const std::size_t end = string_end(text, open);
    Transcript escaped;
    escaped.append(line, open + 1, end);
    const Transcript content = rewrite(escaped, escape_at);
    LinesInStrings inner = lines_in_strings(content, width, depth + 1);
    if (inner.lines.empty()) inner.lines = split_lines(content);
    if (holds_box(inner.lines)) {
      std::ranges::move(inner.lines, std::back_inserter(found.lines));
      found.are_all = found.are_all && inner.are_all;
      outside.push_back(text.substr(seen, open - seen));
      seen = end;
    }
    open = end < text.size() ? text.find_first_of("\"'", end + 1) : kNowhere;
  }
  if (found.lines.empty()) return found;
  outside.push_back(text.substr(seen));
  const std::size_t known_width = width != 0 ? width : width_of_box(found.lines);
  std::set<std::string_view> inside;
  for (const Transcript& one : found.lines) inside.insert(without_padding(one.text()));
  const auto is_left_out = [&](std::string_view rest) { return holds_another_line(rest, known_width, inside); };
  found.are_all = found.are_all && (known_width == 0 || std::ranges::none_of(outside, is_left_out));
  return found;
}

// Blanks other than ' ' as UTF-8, and what stands for them. A lone 0xA0 is the non-breaking space of Latin-1.
struct Blank {
  std::string_view bytes;
  std::string_view meaning;
};
constexpr std::array<Blank, 8> kBlanks = {{
    {"\xC2\xA0", " "},
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

  Change operator()(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (at == box_) column_ = box_column_;
    if (c == '\t') {
      const std::size_t blanks = kTabStop - column_ % kTabStop;
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
};

// Is the '#' on the right where it belongs?
bool is_as_wide(std::string_view text, std::size_t width) {
  const std::size_t start = first_box(text);
  return start != kNowhere && right_border(text.substr(start), width) != kNowhere;
}

// Tabs reach to the stops of the line as it was when its blanks became tabs. Where a prefix was put in front of it
// later, lines that become as wide as the box tell in which column the box began.
Transcript with_blanks(const Transcript& line, BoxSoFar& box) {
  Transcript as_it_stands = rewrite(line, Blanks());
  if (box.width == 0 || line.text().find('\t') == kNowhere) return as_it_stands;
  std::string flat(line.text());
  std::ranges::replace(flat, '\t', ' ');
  const std::size_t start = first_box(flat);
  if (start == kNowhere || line.text().find('\t', start) == kNowhere) return as_it_stands;
  if (box.has_moved) return rewrite(line, Blanks(start, *box.tab_column));
  if (is_as_wide(as_it_stands.text(), box.width)) {
    const std::string_view text = as_it_stands.text();
    box.tab_column = characters(text.substr(0, first_box(text))) % kTabStop;
    return as_it_stands;
  }
  const std::size_t first = box.tab_column.value_or(0), end = box.tab_column ? first + 1 : kTabStop;
  for (std::size_t column = first; column < end; ++column) {
    Transcript moved = rewrite(line, Blanks(start, column));
    if (!is_as_wide(moved.text(), box.width)) continue;
    box.tab_column = column;
    box.has_moved = true;
    return moved;
  }
  return as_it_stands;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEntities = {{
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&amp;", "&"},
    {"&quot;", "\""},
    {"&#39;", "'"},
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

Change html_at(std::string_view text, std::size_t at) {
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
  return {std::min(text.find_first_not_of(' ', at + close + 1), text.size()) - at, "\n"};
}

// The line without its tags and entities, or the lines that the tags end. Where a line ends anyway, such a tag leaves
// nothing behind.
std::vector<Transcript> without_html(Transcript line, std::vector<Mended>& mended) {
  std::vector<Transcript> lines;
  const bool may_be_html = line.text().find_first_of("&<") != kNowhere;
  const Transcript undone = may_be_html ? rewrite(line, html_at) : Transcript();
  if (!may_be_html || undone.text() == line.text()) {
    lines.push_back(std::move(line));
    return lines;
  }
  note(mended, Mending::escapes, line.place_of(0));
  lines = split_lines(undone);
  std::erase_if(lines, [](const Transcript& one) { return without_padding(one.text()).empty(); });
  if (lines.empty()) lines.emplace_back();
  return lines;
}

// A progress bar has '#', too.
bool is_bar(std::string_view text) { return !text.ends_with('#') && text.find("%|") != kNowhere; }

// A whole line of a box of that width? A run of '#', also in front of it, may be a bar.
bool is_kept_line(std::string_view text, std::size_t width) {
  const std::size_t box = text.find("# ");
  return box != kNowhere && box == first_box(text) && begins_with_box_line(text.substr(box), width) && !is_bar(text);
}

// A progress bar that was overwritten: of the parts between carriage returns the last with a box, else the last. Whole
// lines of a box of that width are all kept, but once where they were written again.
std::vector<Transcript> without_overwritten(const Transcript& line, std::size_t width) {
  const std::string_view text = line.text();
  if (text.find('\r') == kNowhere) return {line};
  const std::string_view all = text.substr(0, text.find_last_not_of("\r\n") + 1);
  std::size_t last = kNowhere;
  for (std::size_t end = all.size(); end > 0;) {
    const std::size_t start = all.rfind('\r', end - 1) + 1;
    const std::string_view part = all.substr(start, end - start);
    const bool is_boxed = first_box(part) != kNowhere && !is_bar(part);
    if (is_boxed || last == kNowhere) last = start;
    if (is_boxed) break;
    end = start == 0 ? 0 : start - 1;
  }
  std::vector<Transcript> lines;
  std::string_view before;
  for (std::size_t start = 0, end = 0; start <= all.size(); start = end + 1) {
    end = std::min(all.find('\r', start), all.size());
    const std::string_view part = all.substr(start, end - start);
    if (start != last && !is_kept_line(part, width)) continue;
    if (part == before && !lines.empty()) continue;
    before = part;
    lines.emplace_back().append(line, start, end);
  }
  return lines;
}

void undo(Transcript& line, Mending what, std::vector<Mended>& mended, Transcript undone) {
  if (undone.text() == line.text()) return;
  note(mended, what, line.place_of(0));
  line = std::move(undone);
}

Transcript without_mark(const Transcript& line) {
  if (!line.text().starts_with(kByteOrderMark)) return line;
  Transcript rest;
  rest.append(line, kByteOrderMark.size(), line.text().size());
  return rest;
}

// Adds the line, or what it stands for, to `lines`.
void undo_all(Transcript line, BoxSoFar& box, std::vector<Mended>& mended, std::vector<Transcript>& lines) {
  if (line.text().find(kEscape) != kNowhere) undo(line, Mending::colours, mended, rewrite(line, colour_at));
  if (has_lost_colours(line.text())) undo(line, Mending::colours, mended, rewrite(line, lost_colour_at));
  for (Transcript& kept : without_overwritten(line, box.width))
    for (Transcript& part : without_html(std::move(kept), mended)) {
      undo(part, Mending::mark, mended, without_mark(part));
      if (has_other_blanks(part.text())) undo(part, Mending::blanks, mended, with_blanks(part, box));
      lines.push_back(std::move(part));
    }
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
  return std::ranges::any_of(text, begins_other) || has_other_blanks(text) || has_lost_colours(text);
}

Decoded decode(Transcript line, BoxSoFar& box, std::vector<Mended>& mended) {
  Decoded decoded;
  auto [inner, are_all] = lines_in_strings(line, box.width, 0);
  std::string in_front;
  if (inner.empty()) {
    in_front = process_of_progress(line.text());
    inner.push_back(std::move(line));
  } else {
    decoded.process = process_of_strings(line.text());
    note(mended, Mending::escapes, {line.place_of(0).line, 1});
    if (!are_all) note(mended, Mending::beside, line.place_of(0));
  }
  for (Transcript& one : inner) undo_all(std::move(one), box, mended, decoded.lines);
  // Where the line that is left has a prefix of its own, that tells.
  if (decoded.lines.size() == 1 && first_box(decoded.lines.front().text()) == 0) decoded.process += in_front;
  return decoded;
}

}  // namespace shardstats::input_detail
