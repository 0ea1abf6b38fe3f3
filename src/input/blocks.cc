#include "shardstats/input/blocks.h"

#include <algorithm>
#include <cstring>

namespace shardstats {
namespace {

constexpr std::string_view kTitle = "--- Planner Statistics ---";
constexpr std::size_t kShortestBorder = 60;  // the narrowest box of any release is 90 wide
constexpr int kLookBack = 20;                // foreign lines that may stand between the border and the title
constexpr int kMostForeign = 10000;          // foreign lines in a row after which an open block is taken to be cut off

struct PhysicalLine {
  std::string_view text;  // without the line end
  std::uint32_t number = 0;
};

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::string_view without_padding(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Walks the lines of a log, forwards and for a few lines backwards.
class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  std::size_t start_of_line(std::size_t offset) const {
    const std::size_t newline = offset == 0 ? std::string_view::npos : bytes_.rfind('\n', offset - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
  }
  std::size_t end_of_line(std::size_t offset) const {
    const void* newline = std::memchr(bytes_.data() + offset, '\n', bytes_.size() - offset);
    return newline == nullptr ? bytes_.size()
                              : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes_.data());
  }
  std::string_view text(std::size_t start) const {
    return without_line_end(bytes_.substr(start, end_of_line(start) - start));
  }
  // 1-based number of the line that starts there; starts must not go backwards by much, the count goes on from the
  // last.
  std::uint32_t number(std::size_t start) {
    if (start >= counted_to_)
      line_ += newlines(counted_to_, start);
    else
      line_ -= newlines(start, counted_to_);
    counted_to_ = start;
    return line_;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::uint32_t newlines(std::size_t from, std::size_t to) const {
    std::uint32_t n = 0;
    for (from = end_of_line(from); from < to; from = end_of_line(from + 1)) ++n;
    return n;
  }

  std::string_view bytes_;
  std::size_t counted_to_ = 0;
  std::uint32_t line_ = 1;
};

// Offset of the border at the end of the line, or npos.
std::size_t border_offset(std::string_view line) {
  const std::string_view text = without_padding(line);
  const std::size_t before = text.find_last_not_of('#');
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  return text.size() >= start + kShortestBorder ? start : std::string_view::npos;
}

// Where the box starts in the title's line: the '#' in front of the blanks before the title.
std::size_t title_offset(std::string_view line) {
  const std::size_t title = line.find(kTitle);
  if (title == std::string_view::npos || title == 0) return std::string_view::npos;
  const std::size_t hash = line.find_last_not_of(' ', title - 1);
  return hash == std::string_view::npos || line[hash] != '#' ? std::string_view::npos : hash;
}

bool starts_box_text(std::string_view line, std::size_t at) {
  return at < line.size() && line[at] == '#' && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '#');
}

// Where the box starts in a line of a block: mostly where it started in the line before; else behind another prefix,
// and then the line has to end as a box line does.
std::size_t box_offset(std::string_view line, std::size_t usual) {
  if (starts_box_text(line, usual)) return usual;
  const std::string_view text = without_padding(line);
  if (text.empty() || text.back() != '#') return std::string_view::npos;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1))
    if (starts_box_text(text, at) && at + 1 < text.size()) return at;
  return std::string_view::npos;
}

BoxLine box_line(Lines& lines, std::size_t start, std::size_t offset) {
  return {lines.text(start).substr(offset), {lines.number(start), static_cast<std::uint32_t>(offset + 1)}};
}

// The opening border in front of the title's line, not before `from`.
void take_opening(Lines& lines, std::size_t title_start, std::size_t from, Block& block) {
  std::size_t start = title_start;
  for (int i = 0; i < kLookBack && start > from; ++i) {
    start = lines.start_of_line(start - 1);
    if (start < from) return;
    const std::size_t border = border_offset(lines.text(start));
    if (border == std::string_view::npos) continue;
    block.lines.push_back(box_line(lines, start, border));
    block.opened = true;
    return;
  }
}

// Reads the lines after the title; returns where the next block may start.
std::size_t take_body(Lines& lines, std::size_t start, std::size_t usual, Block& block) {
  const std::size_t size = lines.bytes().size();
  int foreign_in_a_row = 0;
  std::size_t end_of_box = start;
  while (start < size) {
    const std::string_view text = lines.text(start);
    const std::size_t next = std::min(lines.end_of_line(start) + 1, size);
    if (const std::size_t border = border_offset(text); border != std::string_view::npos) {
      const std::size_t after = next;
      // A border with a title behind it opens another block: this one was cut off.
      if (after < size && title_offset(lines.text(after)) != std::string_view::npos) return start;
      block.lines.push_back(box_line(lines, start, border));
      block.closed = true;
      return next;
    }
    if (title_offset(text) != std::string_view::npos) return start;
    if (const std::size_t offset = box_offset(text, usual); offset != std::string_view::npos) {
      block.lines.push_back(box_line(lines, start, offset));
      usual = offset;
      foreign_in_a_row = 0;
      end_of_box = next;
    } else {
      block.foreign.push_back({text, {lines.number(start), 1}});
      if (++foreign_in_a_row > kMostForeign) break;
    }
    start = next;
  }
  // Foreign lines behind the last box line of a block that was cut off are no part of it.
  while (!block.foreign.empty() && block.foreign.back().text.data() >= lines.bytes().data() + end_of_box)
    block.foreign.pop_back();
  return std::max(end_of_box, start > size ? size : end_of_box);
}

}  // namespace

std::vector<Block> find_blocks(std::string_view bytes) {
  std::vector<Block> blocks;
  Lines lines(bytes);
  std::size_t from = 0;
  while (from < bytes.size()) {
    const void* found = memmem(bytes.data() + from, bytes.size() - from, kTitle.data(), kTitle.size());
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    const std::size_t start = lines.start_of_line(at);
    const std::size_t offset = title_offset(lines.text(start));
    if (offset == std::string_view::npos) {
      from = at + kTitle.size();
      continue;
    }
    Block block;
    take_opening(lines, start, from, block);
    block.lines.push_back(box_line(lines, start, offset));
    from = take_body(lines, std::min(lines.end_of_line(start) + 1, bytes.size()), offset, block);
    from = std::max(from, at + kTitle.size());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

BoxLine nearest_line(std::string_view bytes) {
  constexpr std::string_view kHints[] = {"Planner Statistics", "planner.stats", "proposal(s), found", "HBM (GB)",
                                         "Parameter Info:"};
  Lines lines(bytes);
  for (const std::string_view hint : kHints) {
    const std::size_t at = bytes.find(hint);
    if (at == std::string_view::npos) continue;
    const std::size_t start = lines.start_of_line(at);
    return {lines.text(start), {lines.number(start), 1}};
  }
  return {};
}

}  // namespace shardstats
