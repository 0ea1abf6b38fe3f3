#include "input/csv.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "input/box.h"
#include "input/decode.h"
#include "input/rewrite.h"

namespace shardstats::input_detail {
namespace {

bool is_separator(char c) { return c == ',' || c == ';' || c == '\t'; }

// Behind a quote that is opened in front of `from`: the one that closes it; those of the text are doubled.
std::size_t closing_quote(std::string_view record, std::size_t from) {
  std::size_t quote = record.find('"', from);
  while (quote != kNowhere && record.substr(quote + 1).starts_with('"')) quote = record.find('"', quote + 2);
  return quote;
}

struct Quotes {
  std::size_t open = 0, close = 0;
};

// Of the field in which the byte `at` stands, if it has quotes.
std::optional<Quotes> quotes_around(std::string_view record, std::size_t at) {
  for (std::size_t open = record.find('"'); open < at;) {
    if (open > 0 && !is_separator(record[open - 1])) return std::nullopt;
    const std::size_t close = closing_quote(record, open + 1);
    if (close == kNowhere) return std::nullopt;
    const bool ends_field = close + 1 == record.size() || is_separator(record[close + 1]);
    if (!ends_field) return std::nullopt;
    if (close > at) return Quotes{open, close};
    open = record.find('"', close + 1);
  }
  return std::nullopt;
}

std::optional<Quotes> quotes_around_box(std::string_view record) {
  const std::size_t box = record.find('"') == kNowhere ? kNowhere : first_box(record);
  return box != kNowhere ? quotes_around(record, box) : std::nullopt;
}

Change single_quote(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("\"\"") ? Change{2, "\""} : Change{};
}

}  // namespace

bool begins_with_field_in_quotes(std::string_view text) {
  if (!text.starts_with('"') || text.find('\\') != kNowhere) return false;
  const std::size_t close = closing_quote(text, 1);
  const bool is_field = close != kNowhere && close + 1 < text.size() && is_separator(text[close + 1]);
  return is_field && first_box(text.substr(0, close)) == kNowhere;
}

Transcript without_quotes_of_field(Transcript record, std::vector<Mended>& mended) {
  const std::optional<Quotes> quotes = quotes_around_box(record.text());
  if (!quotes) return record;
  note(mended, Mending::suffix, record.place_of(quotes->close));
  const Transcript inner = rewrite(part_of(record, quotes->open + 1, quotes->close), single_quote);
  Transcript line = part_of(record, 0, quotes->open);
  line.append(inner, 0, inner.text().size());
  return line;
}

std::string_view fields_behind_box(std::string_view record) {
  if (const std::optional<Quotes> quotes = quotes_around_box(record)) return record.substr(quotes->close + 1);
  const std::size_t border = record.rfind('#');
  if (border == record.find('#')) return {};  // of a line without its right border, or there is none
  const std::string_view behind = record.substr(border + 1);
  return !behind.empty() && is_separator(behind.front()) ? behind : std::string_view();
}

}  // namespace shardstats::input_detail
