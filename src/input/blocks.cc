#include "shardstats/input/blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "input/box.h"
#include "input/decode.h"
#include "input/mend.h"
#include "input/process.h"
#include "shardstats/limits.h"

namespace shardstats {
namespace {

using namespace input_detail;

constexpr int kLookBack = 20;  // foreign lines that may stand between the border and the title
constexpr std::size_t kSearched = std::size_t{8} << 20;  // bytes searched for a sign at once
constexpr int kPiecesBack = 60;                          // pieces of wrapped lines between a border and the first sign
constexpr std::size_t kManyLines = 1024;                 // of a block, for which memory is taken at once
constexpr std::size_t kSmallest = 12;                    // lines of the smallest whole block
constexpr std::size_t kFewestSigns = 2;                  // borders and labels of a part of a block that has no title
// Foreign lines in a row that end such a part. Any box line may begin one, so that each reads only a few ahead.
constexpr int kMostForeignOfPart = 50;

class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  Line line_from(std::size_t start) const { return line_at(bytes_, start); }
  Line line_around(std::size_t offset) const {
    const std::size_t newline = offset == 0 ? kNowhere : bytes_.rfind('\n', offset - 1);
    return line_from(newline == kNowhere ? 0 : newline + 1);
  }
  // 1-based number of the line that starts at `start`, counted on from the last one asked for.
  std::uint32_t number(std::size_t start) {
    if (start < counted_) {
      const bool is_near = start >= remembered_;
      counted_ = is_near ? remembered_ : 0;
      number_ = is_near ? remembered_number_ : 1;
    }
    for (; counted_ < start; number_ += number_ < kMostLines) counted_ = newline_from(bytes_, counted_) + 1;
    return number_;
  }
  // The same of a whole line, whose end need not be looked for again when the next one is counted.
  std::uint32_t number(const Line& line) {
    const std::uint32_t number = this->number(line.start);
    counted_ = line.next;
    number_ += number_ < kMostLines;
    return number;
  }
  // The line that starts at `start` is known to have this number.
  void count_from(std::size_t start, std::uint32_t number) {
    counted_ = start;
    number_ = number;
  }
  // Counts from this line on, when a line before the last one is asked for.
  void remember(std::size_t start) {
    remembered_number_ = number(start);
    remembered_ = start;
  }
  // Of `text` in the bytes [from, to), or kNowhere.
  std::size_t find(std::string_view text, std::size_t from, std::size_t to) const {
    if (from >= to) return kNowhere;
    const void* found = memmem(bytes_.data() + from, to - from, text.data(), text.size());
    return found == nullptr ? kNowhere : static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data());
  }
  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t counted_ = 0;
  std::uint32_t number_ = 1;
  std::size_t remembered_ = 0;
  std::uint32_t remembered_number_ = 1;
};

// Where the next sign of a block stands.
class Signs {
 public:
  // In [from, to); `to` if there is none.
  std::size_t next(const Lines& lines, std::size_t from, std::size_t to) {
    std::size_t best = to;
    for (Sign& sign : signs_) {
      sign.searched = std::max(sign.searched, from);
      if (sign.at < from) sign.at = kNowhere;
      if (sign.at == kNowhere && sign.searched < best) {
        sign.at = lines.find(sign.text, sign.searched, best);
        // It may still begin in front of `best` and end behind.
        if (sign.at == kNowhere)
          sign.searched = std::max(sign.searched + sign.text.size(), best + 1) - sign.text.size();
      }
      best = std::min(best, sign.at);
    }
    return best;
  }

 private:
  struct Sign {
    std::string_view text;
    std::size_t at = kNowhere;
    std::size_t searched = 0;  // it does not stand before
  };
  std::array<Sign, 5> signs_ = {{{"############################################################"},
                                 {"Planner Statistics"},
                                 {"HBM (GB)"},
                                 {"Parameter Info:"},
                                 {"Compute Kernels"}}};
};

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
  const std::string_view text = without_padding(line);
  const bool closed = text.size() > 1 && text.back() == '#';
  const WidthMatch match = closed ? match_width(text, width) : WidthMatch{};
  if (match.exact != kNowhere) return match.exact;
  if (as_usual) return usual;
  return match.longer != kNowhere ? match.longer : inner_box(text, width);
}

bool is_only_mark(std::string_view prefix) {
  return prefix.find_first_not_of(' ') == kNowhere || prefix == kByteOrderMark;
}

