#include "input/console.h"

#include <algorithm>
#include <utility>

#include "input/box.h"
#include "input/colours.h"
#include "input/process.h"
#include "input/rewrite.h"
#include "shardstats/limits.h"
#include "shardstats/utf8.h"
#include "shardstats/vocabulary.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kMostColumns = 64;  // of processes at a time
constexpr int kMostAhead = 16;            // lines in which one of the same process is looked for
constexpr int kMostInVain = 64;           // borders of which that is asked for nothing

// A sharding type, or the dashes below the header of its column.
bool is_sharding(std::string_view word) {
  return word == "----------" || std::ranges::find(kShardingNames, word) != kShardingNames.end();
}

// Does a row of the parameter table go on behind its first cell here? The end of a name may read like a sharding type,
// but has one behind it.
bool begins_with_sharding(std::string_view piece) {
  const std::size_t end = std::min(piece.find(' '), piece.size());
  const std::string_view rest = trim_left(piece.substr(end));
  const std::string_view next = rest.substr(0, rest.find(' '));
  return is_sharding(piece.substr(0, end)) && !is_sharding(next) && next != "#";  // else it is the end of a divider
}

// Is the last word a list of ranks, behind the hash size? That of batch sizes stands behind ranks.
bool ends_in_ranks(std::string_view joined) {
  const std::size_t start = joined.rfind(' ') + 1;
  const std::string_view front = trim_right(joined.substr(0, start));
  const std::string_view before = front.substr(front.rfind(' ') + 1);
  return joined.find_first_not_of("0123456789,-", start) == kNowhere && before.find_first_of(",-") == kNowhere;
}

// Blanks at a break are lost, so that none of the others tells a column.
Transcript squeezed(const Transcript& line) {
  return rewrite(line, [](std::string_view text, std::size_t at) -> Change {
    const std::size_t end = skip_blanks(text, at);
    return end - at < 2 ? Change() : Change{end - at, " "};
  });
}

}  // namespace

// Where the messages of one process stand; all in front of them is ASCII.
struct Console::Column {
  std::size_t start = 0;
  std::size_t width = 0;   // in characters
  std::size_t blanks = 0;  // from there on a line is blank that goes on; a prefix of all lines stands in front
  std::string tag;         // of that prefix
  Transcript prefix;       // of the message that is joined
  Transcript joined;       // of it so far
  std::string process;
  int pieces_of_word = 0;        // joined last, each as wide as the column, of a word that may go on; 0: there is none
  bool is_folded = false;        // are there only pieces of a word since it began, and blanks that may go on below it?
  bool may_end = false;          // what was joined last was a border
  bool has_batch_sizes = false;  // does each row of the parameter table end in them?

  bool is_joining() const { return !joined.text().empty(); }

  bool has(std::string_view line) const { return line.size() > start && tag_of(line.substr(0, blanks)) == tag; }

  // Does the line go on with the message of the one before? Below a word that is wider than the column stand the blanks
  // behind it, too.
  bool goes_on(std::string_view line) const {
    return (line[start] != ' ' || is_folded) && is_blank(line.substr(blanks, start - blanks));
  }

  std::string_view piece_of(std::string_view line) const {
    const std::string_view message = line.substr(start);
    return trim_right(message.substr(0, byte_of(message, width)));
  }

  // Only a word that is just as wide as the column is broken like the first piece of a wider one: what stands in both
  // places tells. Behind a word of several pieces its blanks are left.
  bool is_word_over(std::string_view piece) const {
    if (pieces_of_word != 1) return pieces_of_word == 0;
    const std::string_view word = joined.text().substr(joined.text().rfind(' ') + 1);
    if (is_run_of_hashes(word)) return false;
    const std::string_view next = piece.substr(0, piece.find(' '));
    if (next == "#" || next == "n/a") return true;  // the right border, or batch sizes that are not given
    const bool is_last = piece.ends_with('#') && trim_right(piece.substr(0, piece.size() - 1)) == next;
    if (has_batch_sizes && is_last && ends_in_ranks(joined.text())) return true;
    const bool is_list = word.starts_with('(') && word.ends_with(')');
    return is_list || word.ends_with(':') || word.ends_with("Sharder") || begins_with_sharding(piece);
  }
};

Console::Console(Region& region, Unwrapper& unwrapper, Ungluer& ungluer)
    : region_(region), unwrapper_(unwrapper), ungluer_(ungluer) {}
Console::~Console() = default;

