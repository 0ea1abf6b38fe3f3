#include "input/unwrap.h"

#include <algorithm>
#include <utility>

#include "input/process.h"
#include "input/rewrite.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

// Does a piece begin with this prefix, too? It is a late one, put in front of all pieces after the line was broken. Of
// an empty piece the blanks at its end may be lost, as mail turns "> " into ">".
bool is_also_in_front(std::string_view prefix, std::string_view piece) {
  const auto begins_with = [piece](std::string_view wanted) {
    const std::string_view front = piece.substr(0, wanted.size());
    return front == wanted || (front.size() == wanted.size() && tag_of(front) == tag_of(wanted));
  };
  const std::string_view bare = trim_right(prefix);
  return begins_with(prefix) || (!bare.empty() && piece.size() == bare.size() && begins_with(bare));
}

std::string_view behind(std::size_t prefix, std::string_view piece) {
  return piece.substr(std::min(prefix, piece.size()));
}

std::string_view without_prefix(std::string_view prefix, std::string_view piece) {
  return is_also_in_front(prefix, piece) ? behind(prefix.size(), piece) : piece;
}

// A lone '#' behind whole pieces of a border may be the title's line without the blanks at the end of its first
// piece; then the next piece begins inside the box.
bool goes_on_in_box(std::string_view next) { return next.empty() || next.front() == ' ' || next.front() == '-'; }

// Has it nothing but blanks in front of the title's dashes, if those are in this piece?
bool may_be_title(std::string_view box_text) {
  const std::string_view words = trim_left(box_text.substr(1));
  return words.empty() || words.starts_with('-');
}

}  // namespace

void Unwrapper::add_line(Transcript line, const std::string& process) {
  line = without_late_prefix(std::move(line));
  if (is_of_another_process(process)) {
    border_piece_ = 0;
    end_joined();
  }
  if (border_piece_ != 0) {
    const bool is_piece = is_further_border_piece(line.text());
    if (is_piece) {
      region_.note(Mending::wrapped, line.place_of(0));
      begin_late_prefix(line.text().substr(0, line.text().size() - hashes_at_end(line.text())));
      line = without_late_prefix(std::move(line));
      join(line, process);
      begin_wrapping();
      if (characters(line.text()) == border_piece_) return;
    }
    border_piece_ = 0;
    end_joined();
    if (is_piece) return;
    const bool is_first_piece = line.text().size() == 1;  // of the title's line, without its blanks
    if (is_run_of_hashes(line.text()) && !is_first_piece) return ungluer_.add_line(std::move(line), process);
  }
  if (is_behind_border_ && pieces_ == 0) see_prefix_of_lines(line.text());
  if (is_overflow(line.text())) line = begin_overflow(std::move(line));
  const std::string_view text = line.text();
  const std::size_t length = characters(text);
  if (may_be_wrapped(text)) {
    border_piece_ = length;
    return join(line, process);
  }
  if (wrap_ == 0) return ungluer_.add_line(std::move(line), process);
  if (length > wrap_ || starts_line(text)) end_joined();
  if (length > wrap_ || (pieces_ == 0 && !starts_line(text))) return ungluer_.add_line(std::move(line), process);
  join(line, process);
  // A piece may be shorter for the blanks that it lost at its end: where lines have a right border, that ends them.
  const bool may_be_last = length < wrap_ && !region_.blocks.has_right_border();
  const bool may_end = joined_characters_ >= line_length_ && (may_be_last || text.ends_with('#'));
  if (may_end && !is_in_longer_border(text)) end_joined();
}

// Without the prefix that was put in front of all pieces.
std::string_view Unwrapper::next_text() const { return without_prefix(late_prefix_, region_.decoded_next()); }

bool Unwrapper::is_of_another_process(const std::string& process) const {
  return pieces_ > 0 && !process.empty() && !joined_process_.empty() && process != joined_process_;
}

// The blanks at the end of a piece may be gone: the next one starts at the width of the terminal all the same.
void Unwrapper::join(const Transcript& piece, const std::string& process) {
  if (joined_characters_ < pieces_ * wrap_ && pieces_ * wrap_ <= kWidestBox) {
    const std::size_t end = joined_.text().size();
    joined_.fill(std::string(pieces_ * wrap_ - joined_characters_, ' '),
                 end == 0 ? region_.lines.place_of(piece, 0) : joined_.place_of(end));
  }
  if (pieces_ == 0) joined_process_ = process;
  joined_characters_ = std::max(joined_characters_, pieces_ * wrap_) + characters(piece.text());
  joined_.append(piece);
  ++pieces_;
}

void Unwrapper::end_joined() {
  Transcript line = std::move(joined_);
  joined_ = {};
  joined_characters_ = pieces_ = 0;
  if (!line.text().empty()) ungluer_.add_line(std::move(line), joined_process_);
}

// --- lines that begin with pieces of a border ------------------------------------------------------------------------

// A border tells the width: its first piece ends in '#', further ones are nothing else.
bool Unwrapper::may_be_wrapped(std::string_view text) const {
  const std::size_t width = region_.blocks.width();
  return wrap_ == 0 && may_go_on_as_border(text) && !(width != 0 && hashes_at_end(text) == width);
}

bool Unwrapper::may_go_on_as_border(std::string_view text) const {
  return hashes_at_end(text) >= kLeastWrapped || (text.ends_with("##") && begins_border(text, next_text()));
}

