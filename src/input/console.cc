#include "input/console.h"

#include <algorithm>
#include <utility>

#include "input/box.h"
#include "input/colours.h"
#include "input/process.h"
#include "input/rewrite.h"
#include "shardstats/limits.h"
#include "shardstats/utf8.h"

namespace shardstats::input_detail {
namespace {

bool is_run_of_hashes(std::string_view text) { return !text.empty() && hashes_at_start(text) == text.size(); }
bool is_border(std::string_view text) { return is_run_of_hashes(text) && text.size() >= kShortestBorder; }
bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == kNowhere; }

Transcript without_codes(std::string_view text) {
  Transcript line;
  line.append(text, {});
  return has_colours(text) ? without_colours(line) : line;
}

// Blanks at a break are lost, so that none of the others tells a column.
Transcript squeezed(const Transcript& line) {
  return rewrite(line, [](std::string_view text, std::size_t at) -> Change {
    const std::size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    return end - at < 2 ? Change() : Change{end - at, " "};
  });
}

}  // namespace

// The first part of a border, with a level in front of it and maybe a place behind; the next part stands below it.
std::optional<Console::Column> Console::column_of(std::string_view border) const {
  const std::size_t start = first_wrapped_border(border);
  if (start == kNowhere || start == 0) return std::nullopt;
  const std::size_t width = hashes_at_start(border.substr(start));
  const std::string_view behind = border.substr(start + width);
  if (behind.find('#') != kNowhere || !(behind.empty() || behind.front() == ' ')) return std::nullopt;
  const Transcript next = without_codes(region_.lines.next_text());
  const std::string_view below = without_padding(next.text());
  const bool is_below = below.size() > start && below[start - 1] == ' ' && is_run_of_hashes(below.substr(start));
  if (!is_below || below.size() - start > width) return std::nullopt;
  const std::size_t blanks = below.substr(0, start).find_last_not_of(' ') + 1;  // 0: no prefix
  const bool has_level = !is_blank(border.substr(blanks, start - blanks));
  if (!has_level || tag_of(below.substr(0, blanks)) != tag_of(border.substr(0, blanks))) return std::nullopt;
  return Column{start, width, blanks};
}

// Does the line go on with the message of the one before?
bool Console::goes_on(std::string_view text) const {
  const auto [start, width, blanks] = *column_;
  return text.size() > start && text[start] != ' ' && is_blank(text.substr(blanks, start - blanks));
}

void Console::take(Transcript line, const std::string& process) {
  const std::string_view text = line.text();
  if (!column_) {
    column_ = column_of(text);
    if (!column_) return unwrapper_.take(std::move(line), process);
    unwrapper_.end_joined();
    border_ = 0;
    region_.note(Mending::wrapped, line.place_of(0));
  }
  const bool goes_on_in_box = goes_on(text) && is_joining();
  const bool is_line_of_box = goes_on_in_box && text[column_->start] == '#' && is_whole();  // of a message with many
  if (goes_on_in_box && !is_line_of_box) return join(line);
  Transcript prefix = is_line_of_box ? prefix_ : part_of(line, 0, std::min(column_->blanks, text.size()));
  end_joined();
  const bool begins = column_ && text.size() > column_->start && text[column_->start] == '#';
  if (!begins) return unwrapper_.take(std::move(line), process);
  region_.note(Mending::prefix, line.place_of(0));
  prefix_ = std::move(prefix);
  join(line);
}

// Is what was joined a whole line of the box, or a border that does not go on?
bool Console::is_whole() const {
  const std::string_view text = joined_.text();
  return is_border(text) ? !is_word_open_ : text.size() > 2 && text.ends_with(" #");
}

void Console::join(const Transcript& line) {
  const std::string_view text = line.text();
  const std::size_t end = column_->start + byte_of(text.substr(column_->start), column_->width);
  const std::string_view part = without_padding(text.substr(column_->start, end - column_->start));
  if (is_joining() && !is_word_open_) joined_.fill(" ", line.place_of(column_->start));
  joined_.append(line, column_->start, column_->start + part.size());
  is_word_open_ = characters(part) == column_->width && part.find(' ') == kNowhere;
  if (joined_.text().size() <= kWidestBox) return;
  end_joined();
  column_.reset();  // no line of a box is as long
}

// The closing border is the last message that is read so.
void Console::end_joined() {
  if (!is_joining()) return;
  const Transcript message = squeezed(std::exchange(joined_, {}));
  is_word_open_ = false;
  if (is_border(message.text())) {
    if (border_ == message.text().size()) column_.reset();
    border_ = message.text().size();
  }
  Transcript line = std::exchange(prefix_, {});
  line.append(message, 0, message.text().size());
  ungluer_.take(std::move(line), "");
}

}  // namespace shardstats::input_detail
