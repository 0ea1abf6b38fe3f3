#include "input/block_reader.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "input/box.h"
#include "input/decode.h"
#include "input/fields.h"
#include "input/mend.h"
#include "input/process.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kManyLines = 1024;  // of a block, for which memory is taken at once
constexpr std::size_t kSmallest = 12;     // lines of the smallest whole block

// The '#' from which the line is exactly `width` characters long, or longer in a box line that overflows.
struct WidthMatch {
  std::size_t exact = kNowhere;
  std::size_t longer = kNowhere;
};
WidthMatch match_width(std::string_view text, std::size_t width) {
  WidthMatch match;
  std::size_t left = characters(text), counted = 0;
  for (std::size_t at = text.find('#'); at != kNowhere && at + 1 < text.size(); at = text.find('#', at + 1)) {
    left -= characters(text.substr(counted, at - counted));
    counted = at;
    if (!starts_box(text, at)) continue;
    if (left == width || left == width + 1) {
      match.exact = at;
      return match;
    }
    if (left > width && match.longer == kNowhere) match.longer = at;
  }
  return match;
}

// The '#' from which a whole box line stands in a line that goes on behind it, or kNowhere.
std::size_t inner_box(std::string_view text, std::size_t width) {
  std::size_t counted = 0, last = byte_of(text, width - 1);  // the last character of a box that starts at `counted`
  for (std::size_t at = text.find('#'); at != kNowhere; at = text.find('#', at + 1)) {
    if (!starts_box(text, at)) continue;
    last += byte_of(text.substr(last), characters(text.substr(counted, at - counted)));
    counted = at;
    if (last + 1 >= text.size()) break;
    if (is_inner_box_line(text, at, last)) return at;
  }
  return kNowhere;
}

// Where the box starts in a line of a block, or kNowhere for a foreign line. Best is where the line then is as wide as
// the box; next best where the box started in the line before, since the right border may be lost; last where all of it
// stands among other text.
std::size_t box_offset(std::string_view line, std::size_t usual, std::size_t width) {
  const bool as_usual = starts_box(line, usual);
  if (as_usual && line.size() - usual == width) return usual;
  const std::string_view text = trim_right(line);
  const bool closed = text.size() > 1 && text.back() == '#';
  const WidthMatch match = closed ? match_width(text, width) : WidthMatch{};
  if (match.exact != kNowhere) return match.exact;
  if (as_usual) return usual;
  return match.longer != kNowhere ? match.longer : inner_box(text, width);
}

// Its blanks were squeezed to one, so that it does not tell how wide the box is.
bool is_squeezed_title(std::string_view box_text) {
  return box_text.substr(2).starts_with(kTitle) && box_text.size() == kTitle.size() + 4;
}

bool is_only_mark(std::string_view prefix) { return is_blank(prefix) || prefix == kByteOrderMark; }

class BlockReader {
 public:
  explicit BlockReader(Lines& lines) : lines_(lines) { block_.is_plain = true; }

  ReadBlock read(const Line& title, std::size_t offset, std::size_t from) {
    usual_ = offset;
    block_.lines.reserve(kManyLines);
    const std::string_view text = trim_right(title.text.substr(offset));
    width_ = text.back() == '#' && !is_squeezed_title(text) ? text.size() : 0;
    add_opening(title, from);
    add(title, offset);
    if (width_ == 0) width_ = text.size();
    return finish(read_body(title.next, lines_.size(), kMostForeign, kMostForeign));
  }

  ReadBlock read_untitled(const Line& first, std::size_t offset, std::size_t to) {
    usual_ = offset;
    const Border border = border_of(first.text);
    block_.opened = static_cast<bool>(border);
    const std::string_view text = trim_right(first.text.substr(offset));
    width_ = border ? border.length : characters(text);
    add(first, offset);
    return finish(read_body(first.next, to, kMostForeignOfPart, kMostLinesOfRecords));
  }

 private:
  std::optional<Error> problem() const {
    if (too_long_ > 0) return too_long_line(too_long_);
    const std::uint32_t first = block_.lines.front().place.line;
    if (first == kMostLines)
      return Error{{}, {first, 1}, "a planner block behind so many lines is not read", "pass the end of the log alone"};
    if (width_ > kWidestBox || width_ * block_.lines.size() > kLargestBlock)
      return Error{{},
                   {first, 1},
                   "this planner block is too large: " + std::to_string(block_.lines.size()) + " lines of " +
                       std::to_string(width_) + " characters",
                   "a border that is much too long, or blocks whose borders are lost? take this part out of the log"};
    return std::nullopt;
  }

