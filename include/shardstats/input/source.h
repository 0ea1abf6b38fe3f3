// Opening logs: files (mapped), standard input, compressed content (gzip, zstd, xz, bzip2 by magic bytes), UTF-16,
// lines that end in a carriage return.
//
// Invariant: a Source's bytes stay valid and unchanged while the Source lives; every string_view of a parsed log
// points into them. Tested by tests/input/source_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace shardstats {

// Where something stands in the decompressed log: line and byte column, both 1-based; 0 = nowhere.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend constexpr bool operator==(Place, Place) = default;
};

// What went wrong, where, and what to try; rendered in one place (cli).
struct Error {
  std::string path;     // "<stdin>" for standard input
  Place place;          // {} if the whole file is meant
  std::string message;  // one sentence: what was wrong
  std::string hint;     // what to try; may be empty
};

// What is wrong with the compressed form of a log.
enum class ContentFault : std::uint8_t {
  none,
  ends_early,  // the rest of it is missing
  broken,      // from some byte on it cannot be decompressed
  checksum,    // what came out is not what went in
  trailing,    // something else follows it
};

// Content that was decompressed as far as possible.
struct ContentDamage {
  ContentFault fault = ContentFault::none;
  Error error;  // if there is no block in what came out
};

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view bytes() const = 0;
  // The bytes before `end` will hardly be looked at again: their memory may go. They stay readable.
  virtual void release(std::size_t /*end*/) const {}
  // Bytes of memory that it takes whether they are looked at or not: none of a mapped file.
  virtual std::size_t held() const { return bytes().size(); }
  // Was it UTF-16? The bytes are its UTF-8 form.
  virtual bool is_recoded() const { return false; }
  // Did its lines end in a carriage return alone? They end in a line feed in the bytes.
  virtual bool has_new_line_ends() const { return false; }
  // Null: the bytes are the whole log.
  virtual const ContentDamage* damage() const { return nullptr; }
  // What happened to the file since it was opened, so that some of the bytes read as zeros; empty: nothing.
  virtual std::string_view loss() const { return {}; }
};

// Either the opened log or the reason why not. `path` "-" is standard input.
using OpenResult = std::variant<std::unique_ptr<Source>, Error>;
OpenResult open_source(const std::string& path);

// For a handler of SIGBUS, which a mapped log raises where it was cut short since, or cannot be read: zeros take the
// place of the page, and loss() of the log tells. False: there is no mapped log at the address. Does no more than what
// a handler may do on Linux.
bool replace_lost_page(void* address);

// The same from the bytes of a file of that name.
OpenResult source_from_file(std::string bytes, const std::string& name);

// The loss() of a log of that name, and what to try; none: it has lost nothing.
std::optional<Error> lost_content(const Source& log, const std::string& name);

// A source over bytes in memory, as they are.
std::unique_ptr<Source> source_from(std::string bytes);

}  // namespace shardstats
