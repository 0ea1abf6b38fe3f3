#include "input/unglue.h"

#include <algorithm>
#include <utility>

#include "input/process.h"
#include "input/rewrite.h"

namespace shardstats::input_detail {
namespace {

// Calls is_wanted(front, title) for each of the next titles until that is true.
template <class F>
void find_title(PhysicalLines ahead, F is_wanted) {
  constexpr int kMostBefore = 64;  // lines, of as many processes
  std::string_view text = ahead.text();
  for (int i = 0; i <= kMostBefore; ++i, text = ahead.read()) {
    const std::size_t title = title_offset(text);
    if (title != kNowhere && is_wanted(text.substr(0, title), text.substr(title))) return;
    if (!ahead.has_next()) return;
  }
}

}  // namespace

void Ungluer::add_line(Transcript line, const std::string& process) {
  std::size_t start = 0;  // of what is left
  for (;;) {
    const std::string_view text = line.text().substr(start);
    const std::size_t box = first_box(text);
    const std::size_t end = box == kNowhere ? kNowhere : glued_end(text, box, process);
    if (end == kNowhere) break;
    region_.note(Mending::glued, line.place_of(start + end));
    framer_.add_line(part_of(line, start, start + end), process);
    start += skip_blanks(text, end);
  }
  framer_.add_line(start == 0 ? std::move(line) : part_of(line, start), process);
}

// Where the box line that starts at `box` ends although the physical line goes on; kNowhere if it does not.
std::size_t Ungluer::glued_end(std::string_view text, std::size_t box, const std::string& process) const {
  std::size_t end = border_end(text, box, process);
  if (end - box < kShortestBorder) {
    const std::size_t width = region_.blocks.width();
    if (width == 0) return kNowhere;
    end = byte_of(text, characters(text.substr(0, box)) + width);
    if (end < text.size() && text[end - 1] != '#' && text[end] == '#') ++end;  // the heading that is one wider
    if (end >= text.size() || text[end - 1] != '#') end = end_before_prefix(text, box);
    if (end == kNowhere) return kNowhere;
  }
  return first_box(text.substr(end)) == kNowhere ? kNowhere : end;
}

// Where the border ends in the run of '#' at `box`, whose last ones may begin the next line: the title's, which tells
// how wide the box is, or another border.
std::size_t Ungluer::border_end(std::string_view text, std::size_t box, const std::string& process) const {
  const std::size_t end = std::min(text.find_first_not_of('#', box), text.size());
  const std::size_t length = end - box;
  const bool is_before_title = length > kShortestBorder && width_of_title(text.substr(end - 1)) == length - 1;
  return is_before_title ? end - 1 : box + own_border_end(text.substr(0, box), length, process);
}

// The first border may have been somebody else's, so that the title alone tells where to cut.
// A closing border and an opening one may be glued; what is much longer is somebody's line, and would be cut for
// ever. Where another process opens its box, that is as long as its title says; where that is broken, this is one
// border unless it is as long as several of the last width. Behind a block that is closed a border of another width
// opens the next one.
std::size_t Ungluer::own_border_end(std::string_view prefix, std::size_t length, const std::string& process) const {
  constexpr std::size_t kMostGlued = 4;
  const std::size_t last = region_.blocks.title_width();
  if (last == 0 || length < 2 * kShortestBorder) return length;
  const std::string tag = process + tag_of(prefix);
  const std::size_t own = region_.blocks.title_width_of(tag);
  if (own != 0 && !region_.blocks.is_open(tag) && length % own != 0) return length;
  const std::size_t width = own != 0 ? own : last;
  const bool holds_another = length >= width + kShortestBorder && length <= kMostGlued * width;
  if (!holds_another) return length;
  if (own != 0) return width;
  const std::size_t next = next_title_width(prefix);
  return next == length || (next == 0 && length % width != 0) ? length : width;
}

std::size_t Ungluer::own_title_width(std::string_view prefix) const {
  const std::string tag = tag_of(prefix);
  std::size_t width = 0;
  find_title(region_.lines, [&](std::string_view front, std::string_view title) {
    const bool is_own = tag_of(front).ends_with(tag);  // behind its container's
    if (is_own) width = width_of_title(title);
    return is_own;
  });
  return width;
}

// Of the next title behind such a prefix, or else of the next one, which lines of other processes may stand in front
// of; 0: it is not close, or broken. Lines are read as they stand: numbers and colours in front, or a container, hide
// whose title it is. Where the border might have gone on in the line behind it, that was read already.
std::size_t Ungluer::next_title_width(std::string_view prefix) const {
  const char* const at = region_.lines.text().data();
  if (std::exchange(title_asked_at_, at) == at) return next_title_width_;
  const std::string tag = tag_of(prefix);
  next_title_width_ = 0;
  find_title(region_.lines, [&](std::string_view front, std::string_view title) {
    const bool is_own = tag_of(front) == tag;
    if (is_own || next_title_width_ == 0) next_title_width_ = width_of_title(title);
    return is_own;
  });
  return next_title_width_;
}

// A line that overflows its box ends in front of the prefix of the next one, or at its first '#' if there is none.
std::size_t Ungluer::end_before_prefix(std::string_view text, std::size_t box) const {
  if (box == 0) return std::min(text.find('#', byte_of(text, region_.blocks.width())), text.size() - 1) + 1;
  const std::size_t next = text.find(std::string(text.substr(0, box)) + "#", box);
  const std::size_t last = next == kNowhere ? kNowhere : text.find_last_not_of(' ', next - 1);
  return last != kNowhere && last > box && text[last] == '#' ? last + 1 : kNowhere;
}

}  // namespace shardstats::input_detail