  bool is_suspicious() const {
    if (is_suspicious_ || !block_.opened || !block_.closed) return true;
    return block_.lines.size() < kSmallest && labels_of(block_) == 0;
  }

  ReadBlock finish(std::size_t end) {
    if (!block_.foreign.empty()) note(block_.mended, Mending::foreign, block_.foreign.front().place);
    return {end, problem(), is_suspicious(), std::move(block_)};
  }

  void add(const Line& line, std::size_t offset) {
    const std::uint32_t number = lines_.number(line);
    const std::string_view text = line.text.substr(offset);
    if (line.text.size() > kLongestLine && too_long_ == 0) too_long_ = number;
    if (offset > 0 && block_.mended.empty() && !is_only_mark(line.text.substr(0, offset)))
      note(block_.mended, Mending::prefix, {number, 1});
    if (block_.lines.empty()) first_prefix_ = line.text.substr(0, offset);
    const bool is_plain_line = is_plain(text);
    block_.is_plain = block_.is_plain && is_plain_line;
    if (text.size() != width_ || text.back() != '#')
      inspect(text);
    else if (!is_plain_line)
      is_suspicious_ = is_suspicious_ || has_other_blanks(text);
    // Another box line in front of it on the same line.
    if (offset != usual_ && first_box(line.text) != offset) is_suspicious_ = true;
    block_.lines.push_back({text, {number, static_cast<std::uint32_t>(offset + 1)}});
  }

  // Of a line that is not as wide as the box or does not end in its border.
  void inspect(std::string_view text) {
    const bool glued = width_ > 0 && text.size() > width_ && text[width_ - 1] == '#';
    is_suspicious_ = is_suspicious_ || glued || !trim_right(text).ends_with('#') || is_undecoded(text);
  }

  // The opening border in front of the title's line, not before `from`.
  void add_opening(const Line& title, std::size_t from) {
    Line line = title;
    for (int i = 0; i < kMostForeign && line.start > from; ++i) {
      line = lines_.line_before(line);
      const Border border = border_of(line.text);
      if (!border || !is_opening(line, border, i, title)) continue;
      width_ = border.length;
      add(line, border.start);
      block_.opened = true;
      for (Line other = lines_.line_from(line.next); other.start < title.start; other = lines_.line_from(other.next))
        is_line_of_box(other.text, border.start) ? add_above_title(other, border.start) : add_foreign(other);
      return;
    }
  }

  // A newer release may print one there, or the lines stand in reverse order.
  void add_above_title(const Line& line, std::size_t start) {
    add(line, start);
    is_suspicious_ = true;
  }

  // As wide as the box, in its place, with '#' on both sides.
  bool is_line_of_box(std::string_view text, std::size_t start) const {
    return starts_box(text, start) && text.size() - start == width_ && text.back() == '#';
  }

  void add_foreign(const Line& line) {
    block_.foreign.push_back({line.text, {lines_.number(line), 1}});
    is_suspicious_ = is_suspicious_ || first_box(line.text) != kNowhere;
  }

  // The border that stands `between` lines above the title. Further up only one as wide as the title's line is the
  // box's own, one of the two may be damaged, though; far up it is told by its prefix, too.
  bool is_opening(const Line& line, const Border& border, int between, const Line& title) const {
    if (between > 0 && width_ != 0 && border.length != width_) return false;
    const std::string_view prefix = line.text.substr(0, border.start), own = title.text.substr(0, usual_);
    return between < kLookBack || (width_ != 0 && tag_of(prefix) == tag_of(own));
  }

  // Do lines of this box come after the border? Then it is another process's.
  bool goes_on(const Line& border) const {
    if (border.next >= lines_.size()) return false;
    const Line next = lines_.line_from(border.next);
    return !border_of(next.text) && starts_box(next.text, usual_);
  }

  bool is_same_process(std::string_view prefix) const {
    return prefix == first_prefix_ || tag_of(prefix) == tag_of(first_prefix_);
  }

  bool opens_another_block(const Line& border) const {
    return border.next < lines_.size() && title_offset(lines_.line_from(border.next).text) != kNowhere;
  }

