#include "input/mend.h"

#include <algorithm>
#include <map>
#include <string>

#include "input/box.h"
#include "input/decode.h"
#include "input/numbering.h"
#include "input/process.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

// Lines in a row without a sign of a block before the first sign of one, for each process that has opened a block.
constexpr int kMostUnsure = 50;
constexpr std::size_t kTitleAhead = std::size_t{1} << 23;  // bytes in which the title of an open block is looked for
constexpr std::size_t kLeastDivider = 50;

bool is_run_of_hashes(std::string_view text) {
  return !text.empty() && text.find_first_not_of('#') == std::string_view::npos;
}

bool is_divider(std::string_view text) {
  return text.size() >= kLeastDivider && text.find_first_not_of('-') == std::string_view::npos;
}

// The tag without its `number`-th number (1-based) and the blanks around it.
std::string without_number(const std::string& tag, std::size_t number) {
  constexpr std::string_view kDigits = "0123456789";
  std::size_t start = 0, end = 0;
  for (std::size_t i = 0; i < number && start != kNowhere; ++i) {
    start = tag.find_first_of(kDigits, end);
    end = start == kNowhere ? end : std::min(tag.find_first_not_of(kDigits, start), tag.size());
  }
  if (start == kNowhere || number == 0) return tag;
  return std::string(without_padding(std::string_view(tag).substr(0, start))) +
         tag.substr(std::min(tag.find_first_not_of(' ', end), tag.size()));
}

constexpr std::size_t kBytesOfLine = 200;  // of memory that a line takes besides its text, about

struct MendedLine {
  Transcript text;
  Place end;  // of its text; a blank one has no bytes to tell it
  std::string tag;
  bool boxed = false;
};

// The blocks of one process, as far as they decide where a region ends.
struct Progress {
  bool open = false;
  bool has_text = false;  // more than the opening border
};

class Mender {
 public:
  Mender(std::string_view bytes, std::size_t start, std::uint32_t number, NextTitle& titles)
      : bytes_(bytes), at_(start), number_(number), numbering_(bytes, start), next_title_(titles) {}

  MendedRegion run() {
    while (at_ < bytes_.size() && !is_over() && !region_.problem) read_line();
    end_joined();
    region_.end = at_;
    write_streams();
    return std::move(region_);
  }

 private:
  bool is_over() {
    if (!joined_.text().empty()) return false;
    if (unsigned_lines_ > kMostForeign) return true;
    if (!sure_ && unsigned_lines_ > kMostUnsure * std::max(open_, 1) && !is_own_title_ahead()) return true;
    return !progress_.empty() && open_ == 0;
  }

  // Does the title of a block that was opened come behind the lines of others? It is as wide as the border, and has
  // none of its own.
  bool is_own_title_ahead() {
    if (own_title_ == kNowhere) own_title_ = look_for_own_title();
    return at_ <= own_title_;
  }

  std::string_view line_before(std::size_t start) const {
    if (start < 2) return {};
    return line_at(bytes_, bytes_.rfind('\n', start - 2) + 1).text;
  }

  // Where it starts; 0 if there is none.
  std::size_t look_for_own_title() {
    const std::size_t title = next_title_.find(bytes_, at_, at_ + std::min(kTitleAhead, bytes_.size() - at_));
    if (title == kNowhere) return 0;
    const std::size_t start = bytes_.rfind('\n', title) + 1;
    const std::string_view text = line_at(bytes_, start).text;
    const std::size_t box = title_offset(text);
    if (box == kNowhere || start < at_ || width_of_title(text.substr(box)) != width_) return 0;
    const auto opened = progress_.find(tag_of(text.substr(0, box)));
    const bool has_border = static_cast<bool>(border_of(line_before(start)));
    return opened != progress_.end() && opened->second.open && !has_border ? title : 0;
  }

