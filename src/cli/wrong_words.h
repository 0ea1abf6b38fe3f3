// What is said of a command line that cannot be read. Tested by tests/cli/wrong_words_test.py.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace shardstats::cli {

// The names of all commands that have the option.
using CommandsWith = std::function<std::vector<std::string>(const std::string& option)>;

// One line: what is wrong, and what may have been meant or where to look.
std::string wrong_words(const CLI::App& app, const CLI::ParseError& error, const CommandsWith& commands_with);

}  // namespace shardstats::cli
