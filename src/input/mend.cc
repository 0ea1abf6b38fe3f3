#include "input/mend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "input/box.h"
#include "input/console.h"
#include "input/csv.h"
#include "input/decode.h"
#include "input/documents.h"
#include "input/process.h"
#include "input/process_columns.h"
#include "input/ray.h"
#include "input/reframe.h"
#include "input/region.h"
#include "input/streams.h"
#include "input/unglue.h"
#include "input/unwrap.h"
#include "input/yaml.h"
#include "shardstats/limits.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kTitleAhead = std::size_t{1} << 23;  // bytes in which the title of an open block is looked for

// Where the string begins that goes on at the end of the text; an escaped quote is part of it.
std::size_t opening_quote(std::string_view text, char quote) {
  std::size_t open = text.rfind(quote);
  while (open != kNowhere && open > 0 && text[open - 1] == '\\') open = text.rfind(quote, open - 1);
  return open;
}

// What a container wrote, in a record of its runtime.
struct PartOfRecord {
  std::size_t start = 0, end = 0;
  std::string_view stream{};  // parts of several streams stand in turn
  bool goes_on = false;       // in the next record of the stream
};

// Of Docker: {"log":"...","stream":"stderr",...}. It takes so many bytes at a time; the last part ends in a line feed.
std::optional<PartOfRecord> part_of_docker(std::string_view text) {
  constexpr std::string_view kFront = "{\"log\":\"", kStream = "\"stream\":\"";
  constexpr std::size_t kMostBytes = 16384;
  if (!text.starts_with(kFront)) return std::nullopt;
  PartOfRecord part{kFront.size(), kFront.size()};
  std::size_t bytes = 0;
  bool ends_line = false;
  for (; part.end < text.size() && text[part.end] != '"'; ++bytes) {
    const bool is_escape = text[part.end] == '\\';
    ends_line = is_escape && text.substr(part.end + 1).starts_with('n');
    part.end += !is_escape ? 1 : text.substr(part.end + 1).starts_with('u') ? 6 : 2;
  }
  if (part.end >= text.size()) return std::nullopt;  // cut off
  part.goes_on = bytes == kMostBytes && !ends_line;
  if (const std::size_t stream = text.find(kStream, part.end); stream != kNowhere)
    part.stream = text.substr(stream, text.find('"', stream + kStream.size()) - stream);
  return part;
}

// Of the Container Runtime Interface: "2026-11-27T12:34:56.123456789Z stderr P ..."; the last part has "F".
std::optional<PartOfRecord> part_of_cri(std::string_view text) {
  const std::size_t time = text.find(' ');
  if (time == kNowhere) return std::nullopt;
  const std::string_view rest = text.substr(time);
  for (const std::string_view stream : {" stdout ", " stderr "})
    for (const std::string_view tag : {"P ", "F "})
      if (rest.starts_with(stream) && rest.substr(stream.size()).starts_with(tag))
        return PartOfRecord{time + stream.size() + tag.size(), text.size(), stream, tag == "P "};
  return std::nullopt;
}

std::optional<PartOfRecord> part_of_record(std::string_view text) {
  const std::optional<PartOfRecord> of_docker = part_of_docker(text);
  return of_docker ? of_docker : part_of_cri(text);
}

// Reads the physical lines, as many as the region has, and hands on what they stand for.
class Mender {
 public:
  Mender(std::string_view bytes, std::size_t start, std::uint32_t number, LogSoFar& log)
      : region_(bytes, start, number, log), columns_(bytes, start), scalars_(bytes, start) {}

  MendedRegion run() {
    while (lines_.has_next() && !is_over() && !problem_) read_line();
    console_.end_joined();
    unwrapper_.end_joined();
    auto streams = streams_.write();
    skip_double();
    return {std::move(streams), std::move(region_.mended), lines_.at(), std::move(problem_)};
  }

 private:
  // The closing border ends the region; where each line stands twice (Streams::remove_doubles), it does, too. That in
  // front of a title opens the next block.
  void skip_double() {
    const Border last = border_of(lines_.text()), next = border_of(lines_.next_text());
    if (!streams_.were_doubled() || !last || !next || last.length != next.length) return;
    PhysicalLines ahead = lines_;
    ahead.read();
    if (ahead.next_text().find(kTitle) == kNowhere) lines_.read();
  }

  bool is_over() {
    if (!unwrapper_.joined().empty() || console_.is_joining()) return false;
    if (blocks_.is_lost()) return true;
    if (blocks_.is_in_doubt() && !is_own_title_ahead()) return true;
    return blocks_.is_all_closed();
  }