// The first part of a border, with a level in front of it and maybe a place behind; the next part stands below it, or
// behind lines of other processes.
std::optional<Console::Column> Console::column_of(std::string_view border) const {
  const std::size_t start = first_wrapped_border(border);
  if (start == kNowhere || start == 0) return std::nullopt;
  const std::size_t width = hashes_at_start(border.substr(start));
  const std::string_view behind = border.substr(start + width);
  if (behind.find('#') != kNowhere || !(behind.empty() || behind.front() == ' ')) return std::nullopt;
  Column column;
  column.start = start;
  column.width = width;
  bool is_next = true;
  const bool has_next =
      region_.any_ahead(region_.log.borders_in_vain < kMostInVain ? kMostAhead : 1, "#", [&](std::string_view below) {
        below = trim_right(below);
        const bool is_behind_others = !std::exchange(is_next, false);
        const bool is_below = below.size() > start && below[start - 1] == ' ' && is_run_of_hashes(below.substr(start));
        if (!is_below || below.size() - start > width) return false;
        column.blanks = below.substr(0, start).find_last_not_of(' ') + 1;  // 0: no prefix
        const bool has_level = !is_blank(border.substr(column.blanks, start - column.blanks));
        column.tag = tag_of(border.substr(0, column.blanks));
        // A short run may be the end of any line of a box.
        const bool may_be_other = is_behind_others && column.tag.empty() && below.size() - start < kLeastWrapped;
        return has_level && !may_be_other && tag_of(below.substr(0, column.blanks)) == column.tag;
      });
  if (!has_next) {
    ++region_.log.borders_in_vain;
    return std::nullopt;
  }
  region_.log.borders_in_vain = 0;
  return column;
}

void Console::add_line(Transcript line, const std::string& process) {
  const auto own = std::ranges::find_if(columns_, [&](const Column& column) { return column.has(line.text()); });
  if (own != columns_.end()) {
    if (add_to(*own, line, process)) return;
    if (!own->is_joining() && own->may_end) columns_.erase(own);
    return unwrapper_.add_line(std::move(line), process);
  }
  std::optional<Column> column;
  if (columns_.size() < kMostColumns) column = column_of(line.text());
  if (!column) return unwrapper_.add_line(std::move(line), process);
  unwrapper_.end_joined();
  region_.note(Mending::wrapped, line.place_of(0));
  add_to(columns_.emplace_back(*std::move(column)), line, process);
}

// False: the line is none of the box, which may be over.
bool Console::add_to(Column& column, const Transcript& line, const std::string& process) {
  const std::string_view text = line.text();
  const bool is_further = column.is_joining() && column.goes_on(text);
  const bool is_line_of_message = is_further && begins_line(column, column.piece_of(text));
  if (is_further && !is_line_of_message) {
    join(column, line);
    return true;
  }
  Transcript prefix = is_line_of_message ? column.prefix : part_of(line, 0, column.blanks);
  end_joined(column);
  // Where it is wider than the column, it is not of this console.
  const std::size_t behind = column.start + byte_of(text.substr(column.start), column.width);
  const bool is_wider = behind < text.size() && text[behind] != ' ';
  if (text[column.start] != '#' || is_wider) {
    column.may_end |= is_wider;
    return false;
  }
  region_.note(Mending::prefix, line.place_of(0));
  column.prefix = std::move(prefix);
  column.process = process;
  column.may_end = false;
  join(column, line);
  return true;
}

// Is it the next line of the box in a message with many? What was joined is a whole one then.
bool Console::begins_line(const Column& column, std::string_view piece) const {
  const std::string_view joined = column.joined.text();
  if (!piece.starts_with('#')) return false;
  if (!is_run_of_hashes(joined)) return joined.ends_with('#');
  if (!is_border(joined)) return false;
  if (column.pieces_of_word == 0) return true;
  if (piece != "#") return !is_run_of_hashes(piece);
  // The end of the border, or the start of the title's line, whose words follow.
  bool are_words = false;
  region_.any_ahead(kMostAhead, {}, [&](std::string_view next) {
    if (!column.has(next)) return false;
    are_words = column.goes_on(next) && next[column.start] != '#';
    return true;
  });
  return are_words;
}

void Console::join(Column& column, const Transcript& line) {
  const std::string_view piece = column.piece_of(line.text());
  const bool is_over = column.is_word_over(piece), is_in_word = piece.find(' ') == kNowhere;
  if (column.is_joining() && is_over) column.joined.fill(" ", line.place_of(column.start));
  column.joined.append(line, column.start, column.start + piece.size());
  const bool is_full = is_in_word && characters(piece) == column.width;
  column.pieces_of_word = is_full ? (is_over ? 1 : column.pieces_of_word + 1) : 0;
  column.is_folded = is_in_word && (is_full || column.is_folded) && !is_run_of_hashes(column.joined.text());
  if (column.joined.text().size() > kWidestBox) end_joined(column);  // no line of a box is as long
}

bool Console::is_joining() const { return std::ranges::any_of(columns_, &Column::is_joining); }

void Console::end_joined() {
  for (Column& column : columns_) end_joined(column);
}

void Console::end_joined(Column& column) {
  if (!column.is_joining()) return;
  const Transcript message = squeezed(std::exchange(column.joined, {}));
  column.pieces_of_word = 0;
  column.is_folded = false;
  column.may_end = is_border(message.text());
  if (message.text().find(" FQN ") != kNowhere)
    column.has_batch_sizes = message.text().find(" Batch Sizes ") != kNowhere;
  // A piece of the message may be lost, and with it the border between two lines of a box.
  const std::size_t second = message.text().find(" # ", 1);
  Transcript line = column.prefix, rest = std::exchange(column.prefix, {});
  line.append(message, 0, second);
  ungluer_.add_line(std::move(line), column.process);
  if (second == kNowhere) return;
  rest.append(message, second + 1);
  ungluer_.add_line(std::move(rest), column.process);
}

}  // namespace shardstats::input_detail