bool Unwrapper::is_further_border_piece(std::string_view text) const {
  const std::size_t start = text.size() - hashes_at_end(text);
  if (start == text.size() || characters(text) > border_piece_ || joined_characters_ > kWidestBox) return false;
  const std::string_view next = next_text(), prefix = text.substr(0, start);
  if (hashes_at_end(text) == 1 && goes_on_in_box(without_prefix(prefix, next))) return false;
  return start + hashes_at_end(joined_.text()) <= joined_.text().size() && is_also_in_front(prefix, joined_.text()) &&
         !is_box_line(behind(start, next), text.size() - start) && !is_whole_border(joined_.text());
}

// Is the border as wide as its title's line, which is whole? A border below it is that of another handler of the logger
// then, whose lines may have no prefix and so be shorter.
bool Unwrapper::is_whole_border(std::string_view text) const {
  const std::size_t width = hashes_at_end(text);
  return pieces_ == 1 && width >= kShortestBorder &&
         ungluer_.own_title_width(text.substr(0, text.size() - width)) == width;
}

void Unwrapper::begin_wrapping() {
  wrap_ = border_piece_;
  line_length_ = joined_characters_;
  box_in_line_ = first_box(joined_.text());
  is_behind_border_ = true;
}

// In front of the border may stand the prefix of a record of many lines, which its other lines do not have: the title's
// tells.
void Unwrapper::see_prefix_of_lines(std::string_view text) {
  const std::size_t box = first_box(text);
  if (box == kNowhere || !may_be_title(text.substr(box))) return;
  is_behind_border_ = false;
  if (box >= box_in_line_) return;
  line_length_ -= box_in_line_ - box;
  box_in_line_ = box;
}

// The first piece of a box line, and not the last one of the line that is being joined.
bool Unwrapper::starts_line(std::string_view text) const {
  const std::size_t joined = pieces_ == 0 ? 0 : pieces_ * wrap_ + characters(text);
  const bool goes_on = is_run_of_hashes(text) && joined_.text().ends_with('#') && joined <= line_length_;
  // The last '#' of a line that is longer than the others is its right border wherever it stands.
  const bool is_lost = region_.blocks.lost_right_border();
  const bool is_only_end = first_box(text) + 1 == text.size() && joined > line_length_ && !is_lost;
  // Where it is gone with the blanks in front of it, pieces are shorter than the terminal is wide.
  const bool is_end = joined == line_length_ && (!is_lost || joined_characters_ == pieces_ * wrap_);
  const bool ends_joined = text.ends_with('#') && (is_end || is_only_end);
  const bool is_border = may_go_on_as_border(text) && text.size() - hashes_at_end(text) == box_in_line_;
  if (is_border && box_in_line_ > 0) return true;  // a last piece has no prefix in front
  return (is_border || first_box(text) == box_in_line_) && !ends_joined && !goes_on;
}

// Is it a whole piece of a border with another one behind it, though the line is long enough to end? The box of another
// process may be wider; and the next border would have a prefix in front if this one has.
bool Unwrapper::is_in_longer_border(std::string_view text) const {
  return (joined_characters_ > line_length_ || box_in_line_ > 0) && is_run_of_hashes(text) &&
         characters(text) == wrap_ && is_run_of_hashes(next_text());
}

// --- lines that are wider than the box -------------------------------------------------------------------------------

// A terminal that is as wide as the box breaks only the lines that are wider: this one, if the next line is the rest.
bool Unwrapper::is_overflow(std::string_view text) const {
  if (wrap_ != 0 || !region_.blocks.has_right_border() || text.ends_with('#')) return false;
  const std::size_t box = first_box(text);
  if (box == kNowhere || characters(text.substr(box)) < region_.blocks.width()) return false;
  const std::string_view rest = without_prefix(text.substr(0, box), trim_right(region_.decoded_next()));
  return rest.ends_with('#') && hashes_at_end(rest) == 1 && first_box(rest) + 1 >= rest.size();
}

Transcript Unwrapper::begin_overflow(Transcript line) {
  region_.note(Mending::wrapped, line.place_of(0));
  const std::string_view prefix = line.text().substr(0, first_box(line.text()));
  if (!prefix.empty() && is_also_in_front(prefix, region_.decoded_next())) {
    late_prefix_ = prefix;
    region_.note(Mending::prefix, line.place_of(0));
    line = without_late_prefix(std::move(line));
  }
  wrap_ = characters(line.text());
  box_in_line_ = first_box(line.text());
  line_length_ = characters(line.text().substr(0, box_in_line_)) + region_.blocks.width();
  return line;
}

// --- prefixes that were put in front after the lines were broken -----------------------------------------------------

void Unwrapper::begin_late_prefix(std::string_view prefix) {
  if (prefix.empty()) return;
  late_prefix_ = prefix;
  region_.note(Mending::prefix, joined_.place_of(0));
  joined_ = part_of(joined_, prefix.size());
  joined_characters_ -= characters(prefix);
  border_piece_ -= characters(prefix);
}

Transcript Unwrapper::without_late_prefix(Transcript line) const {
  if (late_prefix_.empty() || !is_also_in_front(late_prefix_, line.text())) return line;
  return part_of(line, late_prefix_.size());
}

}  // namespace shardstats::input_detail
