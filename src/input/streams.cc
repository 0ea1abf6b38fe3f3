#include "input/streams.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "input/numbering.h"
#include "input/process.h"
#include "input/rewrite.h"
#include "shardstats/ascii.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kBytesOfLine = 200;  // of memory that a line takes besides its text, about

bool begins_word(std::string_view text, std::size_t at) {
  const auto is_of_word = [](char c) { return is_digit(c) || is_letter(c); };
  return at == 0 || !is_of_word(text[at - 1]) || !is_of_word(text[at]);
}

// The tag without its `number`-th number (1-based) and the blanks around it.
std::string without_number(const std::string& tag, std::size_t number) {
  std::size_t start = 0, end = 0;
  for (std::size_t i = 0; i < number && start != kNowhere; ++i) {
    start = tag.find_first_of(kDigits, end);
    end = start == kNowhere ? end : std::min(tag.find_first_not_of(kDigits, start), tag.size());
  }
  if (start == kNowhere || number == 0) return tag;
  return std::string(trim_right(std::string_view(tag).substr(0, start))) + tag.substr(skip_blanks(tag, end));
}

// The streams of tags that others' text without a line end may stand in front of, and the prefix of a record of many
// lines behind. Lines of nobody known go to the first.
class StreamsByTag {
 public:
  explicit StreamsByTag(const std::map<std::string, std::size_t>& streams) : streams_(streams) {
    constexpr std::size_t kMostLengths = 32;  // of so many, none is looked for behind other text
    for (const auto& [tag, stream] : streams)
      if (!tag.empty()) lengths_.insert(tag.size());
    if (lengths_.size() > kMostLengths) lengths_.clear();
  }

  std::size_t operator()(const std::string& tag) const {
    if (const auto own = streams_.find(tag); own != streams_.end()) return own->second;
    for (const bool at_end : {true, false})
      for (const std::size_t length : lengths_) {
        if (length >= tag.size()) continue;
        const std::size_t start = at_end ? tag.size() - length : 0;
        if (!begins_word(tag, at_end ? start : length)) continue;
        if (const auto own = streams_.find(tag.substr(start, length)); own != streams_.end()) return own->second;
      }
    return 0;
  }

 private:
  const std::map<std::string, std::size_t>& streams_;
  std::set<std::size_t, std::greater<>> lengths_;  // of the tags, the longest first
};

}  // namespace

void Streams::add_line(Transcript line, const std::string& process) {
  const std::string_view text = line.text();
  MendedLine& added = lines_.emplace_back();
  added.box = first_box(text);
  if (added.has_box()) {
    added.tag = process + tag_of(text.substr(0, added.box));
    region_.blocks.follow(added.tag, text.substr(added.box));
  } else {
    region_.blocks.follow_other(text);
  }
  bytes_ += line.text().size() + added.tag.size() + kBytesOfLine;
  added.end = region_.lines.place_of(line, line.text().size());
  added.text = std::move(line);
}

// Tag -> stream, if several processes printed at the same time. Prefixes that change all the time say nothing, unless
// it is one number that changes.
std::map<std::string, std::size_t> Streams::streams_by_tag() {
  const BlocksSoFar::Processes processes = region_.blocks.processes();
  if (processes.tags.empty()) return {};
  std::vector<std::string> tags;
  for (const MendedLine& line : lines_) tags.push_back(line.tag);
  for (std::size_t number = 0; number <= kMostNumbers; ++number) {
    std::map<std::string, std::size_t> streams;
    for (const std::string& process : processes.tags)
      streams.try_emplace(without_number(process, number), streams.size());
    std::size_t boxed = 0, covered = 0, changes = 0;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      lines_[i].tag = without_number(tags[i], number);
      if (!lines_[i].has_box()) continue;
      ++boxed;
      const auto stream = streams.find(lines_[i].tag);
      if (stream == streams.end()) continue;
      ++covered;
      changes += last && *last != stream->second;
      last = stream->second;
    }
    // Without titles, lines that follow each other may be those of one process whose prefix changed.
    if (2 * covered >= boxed && (processes.have_titles || changes >= streams.size())) return streams;
  }
  return {};
}

// As the title of the process tells, whose plan may be another one than that of the others.
std::size_t Streams::width_of_box(const std::vector<MendedLine*>& lines) const {
  for (const MendedLine* line : lines)
    if (const std::size_t width = line->has_box() ? width_of_title(line->box_text()) : 0; width != 0) return width;
  return region_.blocks.width();
}

