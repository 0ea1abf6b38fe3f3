// The manual page shardstats.1 in the macros of man(7). Tested by tests/cli/man_page_test.py.
#pragma once

#include <string>
#include <vector>

#include "cli/manual.h"

namespace shardstats::cli {

std::string man_page(const CommandManual& tool, const std::vector<CommandManual>& manuals);

}  // namespace shardstats::cli
