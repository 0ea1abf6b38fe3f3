// The command line as data: what --help, the manual page and the completion scripts are made of. It is read from the
// table of commands and from the options that the parser really has, so that a new one needs nothing here.
// Tested by tests/cli/manual_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

struct OptionManual {
  std::vector<std::string> names;    // "-f", "--format"; of an argument its one name, "LOG"
  std::string value;                 // what a value is called: "FORMAT"; empty: a switch
  std::vector<std::string> choices;  // all values there are; empty: any
  std::vector<std::string> offers;   // values to offer while typing; may be empty
  std::string default_value;         // empty: none, or said in `help`
  std::string help;
  bool repeated = false, required = false, is_argument = false;

  bool takes_file() const { return value == "FILE" || value == "PATH"; }
};

struct CommandManual {
  const Command* command = nullptr;  // nullptr: the tool itself
  std::vector<OptionManual> arguments, options;
};

// `app` is a command, or the tool itself.
CommandManual describe(const CLI::App& app);

// "-f, --format FORMAT", "LOG..."
std::string heading(const OptionManual& option);
// The help with the choices and the default.
std::string description(const OptionManual& option);
// What more there is to say of a command, a line for each paragraph.
std::string details(const CommandManual& manual);
// "shardstats verify [OPTIONS] [LOG...]"
std::string usage(const CommandManual& manual);
// The groups of commands in the order of the table.
std::vector<std::string_view> command_groups();

}  // namespace shardstats::cli