  void read_line() {
    const Line line = line_at(bytes_, at_);
    at_ = line.next;
    const std::uint32_t number = number_++;
    if (line.text.size() > kLongestLine && !sure_ && !has_sign(line.text))
      ++unsigned_lines_;
    else if (line.text.size() > kLongestLine)
      region_.problem = too_long_line(number);
    else if (is_full())
      report_full(number);
    else
      decode_and_unwrap(joined_literals(line.text, number));
  }

  bool is_full() const { return size_ + joined_.text().size() > kMostMended; }

  void report_full(std::uint32_t number) {
    region_.problem = Error{{},
                            {number, 1},
                            "more than " + std::to_string(kMostMended) + " bytes of damaged lines follow each other",
                            "cut the log before this line and pass the parts one by one"};
  }

  void decode_and_unwrap(Transcript line) {
    box_.width = width_ != 0 ? width_ : hashes_at_end(joined_.text());
    Decoded decoded = decode(std::move(line), box_, region_.mended);
    process_ = std::move(decoded.process);
    for (Transcript& text : decoded.lines) {
      if (is_full()) return report_full(number_ - 1);
      unwrap(std::move(text));
    }
  }

  // Python's pprint breaks a long string behind a blank: '#  ' in one line, '--- ' and so on in the next ones.
  Transcript joined_literals(std::string_view text, std::uint32_t number) {
    Transcript line;
    std::size_t start = numbering_.front_of(text);
    if (start > 0) note(region_.mended, Mending::prefix, {number, 1});
    for (std::size_t next;
         (next = rest_of_literal(text, line.text().empty())) != 0 && line.text().size() < kLongestLine;) {
      line.append(text.substr(start, std::max(start + 1, text.size()) - start - 1), column(number, start));
      const Line following = line_at(bytes_, at_);
      at_ = following.next;
      number = number_++;
      text = following.text;
      start = numbering_.front_of(text) + next;
    }
    line.append(text.substr(start), column(number, start));
    return line;
  }
  static Place column(std::uint32_t number, std::size_t offset) {
    return {number, static_cast<std::uint32_t>(offset + 1)};
  }

  // Behind the quote at which the string that ends this line goes on in the next one; 0 if it does not. In the first
  // piece of such a string the box begins.
  std::size_t rest_of_literal(std::string_view text, bool is_first) const {
    if (!text.ends_with(" '") && !text.ends_with(" \"")) return 0;
    const std::string_view without_end = text.substr(0, text.size() - 1);
    const std::size_t open = without_end.rfind(text.back());
    if (is_first && (open == kNowhere || first_box(without_end.substr(open + 1)) == kNowhere)) return 0;
    const std::string_view next = next_text();
    const std::size_t quote = next.find_first_not_of(' ');
    return quote != kNowhere && next[quote] == text.back() ? quote + 1 : 0;
  }

  static bool has_sign(std::string_view text) { return text.find(kTitle) != kNowhere || labels_in(text) > 0; }

  // --- lines that a terminal broke -----------------------------------------------------------------------------------

  // A border tells the width: its first piece ends in '#', further ones are nothing else.
  bool may_be_wrapped(std::string_view text) const {
    const std::size_t hashes = hashes_at_end(text);
    return wrap_ == 0 && hashes >= kLeastWrapped && !(width_ != 0 && hashes == width_);
  }

  // The blanks at the end of a piece may be gone: the next one starts at the width of the terminal all the same.
  void join(const Transcript& piece) {
    if (joined_characters_ < pieces_ * wrap_ && pieces_ * wrap_ <= kWidestBox) {
      const std::size_t end = joined_.text().size();
      joined_.fill(std::string(pieces_ * wrap_ - joined_characters_, ' '),
                   end == 0 ? place_of(piece, 0) : joined_.place_of(end));
    }
    if (pieces_ == 0) joined_process_ = process_;
    joined_characters_ = std::max(joined_characters_, pieces_ * wrap_) + characters(piece.text());
    joined_.append(piece, 0, piece.text().size());
    ++pieces_;
  }

  // Of a byte of the line that was just read; a blank one has none.
  Place place_of(const Transcript& line, std::size_t offset) const {
    return line.text().empty() ? Place{number_ - 1, 1} : line.place_of(offset);
  }

