// Keeps outputs from destroying what is read.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"

namespace shardstats::cli {

// "-" is standard input for `path`, standard output for `other`.
bool is_same_file(const std::string& path, const std::string& other);

// Why the outputs of the command line cannot all be written: two are the same file.
std::optional<std::string> doubled_output(const Options& options);

// Why an output of the command line may not be written: it is one of the logs. The files that a scan meets are logs if
// they hold a planner block, so that it may write to a file of its own below them.
std::optional<std::string> overwritten_log(const Options& options);

}  // namespace shardstats::cli
