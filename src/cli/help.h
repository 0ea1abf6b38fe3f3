// What --help prints. Tested by the golden runs in tests/cli.
#pragma once

#include <string>

#include "cli/manual.h"

namespace shardstats::cli {

// `width`: columns of the terminal.
std::string help_text(const CommandManual& manual, int width);

}  // namespace shardstats::cli