std::size_t labels_of(const Block& block) {
  std::size_t labels = 0;
  for (const BoxLine& line : block.lines) labels += labels_in(line.text);
  return labels;
}

class BlockReader {
 public:
  BlockReader(Lines& lines, Block& block) : lines_(lines), block_(block) {}

  // Reads the block around the title's line; returns where the next block may start.
  std::size_t read(const Line& title, std::size_t offset, std::size_t from) {
    usual_ = offset;
    block_.lines.reserve(kManyLines);
    const std::string_view text = without_padding(title.text.substr(offset));
    width_ = text.back() == '#' ? text.size() : 0;
    take_opening(title, from);
    add(title, offset);
    if (width_ == 0) width_ = text.size();
    return finish(read_body(title.next, lines_.size(), kMostForeign));
  }

  // Reads a part of a block that has no title, up to `to` at most.
  std::size_t read_untitled(const Line& first, std::size_t offset, std::size_t to) {
    usual_ = offset;
    const Border border = border_of(first.text);
    block_.opened = static_cast<bool>(border);
    const std::string_view text = without_padding(first.text.substr(offset));
    width_ = border ? border.length : characters(text);
    add(first, offset);
    return finish(read_body(first.next, to, kMostForeignOfPart));
  }

  // What of it is beyond a bound.
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

  // Is there a sign that lines were damaged in a way that Mender can undo?
  bool is_suspicious() const {
    if (is_suspicious_ || !block_.opened || !block_.closed) return true;
    return block_.lines.size() < kSmallest && labels_of(block_) == 0;
  }

 private:
  std::size_t finish(std::size_t end) const {
    if (!block_.foreign.empty()) note(block_.mended, Mending::foreign, block_.foreign.front().place);
    return end;
  }

  void add(const Line& line, std::size_t offset) {
    const std::uint32_t number = lines_.number(line);
    const std::string_view text = line.text.substr(offset);
    if (line.text.size() > kLongestLine && too_long_ == 0) too_long_ = number;
    if (offset > 0 && block_.mended.empty() && !is_only_mark(line.text.substr(0, offset)))
      note(block_.mended, Mending::prefix, {number, 1});
    if (block_.lines.empty()) first_prefix_ = line.text.substr(0, offset);
    if (text.size() != width_ || text.back() != '#')
      inspect(text);
    else if (!is_plain(text))
      is_suspicious_ = is_suspicious_ || has_other_blanks(text);
    // Another box line in front of it on the same line.
    if (offset != usual_ && first_box(line.text) != offset) is_suspicious_ = true;
    block_.lines.push_back({text, {number, static_cast<std::uint32_t>(offset + 1)}});
  }

  // Of a line that is not as wide as the box or does not end in its border.
  void inspect(std::string_view text) {
    const bool glued = width_ > 0 && text.size() > width_ && text[width_ - 1] == '#';
    is_suspicious_ = is_suspicious_ || glued || !without_padding(text).ends_with('#') || is_undecoded(text);
  }

