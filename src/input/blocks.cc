#include "shardstats/input/blocks.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "input/block_reader.h"
#include "input/box.h"
#include "input/colours.h"
#include "input/decode.h"
#include "input/lines.h"
#include "input/mend.h"
#include "input/mended_blocks.h"
#include "input/ray.h"
#include "input/wrapped_records.h"

namespace shardstats {
namespace {

using namespace input_detail;

constexpr std::size_t kSearched = std::size_t{8} << 20;  // bytes searched for a sign at once
constexpr int kPiecesBack = 60;                          // pieces of wrapped lines between a border and the first sign

// What tells that a block, or a part of one, stands there.
constexpr std::string_view kSigns[] = {"############################################################",
                                       "Planner Statistics", "HBM (GB)", "Parameter Info:", "Compute Kernels"};

// Of a border that was wrapped. A console may have blanks or the source's place behind a piece, and the last one may be
// short; in a container a quote is behind it, maybe of a string in a string and with a line end in front.
bool is_border_piece(const Line& line) {
  if (hashes_at_end(line.text) >= kLeastWrapped) return true;
  const std::size_t start = first_wrapped_border(line.text);
  if (start == kNowhere || start == 0) return false;
  const std::string_view behind = line.text.substr(start + hashes_at_start(line.text.substr(start)));
  const bool is_of_console = line.text[start - 1] == ' ' && behind.starts_with(' ');
  const std::string_view quote = behind.substr(std::min(behind.find_first_not_of("\\rn"), behind.size()));
  return is_of_console || quote.starts_with('"') || quote.starts_with('\'') || quote.starts_with(kEscape);
}

bool has_only_hashes(const Line& line) { return is_run_of_hashes(trim_left(trim_right(line.text))); }

}  // namespace

struct BlockFinder::State {
  State(std::string_view bytes, const Source* of) : lines(bytes), source(of) {}

  // Box lines, or pieces of a border, in front of the line of a sign: starts of lines.
  struct Run {
    std::size_t sign = kNowhere;
    std::size_t end = kNowhere;  // of the last of them; of the sign's line if they stand directly in front of it
  };

  Lines lines;
  const Source* source;
  std::vector<NextText> signs{std::begin(kSigns), std::end(kSigns)};
  LogSoFar log;
  std::size_t from = 0;
  std::size_t released = 0;
  std::size_t count = 0;  // blocks handed out
  std::deque<Block> found;
  std::optional<Block> ahead;  // of a damaged log
  std::optional<Error> problem;
  std::size_t damaged_to = 0;   // what stands before was read as undamaged in vain
  Run run;                      // the last one that was walked through
  std::optional<Place> merged;  // line of Ray that stands for those of several workers: the next block tells it

  // The block whose border or title stands in `first`, if nothing had to be undone to read it.
  std::optional<Block> read_undamaged(const Line& first) {
    Line line = first;
    for (int i = 0; i < kLookBack && title_offset(line.text) == kNowhere; ++i) {
      // Of two borders the first one closes a block whose start is lost.
      if (line.next >= lines.size() || static_cast<bool>(border_of(line.text)) != (i == 0)) return std::nullopt;
      line = lines.line_from(line.next);
    }
    const std::size_t offset = title_offset(line.text);
    // Damaged lines are mended in parts, and each part asks again.
    if (offset == kNowhere || line.start < damaged_to) return std::nullopt;
    ReadBlock read = read_block(lines, line, offset, from);
    if (read.is_suspicious) {
      damaged_to = read.end;
      return std::nullopt;
    }
    problem = std::move(read.problem);
    from = read.end;
    return std::move(read.block);
  }

  static std::size_t width_of(const Line& line) {
    constexpr std::size_t kLongest = 4096;  // bytes: no terminal is as wide
    return line.text.size() > kLongest ? 0 : characters(line.text);
  }
  std::size_t widest_from(Line line) const {
    constexpr int kLines = 4;
    std::size_t widest = width_of(line);
    for (int i = 1; i < kLines && line.next < lines.size(); ++i) {
      line = lines.line_from(line.next);
      widest = std::max(widest, width_of(line));
    }
    return widest;
  }