  void end_joined() {
    Transcript line = std::move(joined_);
    joined_ = {};
    joined_characters_ = pieces_ = 0;
    if (line.text().empty()) return;
    std::swap(process_, joined_process_);
    unglue(std::move(line));
    std::swap(process_, joined_process_);
  }

  bool is_of_another_process() const {
    return pieces_ > 0 && !process_.empty() && !joined_process_.empty() && process_ != joined_process_;
  }

  void begin_wrapping() {
    wrap_ = border_piece_;
    line_length_ = joined_characters_;
    box_in_line_ = first_box(joined_.text());
  }

  // The first piece of a box line, and not the last one of the line that is being joined.
  bool starts_line(std::string_view text) const {
    const std::size_t joined = pieces_ == 0 ? 0 : pieces_ * wrap_ + characters(text);
    const bool goes_on = is_run_of_hashes(text) && joined_.text().ends_with('#') && joined <= line_length_;
    // The last '#' of a line that is longer than the others is its right border wherever it stands.
    const bool is_only_end = first_box(text) + 1 == text.size() && joined > line_length_;
    const bool ends_joined = text.ends_with('#') && (joined == line_length_ || is_only_end);
    const bool is_border = hashes_at_end(text) >= kLeastWrapped && text.size() - hashes_at_end(text) == box_in_line_;
    return (is_border || first_box(text) == box_in_line_) && !ends_joined && !goes_on;
  }

  // A terminal that is as wide as the box breaks only the lines that are wider: this one, if the next line is the rest.
  bool is_overflow(std::string_view text) const {
    if (wrap_ != 0 || !has_right_border_ || text.ends_with('#')) return false;
    const std::size_t box = first_box(text);
    if (box == kNowhere || characters(text.substr(box)) < width_) return false;
    std::string_view rest = without_padding(next_text());
    if (is_also_in_front(text.substr(0, box), rest)) rest.remove_prefix(box);
    return rest.ends_with('#') && hashes_at_end(rest) == 1 && first_box(rest) + 1 >= rest.size();
  }

  Transcript begin_overflow(Transcript line) {
    note(region_.mended, Mending::wrapped, line.place_of(0));
    const std::string_view prefix = line.text().substr(0, first_box(line.text()));
    if (!prefix.empty() && is_also_in_front(prefix, next_text())) {
      late_prefix_ = prefix;
      note(region_.mended, Mending::prefix, line.place_of(0));
      line = without_late_prefix(std::move(line));
    }
    wrap_ = characters(line.text());
    box_in_line_ = first_box(line.text());
    line_length_ = characters(line.text().substr(0, box_in_line_)) + width_;
    return line;
  }

  // Does a piece begin with this prefix, too? It is a late one, put in front of all pieces after the line was broken.
  static bool is_also_in_front(std::string_view prefix, std::string_view piece) {
    const std::string_view front = piece.substr(0, prefix.size());
    return front == prefix || (front.size() == prefix.size() && tag_of(front) == tag_of(prefix));
  }

  // A lone '#' behind whole pieces of a border may be the title's line without the blanks at the end of its first
  // piece; then the next piece begins inside the box.
  static bool goes_on_in_box(std::string_view next) {
    const std::size_t first = next.find_first_not_of(' ');
    return first != 0 || next[first] == '-';
  }

  bool is_further_border_piece(std::string_view text) const {
    const std::size_t start = text.size() - hashes_at_end(text);
    if (start == text.size() || characters(text) > border_piece_ || joined_characters_ > kWidestBox) return false;
    const std::string_view next = next_text();
    const bool has_prefix = is_also_in_front(text.substr(0, start), next);
    if (hashes_at_end(text) == 1 && goes_on_in_box(next.substr(has_prefix ? start : 0))) return false;
    return start + hashes_at_end(joined_.text()) <= joined_.text().size() &&
           is_also_in_front(text.substr(0, start), joined_.text()) &&
           !is_box_line(next.substr(std::min(start, next.size())), text.size() - start);
  }

