#include "input/mended_blocks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "input/block_reader.h"
#include "input/box.h"
#include "input/decode.h"
#include "input/lines.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kFewestSigns = 2;  // borders and labels of a part of a block that has no title

bool is_part_of_block(const Block& block) {
  const std::size_t labels = labels_of(block);
  return labels > 0 && labels + (block.opened || block.closed ? 1 : 0) >= kFewestSigns;
}

void add(ReadBlock read, Found& found) {
  if (!found.problem) found.problem = read.problem;
  if (!read.problem) found.blocks.push_back(std::move(read.block));
}

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
    from = first.next;
    if (box == kNowhere || is_end_of_line(lines, first, box)) continue;
    ReadBlock part = read_part(lines, first, box, to);
    from = std::max(part.end, from);
    if (!is_part_of_block(part.block)) continue;
    add(std::move(part), found);
    last = from;
  }
  return last;
}

// The blocks in a text whose damage is undone: with a title, and parts without one in front of them or behind.
Found blocks_in(std::string_view text) {
  Found found;
  Lines lines(text);
  std::size_t from = 0, search = 0;
  for (;;) {
    const std::size_t title = find_between(text, kTitle, std::max(from, search), text.size());
    if (title == kNowhere) break;
    const Line line = lines.line_around(title);
    search = line.next;
    const std::size_t offset = title_offset(line.text);
    if (offset == kNowhere) continue;
    const Line above = line.start > from ? lines.line_before(line) : line;
    from = read_parts(lines, from, border_of(above.text) ? above.start : line.start, found);
    ReadBlock read = read_block(lines, line, offset, from);
    from = read.end;
    if (read.block.opened || read.block.closed || labels_of(read.block) > 0) add(std::move(read), found);
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

// A block of a region, and how many its process had printed there before.
struct InTurn {
  Block block;
  std::size_t turn = 0;
};

// The first blocks of all processes with each other, the second ones, and so on.
void compare_twins(std::vector<InTurn>& blocks, std::size_t count) {
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
void locate(Block& block, const std::shared_ptr<Transcript>& transcript) {
  const auto offset_of = [&](std::string_view text) {
    return static_cast<std::size_t>(text.data() - transcript->text().data());
  };
  for (std::vector<BoxLine>* lines : {&block.lines, &block.foreign})
    for (BoxLine& line : *lines) {
      line.transcript = transcript.get();
      line.place = transcript->place_of(offset_of(line.text));
    }
  for (Mended& mended : block.mended)
    mended.first =
        mended.what == Mending::foreign ? block.foreign.front().place : Place{block.lines.front().place.line, 1};
  block.transcript = transcript;
}

}  // namespace

Found blocks_of(const MendedRegion& region, std::size_t count) {
  Found found{{}, region.problem};
  std::vector<InTurn> blocks;
  for (const auto& stream : region.streams) {
    std::size_t turn = 0;
    Found in_stream = blocks_in(stream->text());
    if (in_stream.problem) {
      found.problem = in_stream.problem;
      found.problem->place = stream->place_of(start_of_line(stream->text(), in_stream.problem->place.line));
    }
    for (Block& block : in_stream.blocks) {
      locate(block, stream);
      for (const Mended& mended : region.mended) note(block.mended, mended.what, mended.first);
      blocks.push_back({std::move(block), turn++});
    }
  }
  std::ranges::stable_sort(blocks, {}, [](const InTurn& one) { return one.block.lines.front().place.line; });
  compare_twins(blocks, count);
  for (InTurn& one : blocks) found.blocks.push_back(std::move(one.block));
  return found;
}

}  // namespace shardstats::input_detail