  // Box lines may stand in front of the first sign where a block lacks its start; pieces of the border where it was
  // wrapped.
  Line first_of_region(const Line& sign) {
    const bool is_left_in_part = sign.start == run.sign && from <= run.end;
    if (is_left_in_part) return lines.line_from(from);
    // All other signs of what a closing border ends may be cut off, so that lines of others stand between.
    const bool may_close = border_of(sign.text) && lines.line_from(sign.next).text.find(kTitle) == kNowhere;
    const int most_foreign = may_close ? kMostForeignOfPart : 0;
    Line line = sign;
    for (int i = 0; i < kPiecesBack && line.start > from && !is_border_piece(line); ++i) line = lines.line_before(line);
    const std::size_t run_end = is_border_piece(line) ? line.start : sign.start;
    line = lines.line_from(run_end);
    Line first = line;
    constexpr int kMostBehindForeign = 1000;  // lines: the end of a block is short
    std::size_t widest = widest_from(sign);   // as a terminal is that broke lines
    int inner = 0;                            // pieces in a row with neither end of a line
    std::optional<Line> behind_inner;         // what was the first line when the first of them came
    for (int foreign = 0, read = 0; line.start > from && foreign <= most_foreign; ++read) {
      if (read > kMostBehindForeign && foreign > 0) break;
      const Line before = lines.line_before(line);
      const bool is_piece = is_border_piece(before) || begins_border(before.text, line.text) || has_only_hashes(before);
      line = before;
      if (first_box(before.text) != kNowhere || is_piece) {
        first = before;
        foreign = inner = 0;
        widest = std::max(widest, width_of(before));
      } else if (most_foreign == 0 && width_of(before) == widest && inner < kPiecesBack) {
        ++inner;
        if (!behind_inner) behind_inner = first;
      } else {
        ++foreign;
      }
    }
    if (behind_inner && !WrappedRecords(lines.bytes(), first.start).are_any()) first = *behind_inner;
    run = {sign.start, run_end};
    return first;
  }

  // Was the border at the sign, or in front of the title there, broken with a '=' at the end, as quoted-printable text
  // is?
  bool is_in_quoted_printable(const Line& sign) const {
    constexpr std::size_t kLeast = 70, kLongest = 76;  // characters of a broken line (RFC 2045)
    constexpr int kLinesBack = 4;                      // pieces of the border and of the title's line
    Line line = sign;
    for (int i = 0; i <= kLinesBack; ++i) {
      const bool is_broken = line.text.size() >= kLeast && line.text.size() <= kLongest && line.text.ends_with("##=");
      if (is_broken && line.next < lines.size()) return lines.line_from(line.next).text.starts_with("##");
      if (line.start <= from) return false;
      line = lines.line_before(line);
    }
    return false;
  }

  Error quoted_printable(const Line& sign) {
    return {{},
            {lines.number(sign), 1},
            "this planner block stands in quoted-printable text, as mails have it, which is not read",
            "`python3 -m quopri -d LOG | shardstats -`"};
  }

  void mend_from(const Line& first) {
    const MendedRegion region = mend(lines.bytes(), first.start, lines.number(first.start), log);
    from = std::max(region.end, first.next);
    Found mended = blocks_of(region, count);
    problem = std::move(mended.problem);
    const auto of_ray = std::ranges::find(region.mended, Mending::merged, &Mended::what);
    if (mended.blocks.empty() && of_ray != region.mended.end()) see_merged(of_ray->first);
    found.assign(std::move_iterator(mended.blocks.begin()), std::move_iterator(mended.blocks.end()));
  }

  // The next sign, looked for piece by piece so that what lies before it need not stay in memory. `from` follows.
  std::size_t next_sign() {
    for (std::size_t size = kSearched;; size *= 2) {
      const std::size_t to = std::min(from + std::min(size, lines.size()), lines.size());
      std::size_t sign = to;  // up to the nearest one so far
      for (NextText& next : signs) sign = std::min(sign, next.find(lines.bytes(), from, sign));
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

  // Lines of others behind the last block are read with it where it was mended.
  bool ends_in_box() const {
    const std::size_t last = lines.bytes().find_last_not_of(std::string_view(" \r\n\0", 4));
    return last != kNowhere && lines.bytes()[last] == '#';
  }

  void see_merged(Place place) {
    if (!merged) merged = place;
  }

  // Reads until there are blocks.
  void find_more() {
    while (found.empty() && !problem) {
      const std::size_t sign = next_sign();
      if (sign == kNowhere) return;
      lines.remember(from);
      const Line first = lines.line_around(sign);
      if (is_merged_by_ray(first.text)) {
        see_merged({lines.number(first), 1});
        from = first.next;
        continue;
      }
      if (std::optional<Block> block = read_undamaged(first); block && !problem)
        found.push_back(std::move(*block));
      else if (!block && is_in_quoted_printable(first))
        problem = quoted_printable(first);
      else if (!block)
        mend_from(first_of_region(first));
    }
  }

  std::optional<Block> next() {
    find_more();
    if (found.empty()) return std::nullopt;
    Block block = std::move(found.front());
    found.pop_front();
    block.ends_log = found.empty() && from >= lines.size() && ends_in_box();
    ++count;
    // What Ray merged stands below the lines that it repeats.
    if (found.empty() && from > 0 && is_shown_by_ray(lines.line_around(from - 1).text)) find_more();
    if (merged) note(block.mended, Mending::merged, *std::exchange(merged, std::nullopt));
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
  if (!block || state_->source == nullptr) return block;
  if (state_->source->is_recoded()) note(block->mended, Mending::encoding, {1, 1});
  if (state_->source->has_new_line_ends()) note(block->mended, Mending::line_ends, {1, 1});
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