  void begin_late_prefix(std::string_view prefix) {
    if (prefix.empty()) return;
    late_prefix_ = prefix;
    note(region_.mended, Mending::prefix, joined_.place_of(0));
    joined_ = part_of(joined_, prefix.size(), joined_.text().size());
    joined_characters_ -= characters(prefix);
    border_piece_ -= characters(prefix);
  }

  Transcript without_late_prefix(Transcript line) const {
    if (late_prefix_.empty() || !is_also_in_front(late_prefix_, line.text())) return line;
    return part_of(line, late_prefix_.size(), line.text().size());
  }

  void unwrap(Transcript line) {
    line = without_late_prefix(std::move(line));
    if (is_of_another_process()) {
      border_piece_ = 0;
      end_joined();
    }
    if (border_piece_ != 0) {
      const bool is_piece = is_further_border_piece(line.text());
      if (is_piece) {
        note(region_.mended, Mending::wrapped, line.place_of(0));
        begin_late_prefix(line.text().substr(0, line.text().size() - hashes_at_end(line.text())));
        line = without_late_prefix(std::move(line));
        join(line);
        begin_wrapping();
        if (characters(line.text()) == border_piece_) return;
      }
      border_piece_ = 0;
      end_joined();
      if (is_piece) return;
      const bool is_first_piece = line.text().size() == 1;  // of the title's line, without its blanks
      if (is_run_of_hashes(line.text()) && !is_first_piece) return unglue(std::move(line));
    }
    if (is_overflow(line.text())) line = begin_overflow(std::move(line));
    const std::string_view text = line.text();
    const std::size_t length = characters(text);
    if (may_be_wrapped(text)) {
      border_piece_ = length;
      return join(line);
    }
    if (wrap_ == 0) return unglue(std::move(line));
    if (length > wrap_ || starts_line(text)) end_joined();
    if (length > wrap_ || (pieces_ == 0 && !starts_line(text))) return unglue(std::move(line));
    join(line);
    if (joined_characters_ >= line_length_ && (length < wrap_ || text.ends_with('#'))) end_joined();
  }

  // --- several lines on one ------------------------------------------------------------------------------------------

  // Where the border ends in the run of '#' at `box`, whose last ones may begin the next line: the title's, which tells
  // how wide the box is, or another border.
  std::size_t border_end(std::string_view text, std::size_t box) const {
    const std::size_t end = std::min(text.find_first_not_of('#', box), text.size());
    const std::size_t length = end - box;
    const bool is_before_title = length > kShortestBorder && width_of_title(text.substr(end - 1)) == length - 1;
    return is_before_title ? end - 1 : own_border_end(box, length);
  }
  // The first border may have been somebody else's, so that the title alone tells where to cut.
  // A closing border and an opening one may be glued; what is much longer is somebody's line, and would be cut for
  // ever.
  std::size_t own_border_end(std::size_t box, std::size_t length) const {
    constexpr std::size_t kMostGlued = 4;
    const bool holds_another = title_width_ != 0 && length >= title_width_ + kShortestBorder;
    return box + (holds_another && length <= kMostGlued * title_width_ ? title_width_ : length);
  }

  // Where the box line that starts at `box` ends although the physical line goes on; kNowhere if it does not.
  std::size_t glued_end(std::string_view text, std::size_t box) const {
    std::size_t end = border_end(text, box);
    if (end - box < kShortestBorder) {
      if (width_ == 0) return kNowhere;
      end = byte_of(text, characters(text.substr(0, box)) + width_);
      if (end < text.size() && text[end - 1] != '#' && text[end] == '#') ++end;  // the heading that is one wider
      if (end >= text.size() || text[end - 1] != '#') end = end_before_prefix(text, box);
      if (end == kNowhere) return kNowhere;
    }
    const std::size_t next = text.find_first_not_of(' ', end);
    return next == kNowhere || first_box(text.substr(next)) == kNowhere ? kNowhere : end;
  }

