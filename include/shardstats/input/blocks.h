// Finds planner blocks anywhere in a log, behind any logger prefix, and undoes what happened to their lines on the way
// (log-format.md sections 1 and 8).
//
//   2024-05-01 12:00:00 INFO ...stats: ######################      <- opening border
//   2024-05-01 12:00:00 INFO ...stats: #  --- Planner Statistics ---  #
//   ...
//   2024-05-01 12:00:00 INFO ...stats: ######################      <- closing border
//
// A block is the list of its box lines with the prefix removed. Undamaged lines are views of the log's bytes. Where
// lines were wrapped, glued, escaped, coloured or mixed with those of other processes, they are views of a Transcript:
// the text written anew, every byte of it with its place in the log. Tested by tests/input/blocks_test.cc and
// tests/input/mend_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/source.h"

namespace shardstats {

// Text that was put together from pieces of a log.
class Transcript {
 public:
  // `place`: of the text's first byte; the other bytes follow it in the same line.
  void append(std::string_view text, Place place) { add(text, place, false); }
  // Text that the log does not have: all of it is at `place`.
  void fill(std::string_view text, Place place) { add(text, place, true); }
  // The bytes [start, end) of another transcript with their places.
  void append(const Transcript& from, std::size_t start = 0, std::size_t end = std::string_view::npos);

  std::string_view text() const { return text_; }
  // Of a byte of the text, or of its end.
  Place place_of(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t offset;  // where it starts in the text
    Place place;         // of its first byte
    bool filled;         // of its other bytes, too
  };
  void add(std::string_view text, Place place, bool filled);
  static Place place_in(const Piece& piece, std::size_t offset);
  std::string text_;
  std::vector<Piece> pieces_;  // ascending by offset
};

struct BoxLine {
  std::string_view text;                   // from the first '#' of the box to the last byte that is no line end
  Place place;                             // of text's first byte
  const Transcript* transcript = nullptr;  // that `text` is a part of; null: the log itself

  Place place_of(std::size_t offset) const {
    return transcript != nullptr ? place_in_transcript(offset) : place_in_log(offset);
  }
  // The same where `text` is a part of the log itself.
  Place place_in_log(std::size_t offset) const {
    return {place.line, place.column + static_cast<std::uint32_t>(offset)};
  }

 private:
  Place place_in_transcript(std::size_t offset) const;
};

// What was undone without loss, or left out, to read a block.
enum class Mending : std::uint8_t {
  prefix,       // text of a logger in front of the lines
  suffix,       // text behind the right border
  encoding,     // UTF-16
  line_ends,    // a carriage return alone
  mark,         // the byte order mark of UTF-8
  colours,      // escape sequences of a terminal
  blanks,       // tabs, non-breaking and other blanks, NUL bytes
  escapes,      // lines inside JSON strings, a Python list or HTML
  beside,       // whole lines of the box beside such strings, left out
  wrapped,      // lines broken at the width of a terminal
  glued,        // several lines on one
  interleaved,  // lines of several processes in turn
  doubled,      // each line stands twice
  reversed,     // the newest line stands first
  merged,       // lines of other workers that Ray shows as one, left out
  foreign,      // whole lines that do not belong to the box
  frame,        // the '#' on both sides is gone
};

struct Mended {
  Mending what;
  Place first;  // where it was first seen
};

// The block that another process printed at the same time.
struct Twin {
  std::size_t block = 0;  // 0-based number of the first of them in the log
  bool same = false;      // all lines are equal to that one's; of the first itself: to those of all others
};

struct Block {
  std::vector<BoxLine> lines;    // opening border first; never empty
  bool opened = false;           // has an opening border
  bool closed = false;           // has a closing border; false: truncated
  bool ends_log = false;         // no line of the log follows
  bool is_plain = false;         // all lines are known to have only characters of ASCII that are seen
  std::vector<BoxLine> foreign;  // whole lines between the box lines that do not belong to the box
  std::vector<Mended> mended;    // at most one of a kind
  std::optional<Twin> twin;
  // Of the compressed log: the last block tells it, or each one where none is sure to be right.
  ContentFault fault = ContentFault::none;
  std::shared_ptr<const Transcript> transcript;  // of `lines`, if they are not the log's own
};

// Reads the blocks of a log one after the other, in the order of their first lines; those of several processes that
// are mixed line by line come together. The bytes outlive the blocks. Of a long log only the part around the next block
// is kept in memory (Source::release).
class BlockFinder {
 public:
  explicit BlockFinder(std::string_view bytes);
  explicit BlockFinder(const Source& source);
  ~BlockFinder();
  BlockFinder(const BlockFinder&) = delete;
  BlockFinder& operator=(const BlockFinder&) = delete;

  // nullopt: no further block, or see problem().
  std::optional<Block> next();
  // Why what follows the last block was not read: it is beyond a bound of limits.h. Its path is empty.
  const std::optional<Error>& problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All blocks of bytes that are within the bounds of limits.h; no block: empty. Of what is beyond them nothing is said:
// use BlockFinder for logs of others.
std::vector<Block> find_blocks(std::string_view bytes);

// The line most like a part of a block, to show when no block was found; place.line is 0 if there is none.
BoxLine nearest_line(std::string_view bytes);

}  // namespace shardstats
