#include "shardstats/input/blocks.h"

#include <algorithm>
#include <cstring>

namespace shardstats {
namespace {

constexpr std::string_view kTitle = "--- Planner Statistics ---";
constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kShortestBorder = 60;  // the narrowest box of any release is 90 wide
constexpr int kLookBack = 20;                // foreign lines that may stand between the border and the title
constexpr int kMostForeign = 10000;          // foreign lines in a row after which an open block is taken to be cut off

std::size_t characters(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string_view without_padding(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

struct Line {
  std::size_t start = 0;
  std::size_t next = 0;   // start of the line after it
  std::string_view text;  // without the line end and stray NULs there
};

class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  Line line_from(std::size_t start) const {
    const std::size_t end = newline_from(start);
    std::string_view text = bytes_.substr(start, end - start);
    while (!text.empty() && (text.back() == '\r' || text.back() == '\0')) text.remove_suffix(1);
    return {start, std::min(end + 1, bytes_.size()), text};
  }
  Line line_around(std::size_t offset) const {
    const std::size_t newline = offset == 0 ? kNowhere : bytes_.rfind('\n', offset - 1);
    return line_from(newline == kNowhere ? 0 : newline + 1);
  }
  // 1-based number of the line that starts at `start`, counted on from the last one asked for.
  std::uint32_t number(std::size_t start) {
    if (start < counted_) {
      counted_ = 0;
      number_ = 1;
    }
    for (; counted_ < start; ++number_) counted_ = newline_from(counted_) + 1;
    return number_;
  }
  std::size_t find_title(std::size_t from) const {
    const void* found = memmem(bytes_.data() + from, bytes_.size() - from, kTitle.data(), kTitle.size());
    return found == nullptr ? kNowhere : static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data());
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::size_t newline_from(std::size_t offset) const {
    const void* newline = std::memchr(bytes_.data() + offset, '\n', bytes_.size() - offset);
    if (newline == nullptr) return bytes_.size();
    return static_cast<std::size_t>(static_cast<const char*>(newline) - bytes_.data());
  }
  std::string_view bytes_;
  std::size_t counted_ = 0;
  std::uint32_t number_ = 1;
};

// The run of '#' at the end of the line, if it is long enough for a border: where it starts, and its length.
struct Border {
  std::size_t start = kNowhere;
  std::size_t length = 0;
  explicit operator bool() const { return start != kNowhere; }
};
Border border_of(std::string_view line) {
  const std::string_view text = without_padding(line);
  if (text.size() < kShortestBorder || text[text.size() - 2] != '#') return {};
  const std::size_t start = text.find_last_not_of('#') + 1;
  if (text.size() - start < kShortestBorder) return {};
  return {start, text.size() - start};
}

// Where the box starts in the title's line: the '#' in front of the blanks before the title.
std::size_t title_offset(std::string_view line) {
  const std::size_t title = line.find(kTitle);
  if (title == kNowhere || title == 0) return kNowhere;
  const std::size_t hash = line.find_last_not_of(' ', title - 1);
  return hash == kNowhere || line[hash] != '#' ? kNowhere : hash;
}

// Is it the title, centred or at the end of what is left of its line? Looks at two places only.
bool is_title(std::string_view box_text) {
  const std::string_view text = without_padding(box_text);
  if (text.ends_with(kTitle)) return true;
  return text.size() > kTitle.size() + 2 && text.substr((text.size() - kTitle.size()) / 2).starts_with(kTitle);
}

bool starts_box(std::string_view line, std::size_t at) {
  return at < line.size() && line[at] == '#' && (at + 1 == line.size() || line[at + 1] == ' ') &&
         (at == 0 || line[at - 1] != '#');
}

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

// Where the box starts in a line of a block, or kNowhere for a foreign line. Best is where the line then is as wide as
// the box; next best where the box started in the line before, since the right border may be lost.
std::size_t box_offset(std::string_view line, std::size_t usual, std::size_t width) {
  const bool as_usual = starts_box(line, usual);
  if (as_usual && line.size() - usual == width) return usual;
  const std::string_view text = without_padding(line);
  const bool closed = text.size() > 1 && text.back() == '#';
  const WidthMatch match = closed ? match_width(text, width) : WidthMatch{};
  if (match.exact != kNowhere) return match.exact;
  if (as_usual) return usual;
  return match.longer;
}

class BlockReader {
 public:
  BlockReader(Lines& lines, Block& block) : lines_(lines), block_(block) {}

  // Reads the block around the title's line; returns where the next block may start.
  std::size_t read(const Line& title, std::size_t offset, std::size_t from) {
    usual_ = offset;
    const std::string_view text = without_padding(title.text.substr(offset));
    width_ = text.back() == '#' ? text.size() : 0;
    take_opening(title, from);
    add(title, offset);
    if (width_ == 0) width_ = text.size();
    return read_body(title.next);
  }

 private:
  void add(const Line& line, std::size_t offset) {
    const std::uint32_t number = lines_.number(line.start);
    block_.lines.push_back({line.text.substr(offset), {number, static_cast<std::uint32_t>(offset + 1)}});
  }

  // The opening border in front of the title's line, not before `from`.
  void take_opening(const Line& title, std::size_t from) {
    Line line = title;
    for (int i = 0; i < kLookBack && line.start > from; ++i) {
      line = lines_.line_around(line.start - 1);
      const Border border = border_of(line.text);
      // Further up only a border as wide as the title's line is the box's own; one of the two may be damaged, though.
      if (!border || (width_ != 0 && border.length != width_ && i > 0)) continue;
      width_ = border.length;
      add(line, border.start);
      block_.opened = true;
      return;
    }
  }

  bool opens_another_block(const Line& border) const {
    return border.next < lines_.size() && title_offset(lines_.line_from(border.next).text) != kNowhere;
  }

  // A run of '#' of another width than the box: a damaged closing border, if no line of the box follows; else a foreign
  // line.
  bool closes_box(const Line& line, const Border& border) const {
    if (border.length == width_ || !block_.opened || line.next >= lines_.size()) return true;
    return border.start == usual_ && box_offset(lines_.line_from(line.next).text, usual_, width_) == kNowhere;
  }

  std::size_t read_body(std::size_t start) {
    std::size_t end = start;  // behind the last line of the box
    int foreign_in_a_row = 0;
    while (start < lines_.size() && foreign_in_a_row <= kMostForeign) {
      const Line line = lines_.line_from(start);
      if (const Border border = border_of(line.text)) {
        if (opens_another_block(line)) break;
        if (closes_box(line, border)) {
          add(line, border.start);
          block_.closed = true;
          return line.next;
        }
      }
      const std::size_t offset = box_offset(line.text, usual_, width_);
      if (offset == kNowhere ? title_offset(line.text) != kNowhere : is_title(line.text.substr(offset))) break;
      start = line.next;
      if (offset == kNowhere) {
        block_.foreign.push_back({line.text, {lines_.number(line.start), 1}});
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
  std::size_t usual_ = 0;
  std::size_t width_ = 0;
};

}  // namespace

std::vector<Block> find_blocks(std::string_view bytes) {
  std::vector<Block> blocks;
  Lines lines(bytes);
  std::size_t from = 0;
  while (from < bytes.size()) {
    const std::size_t title = lines.find_title(from);
    if (title == kNowhere) break;
    const Line line = lines.line_around(title);
    const std::size_t offset = title_offset(line.text);
    from = offset == kNowhere ? line.next : BlockReader(lines, blocks.emplace_back()).read(line, offset, from);
  }
  return blocks;
}

BoxLine nearest_line(std::string_view bytes) {
  constexpr std::string_view kHints[] = {"Planner Statistics", "planner.stats", "proposal(s), found", "HBM (GB)",
                                         "Parameter Info:"};
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
