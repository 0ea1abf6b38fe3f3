// The blocks of the logs that a command line names, one after the other. A block is found when it is asked for, so that
// no log is in memory as a whole unless it is compressed or piped.
// Tested by the golden runs in tests/cli.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/options.h"
#include "cli/walk.h"
#include "shardstats/input/blocks.h"
#include "shardstats/input/source.h"

namespace shardstats::cli {

// An open log; its blocks refer to the bytes of the source.
struct OpenLog {
  std::string path;  // as it is shown
  bool named = true;
  std::unique_ptr<Source> source;
  std::optional<BlockFinder> finder;
  std::size_t blocks = 0;        // found so far
  std::optional<Error> error;    // nothing of it was read
  std::optional<Error> stopped;  // what follows its blocks was not read
  bool passed_over = false;      // a walk came by it, and there is no block in it

  // Why a part of it was not read, as far as is known by now.
  std::optional<Error> not_read() const;
};

// A block of a log to look at. A log of which none is wanted has one step without a block.
struct Step {
  std::shared_ptr<OpenLog> log;
  std::optional<Block> block;
  std::size_t index = 0;
  bool first = false, last = false;  // of the log
  double fraction = 0;               // of all logs, once this step is done
};

// Opens the logs one after the other and hands out their blocks.
class Steps {
 public:
  explicit Steps(const Options& options);

  // nullopt: no further block of any log.
  std::optional<Step> next();

 private:
  using Numbered = std::pair<std::size_t, Block>;

  std::optional<Numbered> next_found();
  std::optional<Numbered> next_wanted();
  void nothing_found();
  double read_before(const Block& block) const;

  const Options& options_;
  Walk walk_;
  std::shared_ptr<OpenLog> log_;
  std::optional<Numbered> ahead_;
};

}  // namespace shardstats::cli