  // A line that overflows its box ends in front of the prefix of the next one, or at its first '#' if there is none.
  std::size_t end_before_prefix(std::string_view text, std::size_t box) const {
    if (box == 0) return std::min(text.find('#', byte_of(text, width_)), text.size() - 1) + 1;
    const std::size_t next = text.find(std::string(text.substr(0, box)) + "#", box);
    const std::size_t last = next == kNowhere ? kNowhere : text.find_last_not_of(' ', next - 1);
    return last != kNowhere && last > box && text[last] == '#' ? last + 1 : kNowhere;
  }

  void unglue(Transcript line) {
    std::size_t start = 0;  // of what is left
    for (;;) {
      const std::string_view text = line.text().substr(start);
      const std::size_t box = first_box(text);
      const std::size_t end = box == kNowhere ? kNowhere : glued_end(text, box);
      if (end == kNowhere) break;
      note(region_.mended, Mending::glued, line.place_of(start + end));
      add(part_of(line, start, start + end));
      start += text.find_first_not_of(' ', end);
    }
    add(start == 0 ? std::move(line) : part_of(line, start, line.text().size()));
  }

  static Transcript part_of(const Transcript& line, std::size_t start, std::size_t end) {
    Transcript part;
    part.append(line, start, end);
    return part;
  }

  // --- lines without a frame -----------------------------------------------------------------------------------------

  // The title without a '#' before it: the lines from here on are the text of a box alone. Inside a box that is open,
  // or with other text behind it, it is somebody's text.
  void look_for_bare_title(const Transcript& line) {
    if (told_ > 0) return;
    const std::string_view text = line.text();
    const std::size_t title = text.find(kTitle);
    if (title == kNowhere || title_offset(text) != kNowhere) return;
    if (!without_padding(text.substr(title + kTitle.size())).empty() || (title > 0 && text[title - 1] != ' ')) return;
    const std::size_t last = title == 0 ? kNowhere : text.find_last_not_of(' ', title - 1);
    bare_prefix_ = last == kNowhere ? 0 : last + 1;
    bare_ = true;
    note(region_.mended, Mending::frame, line.place_of(title));
  }

  Transcript with_frame(const Transcript& line) {
    const std::string_view text = line.text();
    const std::size_t start = std::min(bare_prefix_, text.size());
    const std::size_t first = text.find_first_not_of(' ', start);
    if (first != kNowhere && is_divider(without_padding(text.substr(first)))) bare_mark_ = first == start ? "# " : "#";
    Transcript framed;
    framed.fill(bare_mark_, place_of(line, start));
    framed.append(line, start, text.size());
    return framed;
  }

  // --- lines of several processes ------------------------------------------------------------------------------------

  void add(Transcript line) {
    if (!bare_) look_for_bare_title(line);
    if (bare_ && !border_of(line.text())) line = with_frame(line);
    const std::string_view text = line.text();
    const std::size_t box = first_box(text);
    MendedLine& added = lines_.emplace_back();
    added.boxed = box != kNowhere;
    if (added.boxed) added.tag = process_ + tag_of(text.substr(0, box));
    const bool is_sign = added.boxed && follow(added.tag, text.substr(box));
    unsigned_lines_ = is_sign ? 0 : unsigned_lines_ + 1;
    size_ += line.text().size() + added.tag.size() + kBytesOfLine;
    added.end = place_of(line, line.text().size());
    added.text = std::move(line);
  }

  // --- what stands behind the box ------------------------------------------------------------------------------------

  // The length of a border, whatever stands behind it; 0 if the line is none. A progress bar is one of another process.
  std::size_t border_length(const std::string& tag, std::string_view box) const {
    if (const Border border = border_of(box)) return border.length;
    const std::size_t length = hashes_at_start(box);
    if (length < kShortestBorder) return 0;
    const auto opened = progress_.find(tag);
    const bool is_own = width_ != 0 ? length == width_ : opened != progress_.end() && opened->second.open;
    return is_own ? length : 0;
  }