  // Does the title of a block that was opened come behind the lines of others? It is as wide as the border, and has
  // none of its own.
  bool is_own_title_ahead() {
    if (own_title_ == kNowhere) own_title_ = look_for_own_title();
    return lines_.at() <= own_title_;
  }

  // Where it starts; 0 if there is none.
  std::size_t look_for_own_title() {
    const std::string_view bytes = lines_.bytes();
    const std::size_t from = lines_.at();
    const std::size_t title =
        region_.log.next_title.find(bytes, from, from + std::min(kTitleAhead, bytes.size() - from));
    if (title == kNowhere) return 0;
    const std::size_t start = bytes.rfind('\n', title) + 1;
    const std::string_view text = line_at(bytes, start).text;
    const std::size_t box = title_offset(text);
    if (box == kNowhere || start < from || width_of_title(text.substr(box)) != blocks_.width()) return 0;
    const bool has_border = static_cast<bool>(border_of(line_before(bytes, start).text));
    return blocks_.is_open(tag_of(text.substr(0, box))) && !has_border ? title : 0;
  }

  void read_line() {
    const std::string_view text = lines_.read();
    if (text.size() > kLongestLine && !blocks_.is_sure() && !has_title_or_label(text))
      blocks_.skip();
    else if (text.size() > kLongestLine)
      problem_ = too_long_line(lines_.number());
    else if (is_full())
      report_full();
    else
      decode_and_unwrap(joined_line());
  }

  // The line that was just read, with those that go on with it.
  Transcript joined_line() {
    if (lines_.goes_on()) return joined_pieces();
    if (std::optional<Transcript> scalar = joined_scalar()) return *std::move(scalar);
    if (std::optional<Transcript> records = joined_records()) return *std::move(records);
    return joined_literals();
  }

  // YAML folds long scalars, as a terminal breaks lines.
  std::optional<Transcript> joined_scalar() {
    const Place first = lines_.column(0);
    std::optional<Transcript> scalar = scalars_.read(lines_);
    if (scalar && lines_.column(0) != first) region_.note(Mending::wrapped, first);
    return scalar;
  }

  // A terminal breaks a record wherever its width is over, so that no container can be seen in the pieces.
  Transcript joined_pieces() {
    Transcript line;
    region_.note(Mending::wrapped, lines_.column(0));
    lines_.append_to(line);
    while (lines_.goes_on() && line.text().size() <= kLongestLine) {
      line.fill(std::string(lines_.lost_blanks(), ' '), lines_.column(lines_.text().size()));
      lines_.read();
      lines_.append_to(line);
    }
    return line;
  }

  bool is_full() const { return streams_.bytes() + unwrapper_.joined().size() > kMostMended; }

  void report_full() {
    problem_ = Error{{},
                     lines_.column(0),
                     "more than " + std::to_string(kMostMended) + " bytes of damaged lines follow each other",
                     "cut the log before this line and pass the parts one by one"};
  }

  void decode_and_unwrap(Transcript line) {
    const std::string process = columns_.process_of(line.text());
    for (Transcript& record : records_of_processes(std::move(line)))
      if (!problem_) decode_record(std::move(record), process);
  }

  void decode_record(Transcript line, const std::string& process) {
    box_.width = blocks_.width() != 0 ? blocks_.width() : hashes_at_end(unwrapper_.joined());
    box_.goes_on = !unwrapper_.joined().empty() || console_.is_joining();
    Decoded decoded = decode(std::move(line), box_, region_.mended);
    decoded.process.insert(0, process);
    for (Transcript& text : decoded.lines) {
      if (is_full()) return report_full();
      if (is_merged_by_ray(text.text())) {
        region_.note(Mending::merged, lines_.column(0));
        blocks_.skip();
        continue;
      }
      console_.add_line(std::move(text), decoded.process);
    }
  }

  // The record in the next line, if it goes on with what this part began.
  std::optional<PartOfRecord> next_part(const PartOfRecord& part, const Transcript& line) const {
    const std::string_view text = lines_.next_text();
    if (!part.goes_on || line.text().size() + text.size() > kLongestLine) return std::nullopt;
    const auto next = part_of_record(text);
    return next && next->stream == part.stream ? next : std::nullopt;
  }

  // A container's runtime splits what is longer than it takes into several records.
  std::optional<Transcript> joined_records() {
    Transcript line;
    std::optional<PartOfRecord> part = part_of_record(lines_.text());
    std::optional<PartOfRecord> next = part ? next_part(*part, line) : std::nullopt;
    if (!next) return std::nullopt;
    region_.note(Mending::wrapped, lines_.column(0));
    std::size_t start = 0;  // of the first part all that stands in front of it stays, too
    for (; next; next = next_part(*part, line)) {
      lines_.append_to(line, start, part->end);
      const std::size_t front = lines_.front_of(lines_.read());
      part = PartOfRecord{next->start + front, next->end + front, next->stream, next->goes_on};
      start = part->start;
    }
    lines_.append_to(line, start);
    return line;
  }

