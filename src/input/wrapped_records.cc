#include "input/wrapped_records.h"

#include <algorithm>
#include <optional>

#include "input/box.h"
#include "input/records.h"
#include "shardstats/ascii.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kWidestTerminal = 2048;  // characters
constexpr int kLinesCompared = 48;             // lines
constexpr int kFewestBroken = 3;               // records among them
constexpr std::size_t kLongestShape = 12;
constexpr std::string_view kNoFront = "\n";  // no line begins so

// The line, unless it is longer than any terminal is wide.
std::optional<Line> short_line(std::string_view bytes, std::size_t start) {
  constexpr std::size_t kMostBytes = 4 * kWidestTerminal;
  const Line line = line_at(bytes.substr(0, start + std::min(kMostBytes, bytes.size() - start)), start);
  return line.next - line.start < kMostBytes ? std::optional(line) : std::nullopt;
}

// Sequences of a terminal take no room, and containers write them otherwise.
bool is_coloured_box(std::string_view line) { return line.find('\x1b') != kNowhere && line.find('#') != kNowhere; }

// How a line begins, whatever its numbers are, in front of its first '#'.
std::string shape_of(std::string_view line) {
  std::string shape;
  for (const char c : line) {
    if (c == '#' || shape.size() == kLongestShape) break;
    const bool is_further_digit = is_digit(c) && shape.ends_with('0');
    if (!is_further_digit) shape += is_digit(c) ? '0' : c;
  }
  return shape;
}

// Is what stands in front of the box no prefix of a logger, but what a container puts around it?
bool is_in_container(std::string_view record) {
  const std::string_view front = record.substr(0, record.find('#'));
  return front.starts_with('{') || front.find_first_of("\",\t") != kNowhere;
}

std::string_view from_hash(std::string_view line) { return line.substr(std::min(line.find('#'), line.size())); }

// Does a border go on below itself, in a column of its own? A console does that, whose lines are equally wide, too.
bool is_of_console(std::string_view border, std::string_view below) {
  const std::size_t start = first_wrapped_border(border);
  return start != kNowhere && start > 0 && start < below.size() && below[start - 1] == ' ' && below[start] == '#';
}

// Is only its start in front of the break, the start of a border or a line without the right one?
bool is_box_line_broken(std::string_view text, std::size_t at) {
  const std::string_view begun = text.substr(0, at);
  return (is_run_of_hashes(begun) || begun.find(" #") == kNowhere) && text.find('#', at) != kNowhere;
}

// How wide the widest line is, in characters, and where the first record begins that is told by the line in front of
// it: one that is not as wide ends a record. 0: some line is none that a terminal broke.
struct Widest {
  std::size_t width = 0;
  std::size_t record = kNowhere;
};
Widest widest_line(std::string_view bytes, std::size_t start) {
  Widest widest;
  std::size_t last = 0;  // width of the line before
  for (int i = 0; i < kLinesCompared && start < bytes.size(); ++i) {
    const std::optional<Line> line = short_line(bytes, start);
    if (!line || is_coloured_box(line->text)) return {};
    const std::size_t width = characters(line->text);
    if (width > widest.width) widest = {width, kNowhere};
    const bool is_behind_end = i > 1 && last < widest.width;  // the first line may be short as its start is cut off
    if (widest.record == kNowhere && is_behind_end && width == widest.width) widest.record = line->start;
    last = width;
    start = line->next;
  }
  return widest;
}

}  // namespace

WrappedRecords::WrappedRecords(std::string_view bytes, std::size_t start) {
  const auto [width, record] = widest_line(bytes, start);
  if (width == 0) return;
  const Line first = line_at(bytes, start);
  first_ = first.text;
  if (first.next < bytes.size() && is_of_console(first_, line_at(bytes, first.next).text)) return;
  const std::string_view text = record == kNowhere ? first_ : line_at(bytes, record).text;
  width_ = width;
  if (is_one_record(bytes, start)) {
    front_ = kNoFront;
    return;
  }
  const bool begins_with_border = characters(first_) == width && hashes_at_end(first_) >= kLeastWrapped;
  if (begins_with_border && !is_in_container(first_) && !is_in_container(text)) {  // it tells all
    width_ = 0;
    return;
  }
  const std::string front = front_ = shape_of(text);
  const int broken = broken_records(bytes, start);
  are_stripped_ = true;
  front_ = shape_of(first_);
  if (!front_.empty() && broken_records(bytes, start) > broken) return;
  are_stripped_ = false;
  front_ = front;
  if (broken == 0) width_ = 0;
}