  // The opening border in front of the title's line, not before `from`.
  void take_opening(const Line& title, std::size_t from) {
    Line line = title;
    for (int i = 0; i < kMostForeign && line.start > from; ++i) {
      line = lines_.line_around(line.start - 1);
      const Border border = border_of(line.text);
      if (!border || !is_opening(line, border, i, title)) continue;
      width_ = border.length;
      add(line, border.start);
      block_.opened = true;
      for (Line other = lines_.line_from(line.next); other.start < title.start; other = lines_.line_from(other.next))
        add_foreign(other);
      return;
    }
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

  // Takes the plain lines from `start` on that are as wide as the box, in its place, and neither a border nor the
  // title; returns where the first other one starts. Nearly all lines are such, so that nothing is asked twice of them.
  std::size_t take_usual(std::size_t start, std::size_t to) {
    const std::size_t usual = usual_, size = usual_ + width_;
    const bool has_prefix_to_note = usual > 0 && block_.mended.empty();
    if (has_prefix_to_note || width_ < 2 || size > kLongestLine) return start;
    std::uint32_t number = lines_.number(start);
    while (start < to) {
      const Line line = lines_.line_from(start);
      const std::string_view text = line.text;
      const bool is_usual = text.size() == size && text[size - 1] == '#' && text[size - 2] != '#' &&
                            starts_box(text, usual) && !is_centred_title(text.substr(usual)) &&
                            is_plain(text.substr(usual));
      if (!is_usual) break;
      block_.lines.push_back({text.substr(usual), {number, static_cast<std::uint32_t>(usual + 1)}});
      number += number < kMostLines;
      start = line.next;
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

  std::size_t read_body(std::size_t start, std::size_t to, int most_foreign) {
    std::size_t end = start;  // behind the last line of the box
    int foreign_in_a_row = 0;
    while (start < to && foreign_in_a_row <= most_foreign) {
      if (const std::size_t behind = take_usual(start, to); behind != start) {
        start = end = behind;
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
        ++foreign_in_a_row;
        continue;
      }
      add(line, offset);
      usual_ = offset;
      end = start;
      foreign_in_a_row = 0;
    }
    block_.foreign.resize(block_.foreign.size() - static_cast<std::size_t>(foreign_in_a_row));
    return end;
  }

  Lines& lines_;
  Block& block_;
  std::string_view first_prefix_;  // of the first line that was taken
  std::uint32_t too_long_ = 0;     // number of the first line that is too long
  std::size_t usual_ = 0;
  std::size_t width_ = 0;
  bool is_suspicious_ = false;
};

bool is_part_of_block(const Block& block) {
  const std::size_t labels = labels_of(block);
  return labels > 0 && labels + (block.opened || block.closed ? 1 : 0) >= kFewestSigns;
}

// Blocks, or why they are not read.
struct Found {
  std::vector<Block> blocks;
  std::optional<Error> problem;

  // `block` is the one that `reader` has read.
  void add(Block& block, const BlockReader& reader) {
    const std::optional<Error> beyond = reader.problem();
    if (!problem) problem = beyond;
    if (!beyond) blocks.push_back(std::move(block));
  }
};

// Where a log begins in the middle of a line, the only '#' is the right border; the lines below show where boxes start.
bool is_end_of_line(const Lines& lines, const Line& line, std::size_t box) {
  if (box == 0 || box + 1 != line.text.size() || line.next >= lines.size()) return false;
  const std::size_t below = first_box(lines.line_from(line.next).text);
  return below != kNowhere && below < box;
}

// Parts of blocks without a title among the lines [from, to); returns the end of the last.
std::size_t read_parts(Lines& lines, std::size_t from, std::size_t to, Found& found) {
  std::size_t last = from;
  while (from < to) {
    lines.remember(from);
    const Line first = lines.line_from(from);
    const std::size_t box = first_box(first.text);
    Block part;
    BlockReader reader(lines, part);
    const bool is_none = box == kNowhere || is_end_of_line(lines, first, box);
    const std::size_t end = is_none ? first.next : reader.read_untitled(first, box, to);
    from = std::max(end, first.next);
    if (!is_part_of_block(part)) continue;
    found.add(part, reader);
    last = from;
  }
  return last;
}

// The blocks in a text whose damage is undone: with a title, and parts without one in front of them or behind.
Found blocks_of(std::string_view text) {
  Found found;
  Lines lines(text);
  std::size_t from = 0, search = 0;
  for (;;) {
    const std::size_t title = lines.find(kTitle, std::max(from, search), text.size());
    if (title == kNowhere) break;
    const Line line = lines.line_around(title);
    search = line.next;
    const std::size_t offset = title_offset(line.text);
    if (offset == kNowhere) continue;
    std::size_t start = line.start;  // of the block
    if (start > from && border_of(lines.line_around(start - 1).text)) start = lines.line_around(start - 1).start;
    from = read_parts(lines, from, start, found);
    Block block;
    BlockReader reader(lines, block);
    from = reader.read(line, offset, from);
    if (block.opened || block.closed || labels_of(block) > 0) found.add(block, reader);
  }
  read_parts(lines, from, text.size(), found);
  return found;
}

std::size_t start_of_line(std::string_view text, std::uint32_t number) {
  std::size_t start = 0;
  for (std::uint32_t line = 1; line < number; ++line) start = newline_from(text, start) + 1;
  return std::min(start, text.size());
}

bool same_lines(const Block& a, const Block& b) {
  return std::ranges::equal(a.lines, b.lines, {}, &BoxLine::text, &BoxLine::text);
}

}  // namespace

struct BlockFinder::State {
  State(std::string_view bytes, const Source* of) : lines(bytes), source(of) {}

  // Box lines, or pieces of a border, in front of the line of a sign: starts of lines.
  struct Run {
    std::size_t sign = kNowhere;
    std::size_t start = kNowhere;
    std::size_t end = kNowhere;  // of the last of them; of the sign's line if they stand directly in front of it
  };

  Lines lines;
  const Source* source;
  Signs signs;
  NextTitle titles;
  std::size_t from = 0;
  std::size_t released = 0;
  std::size_t count = 0;  // blocks handed out
  std::deque<Block> found;
  std::optional<Block> ahead;  // of a damaged log
  std::optional<Error> problem;
  std::size_t damaged_to = 0;  // what stands before was read as undamaged in vain
  Run run;                     // the last one that was walked through

  // The block whose border or title stands in `first`, if nothing had to be undone to read it.
  std::optional<Block> read_undamaged(const Line& first) {
    Line line = first;
    for (int i = 0; i < kLookBack && title_offset(line.text) == kNowhere; ++i) {
      if (line.next >= lines.size() || (i == 0 && !border_of(line.text))) return std::nullopt;
      line = lines.line_from(line.next);
    }
    const std::size_t offset = title_offset(line.text);
    // Damaged lines are mended in parts, and each part asks again.
    if (offset == kNowhere || line.start < damaged_to) return std::nullopt;
    Block block;
    BlockReader reader(lines, block);
    const std::size_t end = reader.read(line, offset, from);
    if (reader.is_suspicious()) {
      damaged_to = end;
      return std::nullopt;
    }
    problem = reader.problem();
    from = end;
    return block;
  }

  // Box lines may stand in front of the first sign where a block lacks its start; pieces of the border where it was
  // wrapped.
  Line first_of_region(const Line& sign) {
    const bool is_left_in_part = sign.start == run.sign && run.start <= from && from <= run.end;
    if (is_left_in_part) return lines.line_from(from);
    const auto is_border_piece = [](const Line& line) { return hashes_at_end(line.text) >= kLeastWrapped; };
    Line line = sign;
    for (int i = 0; i < kPiecesBack && line.start > from && !is_border_piece(line); ++i)
      line = lines.line_around(line.start - 1);
    const std::size_t run_end = is_border_piece(line) ? line.start : sign.start;
    line = lines.line_from(run_end);
    while (line.start > from) {
      const Line before = lines.line_around(line.start - 1);
      if (first_box(before.text) == kNowhere && !is_border_piece(before)) break;
      line = before;
    }
    run = {sign.start, line.start, run_end};
    return line;
  }

  void mend_from(const Line& first) {
    const MendedRegion region = mend(lines.bytes(), first.start, lines.number(first.start), titles);
    from = std::max(region.end, first.next);
    problem = region.problem;
    std::vector<InTurn> blocks;
    for (const auto& stream : region.streams) {
      std::size_t turn = 0;
      Found in_stream = blocks_of(stream->text());
      if (in_stream.problem) {
        problem = in_stream.problem;
        problem->place = stream->place_of(start_of_line(stream->text(), problem->place.line));
      }
      for (Block& block : in_stream.blocks) {
        locate(block, stream);
        for (const Mended& mended : region.mended) note(block.mended, mended.what, mended.first);
        blocks.push_back({std::move(block), turn++});
      }
    }
    std::ranges::stable_sort(blocks, {}, [](const InTurn& one) { return one.block.lines.front().place.line; });
    compare_twins(blocks);
    found.clear();
    for (InTurn& one : blocks) found.push_back(std::move(one.block));
  }

  // A block of a region, and how many its process had printed there before.
  struct InTurn {
    Block block;
    std::size_t turn = 0;
  };

  // The first blocks of all processes with each other, the second ones, and so on.
  void compare_twins(std::vector<InTurn>& blocks) const {
    struct First {
      std::size_t place = 0;
      bool all_same = true, has_twin = false;
    };
    std::map<std::size_t, First> first_of_turn;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto [found_first, is_first] = first_of_turn.try_emplace(blocks[i].turn, First{i});
      First& first = found_first->second;
      if (is_first) continue;
      const bool same = same_lines(blocks[i].block, blocks[first.place].block);
      blocks[i].block.twin = Twin{count + first.place, same};
      first.all_same = first.all_same && same;
      first.has_twin = true;
    }
    for (const auto& [turn, first] : first_of_turn)
      if (first.has_twin) blocks[first.place].block.twin = Twin{count + first.place, first.all_same};
  }

  // From places in the transcript to places in the log.
  static void locate(Block& block, const std::shared_ptr<Transcript>& transcript) {
    const auto offset_of = [&](std::string_view text) {
      return static_cast<std::size_t>(text.data() - transcript->text().data());
    };
    for (std::vector<BoxLine>* lines : {&block.lines, &block.foreign})
      for (BoxLine& line : *lines) {
        line.transcript = transcript.get();
        line.place = transcript->place_of(offset_of(line.text));
      }
    const std::uint32_t first = block.lines.front().place.line, last = block.lines.back().place.line;
    std::erase_if(block.mended, [&](const Mended& mended) {  // it is another block's
      return mended.what == Mending::beside && (mended.first.line < first || mended.first.line > last);
    });
    for (Mended& mended : block.mended) {
      if (mended.what == Mending::beside) continue;
      mended.first =
          mended.what == Mending::foreign ? block.foreign.front().place : Place{block.lines.front().place.line, 1};
    }
    block.transcript = transcript;
  }

  // The next sign, looked for piece by piece so that what lies before it need not stay in memory. `from` follows.
  std::size_t next_sign() {
    for (std::size_t size = kSearched;; size *= 2) {
      const std::size_t to = std::min(from + std::min(size, lines.size()), lines.size());
      const std::size_t sign = signs.next(lines, from, to);
      if (sign != to) return sign;
      if (to == lines.size()) return kNowhere;
      const std::size_t start = lines.line_around(to).start;
      if (start == from) continue;  // a line longer than the piece
      from = start;
      release();
      size = kSearched / 2;
    }
  }

  void release() {
    if (from < released + kSearched) return;
    lines.remember(from);
    if (source != nullptr) source->release(from);
    released = from;
  }

  std::optional<Block> next() {
    while (found.empty() && !problem) {
      const std::size_t sign = next_sign();
      if (sign == kNowhere) return std::nullopt;
      lines.remember(from);
      const Line first = lines.line_around(sign);
      if (std::optional<Block> block = read_undamaged(first); block && !problem)
        found.push_back(std::move(*block));
      else if (!block)
        mend_from(first_of_region(first));
    }
    if (found.empty()) return std::nullopt;
    Block block = std::move(found.front());
    found.pop_front();
    ++count;
    release();
    return block;
  }

  // The same of a log that was decompressed in part: whether a block is the last one is seen when there is no other.
  std::optional<Block> next_before(ContentFault fault) {
    if (!ahead) ahead = next();
    std::optional<Block> block = std::exchange(ahead, std::nullopt);
    if (!block) return std::nullopt;
    ahead = next();
    if (!ahead || fault == ContentFault::checksum) block->fault = fault;
    return block;
  }
};

BlockFinder::BlockFinder(std::string_view bytes) : state_(std::make_unique<State>(bytes, nullptr)) {}
BlockFinder::BlockFinder(const Source& source) : state_(std::make_unique<State>(source.bytes(), &source)) {}
BlockFinder::~BlockFinder() = default;
const std::optional<Error>& BlockFinder::problem() const { return state_->problem; }
std::optional<Block> BlockFinder::next() {
  const ContentDamage* damage = state_->source != nullptr ? state_->source->damage() : nullptr;
  std::optional<Block> block = damage != nullptr ? state_->next_before(damage->fault) : state_->next();
  if (block && state_->source != nullptr && state_->source->is_recoded())
    note(block->mended, Mending::encoding, {1, 1});
  return block;
}

std::vector<Block> find_blocks(std::string_view bytes) {
  std::vector<Block> blocks;
  BlockFinder finder(bytes);
  while (std::optional<Block> block = finder.next()) blocks.push_back(std::move(*block));
  return blocks;
}

BoxLine nearest_line(std::string_view bytes) {
  constexpr std::string_view kHints[] = {"Planner Statistics",
                                         "planner.stats",
                                         "proposal(s), found",
                                         "HBM (GB)",
                                         "Parameter Info:",
                                         "planner stats",
                                         "Planner",
                                         "planner"};
  Lines lines(bytes);
  for (const std::string_view hint : kHints) {
    const std::size_t at = bytes.find(hint);
    if (at == kNowhere) continue;
    const Line line = lines.line_around(at);
    return {line.text, {lines.number(line.start), 1}};
  }
  return {};
}

}  // namespace shardstats
