// The options of each command as CLI11 reads them. Tested by the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/change_options.h"
#include "cli/options.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

// Options, and those values that are kept as they were written until all options are known.
struct RawOptions {
  Options options;
  bool step_summary = false;
  std::string format, block;
  std::optional<std::string> fail_on_increase;
  std::optional<std::size_t> top;
  std::size_t threads = 0;  // 0: as many as the machine runs at once
  std::vector<std::string> assume;
  ChangeTexts changes;
};

// Adds the commands and their options, whose values go to `raw`. `only`: the one command that is used, since the
// options of all take longer to set up than a small log takes to read; nullptr: all.
void add_commands(CLI::App& app, const Command* only, RawOptions& raw);

std::string version_text();  // as --version prints it
// As --format takes them.
std::vector<std::string> names_of(std::span<const OutputFormat> formats);

}  // namespace shardstats::cli
