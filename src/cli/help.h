// What --help prints. Tested by the golden runs in tests/cli.
#pragma once

#include <string>

#include "cli/manual.h"

namespace shardstats::cli {

// `width`: columns of the terminal.
std::string help_text(const CommandManual& manual, int width);

// "text      for people; .txt", a line for each format of the command.
std::vector<std::string> formats_help(const Command& command);

}  // namespace shardstats::cli