  // One past the line from `start` on, if its box begins in the usual place and that many bytes may be the whole line;
  // else kNowhere. Its end is not looked for, but expected: a plain box has no line end within.
  std::size_t behind_usual(std::size_t start, std::size_t size) const {
    const std::string_view bytes = lines_.bytes();
    std::size_t end = start + size;
    if (end < bytes.size() && bytes[end] == '\r') ++end;
    if (end >= bytes.size() || bytes[end] != '\n') return kNowhere;
    const std::string_view line = bytes.substr(start, size);
    const bool is_box = starts_box(line, usual_) && line.substr(0, usual_).find('\n') == kNowhere;
    return is_box ? end + 1 : kNowhere;
  }

  // Adds the plain lines from `start` on that are as wide as the box, in its place, and neither a border nor the
  // title; returns where the first other one starts. Nearly all lines are such, so that nothing is asked twice of them.
  std::size_t add_usual(std::size_t start, std::size_t to) {
    const std::size_t usual = usual_, size = usual_ + width_;
    const bool has_prefix_to_note = usual > 0 && block_.mended.empty();
    if (has_prefix_to_note || width_ < 2 || size > kLongestLine) return start;
    std::uint32_t number = lines_.number(start);
    while (start < to) {
      const std::size_t next = behind_usual(start, size);
      if (next == kNowhere) break;
      const std::string_view text = lines_.bytes().substr(start + usual, width_);
      if (text[width_ - 1] != '#' || text[width_ - 2] == '#' || is_centred_title(text) || !is_plain(text)) break;
      block_.lines.push_back({text, {number, static_cast<std::uint32_t>(usual + 1)}});
      number += number < kMostLines;
      start = next;
    }
    lines_.count_from(start, number);
    return start;
  }

  // A run of '#' of another width than the box: a damaged closing border, if no line of the box follows; else a foreign
  // line.
  bool closes_box(const Line& line, const Border& border) const {
    if (border.length == width_ || !block_.opened || line.next >= lines_.size()) return true;
    return border.start == usual_ && box_offset(lines_.line_from(line.next).text, usual_, width_) == kNowhere;
  }

  std::size_t read_body(std::size_t start, std::size_t to, int most_foreign, std::size_t most_lines) {
    std::size_t end = start;                           // behind the last line of the box
    std::size_t kept_foreign = block_.foreign.size();  // in front of that
    int foreign_in_a_row = 0;                          // a record counts as one line
    while (start < to && foreign_in_a_row <= most_foreign && block_.foreign.size() <= kept_foreign + most_lines) {
      if (const std::size_t behind = add_usual(start, to); behind != start) {
        start = end = behind;
        kept_foreign = block_.foreign.size();
        foreign_in_a_row = 0;
        continue;
      }
      const Line line = lines_.line_from(start);
      if (const Border border = border_of(line.text)) {
        if (opens_another_block(line)) break;
        if (closes_box(line, border)) {
          add(line, border.start);
          block_.closed = true;
          is_suspicious_ = is_suspicious_ || goes_on(line) || !is_same_process(line.text.substr(0, border.start));
          return line.next;
        }
      }
      const std::size_t offset = box_offset(line.text, usual_, width_);
      if (offset == kNowhere ? title_offset(line.text) != kNowhere : is_title(line.text.substr(offset))) break;
      start = line.next;
      if (offset == kNowhere) {
        add_foreign(line);
        foreign_in_a_row += is_inside_record(line.text) ? 0 : 1;
        continue;
      }
      add(line, offset);
      usual_ = offset;
      end = start;
      kept_foreign = block_.foreign.size();
      foreign_in_a_row = 0;
    }
    block_.foreign.resize(kept_foreign);
    return end;
  }

  Lines& lines_;
  Block block_;
  std::string_view first_prefix_;  // of the first line that was taken
  std::uint32_t too_long_ = 0;     // number of the first line that is too long
  std::size_t usual_ = 0;
  std::size_t width_ = 0;
  bool is_suspicious_ = false;
};

}  // namespace

ReadBlock read_block(Lines& lines, const Line& title, std::size_t offset, std::size_t from) {
  return BlockReader(lines).read(title, offset, from);
}

ReadBlock read_part(Lines& lines, const Line& first, std::size_t offset, std::size_t to) {
  return BlockReader(lines).read_untitled(first, offset, to);
}

std::size_t labels_of(const Block& block) {
  std::size_t labels = 0;
  for (const BoxLine& line : block.lines) labels += labels_in(line.text);
  return labels;
}

}  // namespace shardstats::input_detail