  // Where the box that starts at `box` ends although its line goes on; the size of the line if it does not.
  std::size_t box_end(std::string_view text, std::size_t box) const {
    if (width_ == 0) return text.size();
    if (hashes_at_start(text.substr(box)) == width_) return box + width_;
    const std::size_t last = box + byte_of(text.substr(box), width_ - 1);
    for (const std::size_t end : {last, last + 1})  // there is a heading that is one wider
      if (end < text.size() && text[end] == '#' && text[end - 1] == ' ') return end + 1;
    if (!has_suffix_) return text.size();
    // It is longer than the box, or shorter.
    std::size_t end = text.find('#', last);
    if (end == kNowhere) end = text.rfind(" #") + 1;
    return end > box + 1 ? end + 1 : text.size();
  }

  void without_suffix(MendedLine& line) {
    const std::string_view text = line.text.text();
    const std::size_t box = first_box(text), end = box_end(text, box);
    const std::size_t behind = text.find_first_not_of(' ', end);
    if (behind == kNowhere || first_box(text.substr(behind)) != kNowhere) return;
    if (text.substr(behind).starts_with(R"(\\)")) return;  // a string that lies too deep to be undone
    note(region_.mended, Mending::suffix, line.text.place_of(behind));
    line.text = part_of(line.text, 0, end);
  }

  // A border with the title behind it opens a block, even if the one before was not closed.
  bool is_title_next() const { return next_text().find(kTitle) != kNowhere; }

  // The physical line after this one, without its number.
  // Kept, as a line of many strings asks for it with each.
  std::string_view next_text() const {
    if (at_ >= bytes_.size()) return {};
    if (next_text_at_ != at_) {
      const std::string_view text = line_at(bytes_, at_).text;
      next_text_ = text.substr(numbering_.front_of(text));
      next_text_at_ = at_;
    }
    return next_text_;
  }

  void set(Progress& progress, Progress now) {
    open_ += static_cast<int>(now.open) - static_cast<int>(progress.open);
    told_ += static_cast<int>(now.open && now.has_text) - static_cast<int>(progress.open && progress.has_text);
    progress = now;
  }

  // The title's words may stand behind the right border of any line; the '#' in front of them is that border.
  bool is_in_box(std::size_t title, std::string_view box) const {
    return title != kNowhere && (title == 0 || width_ == 0 || title < byte_of(box, width_ - 1));
  }

  // Is the line a sign of a block?
  bool follow(const std::string& tag, std::string_view box) {
    if (const std::size_t border = border_length(tag, box)) {
      if (width_ == 0 || open_ == 0) width_ = border;
      Progress& progress = progress_[tag];
      const bool is_banner = progress.open && border != width_ && first_box(next_text()) != kNowhere;
      if (is_banner && !is_title_next()) return false;
      set(progress, {!progress.open || !progress.has_text || is_title_next(), false});
      return false;
    }
    const std::size_t title_width = width_of_title(box);
    has_right_border_ |= title_width != 0;
    if (title_width != 0) title_width_ = title_width;
    if (title_width != 0 && title_width < without_padding(box).size()) {
      width_ = title_width;
      has_suffix_ = true;
    }
    const bool title = is_in_box(title_offset(box), box) || is_centred_title(box);
    const bool labelled = title || labels_in(box) > 0;
    if (title) titles_.push_back(tag);
    sure_ |= labelled;
    const auto opened = progress_.find(tag);
    if (labelled || (opened != progress_.end() && opened->second.open)) {
      set(progress_[tag], {true, true});
    }
    // Rows of tables have no labels but are indented.
    return labelled || (sure_ && box.starts_with("#    ")) || (sure_ && !bare_ && box.starts_with("# "));
  }