// Are the lines pieces of one record, in which escapes end the lines of a box? A line that begins as the first one, and
// not with blanks alone, is a record of its own, as borders of several ranks are.
bool WrappedRecords::is_one_record(std::string_view bytes, std::size_t start) const {
  constexpr int kFewestPieces = 8, kFewestWithoutLine = 3;
  std::string record;
  const std::string front = shape_of(line_at(bytes, start).text);
  int pieces = 0, without_line = 0;
  for (; pieces < kLinesCompared && start < bytes.size(); ++pieces) {
    const Line line = line_at(bytes, start);
    if (pieces > 0 && characters(line.text) != width_) break;
    const std::size_t box = first_box(line.text);
    const bool has_line = box != kNowhere && line.text.find(" #", box) != kNowhere;
    without_line += !has_line && (is_blank(front) || shape_of(line.text) != front);
    record += line.text;
    start = line.next;
  }
  return pieces >= kFewestPieces && without_line >= kFewestWithoutLine && has_line_ends(record);
}

// How many there are, but none if not enough agree: of each record with a box line the piece in which that begins has
// not all of it, but all pieces together do.
int WrappedRecords::broken_records(std::string_view bytes, std::size_t start) const {
  constexpr int kFewestFull = 2;
  int broken = 0, full = 0, others = 0;
  const std::size_t first = start;
  for (int left = kLinesCompared; left > 0 && start < bytes.size();) {
    const bool is_whole = begins_record(line_at(bytes, start).text);
    if (!is_whole && start != first) break;  // the first one may be the rest of a record
    const Joined record = joined(bytes, start, left);
    start = record.next;
    if (!is_whole || left == 0 || start == bytes.size()) continue;
    const std::size_t box = first_box(record.text);
    const auto first_break = std::ranges::upper_bound(record.breaks, box);
    if (box == kNowhere || first_break == record.breaks.end()) continue;
    if (!is_box_line_broken(std::string_view(record.text).substr(box), *first_break - box)) return 0;
    ++broken;
    full += record.full;
    others += record.others;
  }
  const bool are_sure = broken >= kFewestBroken && full >= kFewestFull && (others > 0 || front_.empty());
  return are_sure ? broken : 0;
}

// The record that begins at `start`; `left` lines may be read.
WrappedRecords::Joined WrappedRecords::joined(std::string_view bytes, std::size_t start, int& left) const {
  Line line = line_at(bytes, start);
  Joined record{std::string(line.text), {}, line.next, 0, 0};
  for (--left; left > 0 && line.next < bytes.size(); --left) {
    const Line next = line_at(bytes, line.next);
    if (!goes_on(line.text, next.text)) break;
    record.full += characters(line.text) == width_;
    record.text.append(lost_blanks(line.text), ' ');
    record.others += !next.text.starts_with(front_.substr(0, 1));
    record.breaks.push_back(record.text.size());
    record.text += next.text;
    record.next = next.next;
    line = next;
  }
  return record;
}

// A quote alone may end a field, too; then a comma or another quote follows. Behind nothing but blanks, with which a
// piece may begin, too, the box has to follow at once: alone in its line, a '#' is the last piece of one, and more of
// them that of a border.
bool WrappedRecords::begins_record(std::string_view line) const {
  const bool is_indented = is_blank(front_) && front_.size() < kLongestShape;
  if (is_indented && line.substr(0, front_.size()) == front_) {
    const std::string_view box = line.substr(front_.size());
    return box.size() > 1 && (starts_box(box, 0) || hashes_at_start(box) == width_ - front_.size());
  }
  if (front_ == "\"") return line.size() > 1 && line[0] == '"' && line[1] != '"' && line[1] != ',';
  return !is_indented && shape_of(line).starts_with(front_);
}

bool WrappedRecords::goes_on(std::string_view piece, std::string_view next) const {
  if (width_ == 0 || characters(next) > width_) return false;
  const bool is_full = characters(piece) == width_ || piece.data() == first_.data();
  if (!are_stripped_ && (!is_full || next.empty())) return false;
  const bool is_of_border = is_run_of_hashes(from_hash(piece)) && is_run_of_hashes(next);
  return is_of_border || !begins_record(next);
}

std::size_t WrappedRecords::lost_blanks(std::string_view piece) const {
  const bool is_start_lost = piece.data() == first_.data() && !begins_record(piece);
  return are_stripped_ && !is_start_lost ? width_ - std::min(characters(piece), width_) : 0;
}

}  // namespace shardstats::input_detail
