#include "input/records.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "input/box.h"
#include "input/process.h"
#include "input/rewrite.h"

namespace shardstats::input_detail {
namespace {

// For a line end; "\n" of strings is undone before.
constexpr std::string_view kEnds[] = {"#015#012", "#012", "\\r\\n", "\\n"};

struct EscapeOfRecord {
  std::string_view text, meaning;
};
constexpr EscapeOfRecord kTab = {"#011", "\t"}, kReturn = {"#015", "\r"}, kEscapeCharacter = {"#033", "\x1b"};

// Does a line of a box follow, up to the next `end`, maybe behind a prefix? The right border of this one does not
// count.
bool begins_with_line(std::string_view text, std::string_view end) {
  constexpr std::size_t kLongestPrefix = 1024;
  text = text.substr(0, kLongestPrefix);
  text = text.substr(0, text.find(end));
  const std::size_t box = first_box(text);
  return (box != kNowhere && box + 1 < text.size()) || hashes_at_start(text) >= kLeastWrapped;
}

// Behind the right border of a line it is no part of a name, if a box line follows it or several do without; nor is it
// in front of a border.
bool ends_lines(std::string_view text, std::string_view end) {
  constexpr int kFewest = 3;
  const Border border = border_of(text);
  if (border && text.substr(0, border.start).find(end) != kNowhere) return true;
  const std::string behind_border = "#" + std::string(end);
  int seen = 0;
  for (std::size_t at = text.find(behind_border); at != kNowhere && seen < kFewest;
       at = text.find(behind_border, at + behind_border.size())) {
    const std::string_view next = text.substr(at + behind_border.size());
    const bool is_behind_blank = at > 0 && text[at - 1] == ' ', is_of_border = at > 0 && text[at - 1] == '#';
    const bool is_sure = starts_box(next, 0) || hashes_at_end(text.substr(0, at)) >= kLeastWrapped ||
                         ((is_behind_blank || is_of_border) && begins_with_line(next, end));
    seen += is_sure ? kFewest : is_behind_blank ? 1 : 0;
  }
  return seen >= kFewest;
}

// A tab with another one or a border behind it, a carriage return behind a border, the start of a colour.
bool is_sure_escape(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(at, kTab.text.size()), next = text.substr(at + escape.size());
  if (escape == kTab.text)
    return next == "#" || starts_box(next, 0) || next.starts_with("##") || next.starts_with(kTab.text);
  if (escape == kReturn.text) return at > 1 && text[at - 1] == '#' && (text[at - 2] == ' ' || text[at - 2] == '#');
  return escape == kEscapeCharacter.text && next.starts_with("[");
}

}  // namespace

bool has_line_ends(std::string_view record) {
  return std::ranges::any_of(kEnds, [&](std::string_view one) { return ends_lines(record, one); });
}

std::vector<Transcript> lines_of_record(Transcript record) {
  const auto* const end =
      std::ranges::find_if(kEnds, [&](std::string_view one) { return ends_lines(record.text(), one); });
  if (end == std::end(kEnds)) return only(std::move(record));
  return split_lines(rewrite(record, [&](std::string_view text, std::size_t at) {
    return text.substr(at).starts_with(*end) ? Change{end->size(), "\n"} : Change{};
  }));
}

// Behind the record's own prefix the lines may have one of a logger.
void put_front_of_record(std::span<Transcript> lines, std::string& last_front) {
  const std::string first(lines.empty() ? std::string_view() : lines.front().text());
  const std::size_t box = first_box(first);
  const bool has_box = box != kNowhere && box + 1 < first.size();
  const bool begins_as_last = tag_of(first.substr(0, last_front.size())) == tag_of(last_front);
  for (Transcript& line : lines.subspan(std::min<std::size_t>(lines.size(), 1))) {
    const std::size_t own = first_box(line.text());
    if (own == kNowhere) continue;
    const bool is_first_longer =
        has_box && own < box && tag_of(first.substr(box - own, own)) == tag_of(line.text().substr(0, own));
    if (!is_first_longer && (has_box || !begins_as_last)) continue;
    const std::string front = first.substr(0, is_first_longer ? box - own : last_front.size());
    Transcript whole;
    whole.fill(front, line.place_of(0));
    whole.append(line);
    line = std::move(whole);
    last_front = front;
  }
}

bool has_sure_escape(std::string_view record) {
  for (std::size_t at = record.find("#0"); at != kNowhere; at = record.find("#0", at + 1))
    if (at + kTab.text.size() <= record.size() && is_sure_escape(record, at)) return true;
  return false;
}

Transcript without_escapes(const Transcript& line) {
  return rewrite(line, [](std::string_view text, std::size_t at) -> Change {
    if (text[at] != '#') return {};
    for (const EscapeOfRecord& escape : {kTab, kReturn, kEscapeCharacter})
      if (text.substr(at).starts_with(escape.text)) return {escape.text.size(), std::string(escape.meaning)};
    return {};
  });
}

}  // namespace shardstats::input_detail