  // Tag -> stream, if several processes printed at the same time. Prefixes that change all the time say nothing, unless
  // it is one number that changes.
  std::map<std::string, std::size_t> streams_by_tag() {
    if (titles_.size() < 2) return {};
    std::vector<std::string> tags;
    for (const MendedLine& line : lines_) tags.push_back(line.tag);
    for (std::size_t number = 0; number <= kMostNumbers; ++number) {
      std::map<std::string, std::size_t> streams;
      for (const std::string& title : titles_) streams.try_emplace(without_number(title, number), streams.size());
      std::ptrdiff_t boxed = 0, covered = 0;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        lines_[i].tag = without_number(tags[i], number);
        boxed += lines_[i].boxed;
        covered += lines_[i].boxed && streams.contains(lines_[i].tag);
      }
      if (2 * covered >= boxed) return streams;
    }
    return {};
  }

  // Lines of nobody known go to the first stream.
  void write_streams() {
    const std::map<std::string, std::size_t> streams = streams_by_tag();
    if (streams.size() > 1) note(region_.mended, Mending::interleaved, lines_.front().text.place_of(0));
    for (std::size_t i = 0; i < std::max<std::size_t>(streams.size(), 1); ++i)
      region_.streams.push_back(std::make_shared<Transcript>());
    for (MendedLine& line : lines_) {
      if (line.boxed) without_suffix(line);
      const auto own = streams.find(line.tag);
      Transcript& into = *region_.streams[line.boxed && own != streams.end() ? own->second : 0];
      into.append(line.text, 0, line.text.text().size());
      into.append("\n", line.end);
    }
  }

  std::string_view bytes_;
  std::size_t at_;
  std::uint32_t number_;
  Numbering numbering_;
  NextTitle& next_title_;
  std::size_t own_title_ = kNowhere;  // of an open block, behind lines of others; 0: there is none
  MendedRegion region_;
  std::vector<MendedLine> lines_;

  Transcript joined_;                  // pieces of a line so far
  std::size_t joined_characters_ = 0;  // in joined_
  std::size_t pieces_ = 0;             // in joined_
  std::size_t box_in_line_ = 0;        // offset of the border in its line
  std::size_t border_piece_ = 0;       // characters of the first piece of a border that may go on
  std::size_t wrap_ = 0;               // characters at which lines were broken; 0: they were not
  std::size_t line_length_ = 0;        // characters of a whole line with its prefix
  std::size_t width_ = 0;              // of the box in characters, as the first border has it, or the title
  std::size_t title_width_ = 0;        // the same, as the last title has it
  BoxSoFar box_;                       // for decode()
  // By what decode() took off the last line, and the first piece of the joined one.
  std::string process_, joined_process_;

  std::string late_prefix_;  // put in front of the pieces after the line was broken

  bool has_right_border_ = false;  // in the title's line
  bool has_suffix_ = false;        // behind the title's line

  bool bare_ = false;
  std::size_t bare_prefix_ = 0;
  std::string_view bare_mark_ = "# ";

  std::map<std::string, Progress> progress_;     // by tag
  int open_ = 0, told_ = 0;                      // of them; of the open ones with more than the border
  std::size_t size_ = 0;                         // bytes of the lines so far
  mutable std::size_t next_text_at_ = kNowhere;  // what next_text() is known for
  mutable std::string_view next_text_;
  std::vector<std::string> titles_;  // tags of title lines
  bool sure_ = false;                // a title or a label was seen
  int unsigned_lines_ = 0;           // in a row
};

}  // namespace

Error too_long_line(std::uint32_t number) {
  return {{},
          {number, 1},
          "this line has more than " + std::to_string(kLongestLine) + " bytes",
          "take the planner's lines out of it, one a line; after that everything else is read as it is"};
}

std::size_t NextTitle::find(std::string_view bytes, std::size_t from, std::size_t to) {
  if (at_ == kNowhere || at_ < from) {
    const std::size_t start = std::max(from, searched_);
    at_ = start < to ? bytes.substr(0, to).find(kTitle, start) : kNowhere;
    // It may still begin in front of `to` and end behind.
    searched_ = std::max(start, to - std::min(to, kTitle.size()));
  }
  return at_ < to ? at_ : kNowhere;
}

MendedRegion mend(std::string_view bytes, std::size_t start, std::uint32_t number, NextTitle& titles) {
  return Mender(bytes, start, number, titles).run();
}

}  // namespace shardstats::input_detail
