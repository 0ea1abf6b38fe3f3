// The logs that a command line names, one after the other: files as they are; for `scan` also the files below
// directories and those that match globs.
//
//   logs/**/*.log   ** is any number of directories; * ? [...] match within a name
//
// Below a directory names come in the order of their bytes. Hidden ones are left out unless the glob names the dot, and
// links to directories are not followed unless a path or the glob itself names them, so that no walk is endless. In
// memory are the names of the directories on the way to the current file only.
// Tested by tests/cli/walk_test.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shardstats/input/source.h"

namespace shardstats::cli {

struct Found {
  std::string path;
  bool named = false;          // by the user; false: met on a walk
  std::optional<Error> error;  // instead of a log: what cannot be walked
};

class Walk {
 public:
  // `expand`: walk directories and globs; else all arguments are logs.
  Walk(const std::vector<std::string>& arguments, bool expand) : arguments_(arguments), expand_(expand) {}

  // nullopt: no further log.
  std::optional<Found> next();
  // How far the walk has come, 0 to 1, as if all directories beside each other held equally much. It never decreases.
  // `file`: how far the reader has come in the file that next() gave last.
  double fraction(double file) const;

 private:
  enum class Kind : std::uint8_t { file, directory, linked_directory, dangling_link, other };
  // Which part of the glob a name may match next, as bits; the bit behind the last part: all were matched, and what is
  // below counts.
  using Positions = std::vector<bool>;

  struct Entry {
    std::string name;
    Kind kind = Kind::other;
  };
  struct Directory {
    std::string path;  // with a slash at its end, or empty
    Positions positions;
    std::vector<Entry> entries;  // sorted
    std::size_t at = 0;          // the next entry
  };

  std::optional<Found> start(const std::string& argument);
  std::optional<Found> start_glob(const std::string& pattern);
  std::optional<Found> end_glob();
  std::optional<Found> visit(const std::string& folder, const Positions& positions, const Entry& entry);
  static Kind kind_of(const std::filesystem::directory_entry& entry);
  std::optional<Error> enter(const std::string& path, Positions positions);
  Positions after(const Positions& before, const Entry& entry) const;
  void skip_double_stars(Positions& positions) const;

  const std::vector<std::string>& arguments_;
  const bool expand_;
  std::size_t started_ = 0;         // arguments
  std::string glob_;                // that is walked; empty: none
  std::vector<std::string> parts_;  // of the glob, from the first with a wildcard
  bool matched_ = false;            // something, by the glob
  std::vector<Directory> directories_;
};

}  // namespace shardstats::cli