// Where the box that starts at `box` ends although its line goes on; the size of the line if it does not.
std::size_t Streams::box_end(std::string_view text, std::size_t box, std::size_t width) const {
  if (width == 0) return text.size();
  if (hashes_at_start(text.substr(box)) == width) return box + width;
  const std::size_t last = box + byte_of(text.substr(box), width - 1);
  for (const std::size_t end : {last, last + 1})  // there is a heading that is one wider
    if (end < text.size() && text[end] == '#' && text[end - 1] == ' ') return end + 1;
  if (!region_.blocks.has_suffix()) return text.size();
  // It is longer than the box, or shorter.
  std::size_t end = text.find('#', last);
  if (end == kNowhere) end = text.rfind(" #") + 1;
  return end > box + 1 ? end + 1 : text.size();
}

// The box may become another one with the border in front of a title.
void Streams::remove_suffixes(const std::vector<MendedLine*>& lines) {
  std::size_t width = width_of_box(lines);
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (!(*line)->has_box()) continue;
    const auto next = std::find_if(line + 1, lines.end(), [](const MendedLine* one) { return one->has_box(); });
    const std::size_t of_next = next != lines.end() ? width_of_title((*next)->box_text()) : 0;
    if (of_next != 0) width = of_next;
    remove_suffix(**line, width);
  }
}

void Streams::remove_suffix(MendedLine& line, std::size_t width) {
  const std::string_view text = line.text.text();
  const std::size_t end = box_end(text, line.box, width);
  const std::size_t behind = skip_blanks(text, end);
  if (behind == text.size() || first_box(text.substr(behind)) != kNowhere) return;
  if (text.substr(behind).starts_with(R"(\\)")) return;  // a string that lies too deep to be undone
  region_.note(Mending::suffix, line.text.place_of(behind));
  line.text = part_of(line.text, 0, end);
}

// Of lines that stand twice, one after the other, the first ones are kept. The closing border ends the region, so that
// of the last pair only one is here; lines of others may stand between two, and some lines may have come once.
void Streams::remove_doubles() {
  constexpr std::size_t kFewestPairs = 4, kPairsForSingle = 8;
  std::vector<bool> is_again(lines_.size());
  std::size_t pairs = 0, singles = 0;
  const MendedLine* open = nullptr;  // whose double is looked for
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].has_box()) continue;
    is_again[i] = open != nullptr && open->box_text() == lines_[i].box_text();
    pairs += is_again[i];
    singles += open != nullptr && !is_again[i];
    open = is_again[i] ? nullptr : &lines_[i];
  }
  were_doubled_ = pairs >= kFewestPairs && kPairsForSingle * singles <= pairs;
  if (!were_doubled_) return;
  region_.note(Mending::doubled, lines_.front().text.place_of(0));
  std::vector<MendedLine> once;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (!is_again[i]) once.push_back(std::move(lines_[i]));
  lines_ = std::move(once);
}

// Log viewers show the newest line first: the border that opens a block then stands behind its title, and the block in
// front of it.
bool Streams::is_newest_first(const std::vector<MendedLine*>& lines) const {
  constexpr std::size_t kFewestLines = 3;  // in front of the title
  std::vector<std::string_view> boxes;
  for (const MendedLine* line : lines)
    if (line->has_box()) boxes.push_back(line->box_text());
  const auto is_title = [](std::string_view box) { return title_offset(box) != kNowhere; };
  const auto title = std::ranges::find_if(boxes, is_title);
  return title - boxes.begin() >= static_cast<std::ptrdiff_t>(kFewestLines) && boxes.end() - title > 1 &&
         border_of(title[1]) && !border_of(title[-1]);
}

std::vector<std::shared_ptr<Transcript>> Streams::write() {
  const std::map<std::string, std::size_t> by_tag = streams_by_tag();
  if (by_tag.size() > 1)
    region_.note(Mending::interleaved, lines_.front().text.place_of(0));
  else
    remove_doubles();
  const StreamsByTag stream_of(by_tag);
  std::vector<std::vector<MendedLine*>> lines(std::max<std::size_t>(by_tag.size(), 1));
  for (MendedLine& line : lines_) lines[line.has_box() ? stream_of(line.tag) : 0].push_back(&line);
  std::vector<std::shared_ptr<Transcript>> streams;
  for (auto& of_stream : lines) {
    remove_suffixes(of_stream);
    if (is_newest_first(of_stream)) {
      region_.note(Mending::reversed, of_stream.front()->text.place_of(0));
      std::ranges::reverse(of_stream);
    }
    Transcript& into = *streams.emplace_back(std::make_shared<Transcript>());
    for (const MendedLine* line : of_stream) {
      into.append(line->text);
      into.append("\n", line->end);
    }
  }
  return streams;
}

}  // namespace shardstats::input_detail