  // Python's pprint breaks a long string behind a blank: '#  ' in one line, '--- ' and so on in the next ones.
  Transcript joined_literals() {
    Transcript line;
    std::size_t start = lines_.front_of(lines_.text());
    if (start > 0) region_.note(Mending::prefix, lines_.column(0));
    for (std::size_t next; (next = rest_of_literal(line.text().empty())) != 0 &&
                           line.text().size() + lines_.next_text().size() <= kLongestLine;) {
      lines_.append_to(line, start, std::max(start + 1, lines_.text().size()) - 1);
      start = lines_.front_of(lines_.read()) + next;
    }
    lines_.append_to(line, start);
    return line;
  }

  // Where the whole box line ends that the text begins with, or kNowhere.
  std::size_t end_of_whole_line(std::string_view text) const {
    const std::size_t width = blocks_.width();
    if (width == 0) {
      const std::string_view own = trim_right(text);
      return border_of(own) || (own.size() > 1 && own.ends_with(" #")) ? text.size() : kNowhere;
    }
    if (hashes_at_start(text) == width) return width;
    for (const std::size_t one : {width, width + 1})  // there is a heading that is one wider
      if (begins_with_box_line(text, one)) return right_border(text, one) + 1;
    return kNowhere;
  }

  // Behind the quote at which a string begins the line; 0 if none does.
  static std::size_t start_of_string(std::string_view line, char quote) {
    const std::size_t open = skip_blanks(line, 0);
    return line.substr(open).starts_with(quote) ? open + 1 : 0;
  }
  static bool ends_piece(std::string_view line) { return line.ends_with(" '") || line.ends_with(" \""); }

  // The first pieces may be those of a prefix: does a box line begin in one of the next?
  bool box_follows(char quote) const {
    constexpr int kMostPieces = 16;
    PhysicalLines ahead = lines_;
    for (int i = 0; i < kMostPieces; ++i) {
      const std::string_view text = ahead.next_text();
      const std::size_t start = start_of_string(text, quote);
      if (start == 0) return false;
      const std::string_view piece = text.substr(start);
      const std::size_t box = first_box(piece);
      if (box != kNowhere) return box == 0 || end_of_whole_line(piece.substr(box)) == kNowhere;
      if (!ends_piece(text)) return false;
      ahead.read();
    }
    return false;
  }

  // Does the string that ends this line hold the first piece of a box line with its prefix?
  bool ends_in_first_piece(std::string_view text) const {
    const std::string_view without_end = text.substr(0, text.size() - 1);
    const std::size_t open = opening_quote(without_end, text.back());
    if (open == kNowhere) return false;
    std::string_view piece = without_end.substr(open + 1);
    std::size_t box = first_box(piece);
    if (box == kNowhere) return box_follows(text.back());
    while (box != kNowhere) {
      piece.remove_prefix(box);
      const std::size_t end = end_of_whole_line(piece);
      if (end == kNowhere) return true;
      piece.remove_prefix(end);
      box = first_box(piece);
    }
    return false;
  }

  // Behind the quote at which the string that ends this line goes on in the next one; 0 if it does not.
  std::size_t rest_of_literal(bool is_first) const {
    const std::string_view text = lines_.text();
    if (!ends_piece(text) || begins_with_field_in_quotes(lines_.next_text())) return 0;
    const std::size_t start = start_of_string(lines_.next_text(), text.back());
    return start == 0 || (is_first && !ends_in_first_piece(text)) ? 0 : start;
  }

  Region region_;
  PhysicalLines& lines_ = region_.lines;
  BlocksSoFar& blocks_ = region_.blocks;
  BoxSoFar& box_ = region_.box;
  Streams streams_{region_};
  Framer framer_{region_, streams_};
  Ungluer ungluer_{region_, framer_};
  Unwrapper unwrapper_{region_, ungluer_};
  Console console_{region_, unwrapper_, ungluer_};
  ProcessColumns columns_;
  FoldedScalars scalars_;
  std::size_t own_title_ = kNowhere;  // of an open block, behind lines of others; 0: there is none
  std::optional<Error> problem_;
};

}  // namespace

Error too_long_line(std::uint32_t number) {
  return {{},
          {number, 1},
          "this line has more than " + std::to_string(kLongestLine) + " bytes",
          "take the planner's lines out of it, one a line; after that everything else is read as it is"};
}

MendedRegion mend(std::string_view bytes, std::size_t start, std::uint32_t number, LogSoFar& log) {
  return Mender(bytes, start, number, log).run();
}

}  // namespace shardstats::input_detail
