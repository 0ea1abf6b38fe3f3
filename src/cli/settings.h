// What the command line leaves open: SHARDSTATS_* variables, then the configuration file (docs/configuration.md).
// Names are those of the options, so that a new option needs nothing here.
// Tested by tests/cli/settings_test.py.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "cli/commands.h"
#include "cli/config.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

// --config and --no-config.
void add_config_options(CLI::App& command);

// The configuration file that options, environment and directory lead to; empty if there is none. Else what is wrong.
std::variant<Config, std::string> load_config(const CLI::App& command);

// What is wrong with the names in the file. `app` has all commands, whose options are the keys that exist.
std::optional<std::string> unknown_key(const CLI::App& app, const Config& config);

// Fills in those of `options`, which are the command's, that were not given. `check` says what is wrong with the values
// so far beyond what the options themselves check. Gives what is wrong.
std::optional<std::string> fill_in(CLI::App& options, const Command& command, const Config& config,
                                   const std::function<std::optional<std::string>()>& check);

}  // namespace shardstats::cli
