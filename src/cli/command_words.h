// The words of a command line, put in the order in which CLI11 reads them.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace shardstats::cli {

// Does some command have the option ("--name" or "-n"), with a value?
using TakesValue = std::function<bool(const std::string& option)>;

// nullptr: no command is called so.
const Command* command_named(std::string_view word);
bool is_command(std::string_view word);
bool is_version(std::string_view word);  // -V, --version

// The words of the command line. "--option=" has the empty value, as where a variable of a script is not set: CLI11
// would take the next word instead, which may be a log. `names`: keeps those of such options.
std::vector<const char*> words_of(int argc, const char* const* argv, const TakesValue& takes_value,
                                  std::deque<std::string>& names);

// `shardstats -q verify LOG` is `shardstats verify -q LOG`. A log that is called like a command needs a path: ./verify.
void put_command_first(std::vector<const char*>& words, const TakesValue& takes_value);

// `shardstats help verify` is `shardstats verify --help`.
void put_help_last(std::vector<const char*>& words);

// `shardstats LOG` is `shardstats summary LOG`, also with options in front. `words`: one behind the program's name at
// least.
bool means_summary(std::span<const char* const> words);

// Is there a file or pipe of that name, no directory?
bool names_file(const std::string& word);

// What is wrong with a first word that is neither a command nor a log; nullopt: nothing.
std::optional<std::string> wrong_first_word(std::span<const char* const> words);

}  // namespace shardstats::cli
