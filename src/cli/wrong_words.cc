#include "cli/wrong_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/formats.h"
#include "cli/manual.h"
#include "report/words.h"
#include "shardstats/analysis/nearest.h"

namespace shardstats::cli {
namespace {

// "; did you mean '--format'?"; empty where no option of the command is near.
std::string near_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const Command* chosen = command_named(command.get_name());
  const auto format = format_named(name);
  if (chosen != nullptr && format && has_format(*chosen, *format)) return did_you_mean("--format " + name);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& known : option->get_lnames()) names.push_back(known);
  const std::string near = nearest(name, names);
  return near.empty() ? "" : did_you_mean("--" + near);
}

// A word that the command has no use for, and where it may have been meant to be.
std::string unexpected(const CLI::App& command, const std::string& word, const CommandsWith& commands_with,
                       const std::string& see) {
  if (!word.starts_with('-')) return "unexpected argument '" + word + "'; " + see;
  const std::string option = word.substr(0, word.find('='));
  std::string text = "unknown option '" + option + "'";
  if (!command.get_name().empty()) text += " of " + command.get_name();
  const std::vector<std::string> others = commands_with(option);
  if (!others.empty()) return text + ", which only " + listed(others, "and") + (others.size() == 1 ? " has" : " have");
  const std::string near = near_option(command, option);
  return text + (near.empty() ? "; " + see : near);
}

// "--format needs a value: text or json", or has two; empty where the error is another one.
std::string wrong_number_of_values(const CLI::App& command, const std::string& what) {
  const bool has_none = what.ends_with(" missing"), has_more = what.find(": At Most 1 ") != std::string::npos;
  if (!has_none && !has_more) return {};
  const std::string name = what.substr(0, what.find(':'));
  if (has_more) return name + " is given twice; give it one value";
  for (const OptionManual& option : describe(command).options)
    if (std::ranges::find(option.names, name) != option.names.end())
      return name + " needs a value: " + (option.choices.empty() ? option.value : listed(option.choices, "or"));
  return {};
}

}  // namespace

std::string wrong_words(const CLI::App& app, const CLI::ParseError& error, const CommandsWith& commands_with) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string see = "see `shardstats " + (command.get_name().empty() ? "" : command.get_name() + " ") + "--help`";
  const std::string what = error.what();
  if (const auto rest = app.remaining(true); dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty())
    return unexpected(command, rest.front(), commands_with, see);
  if (std::string count = wrong_number_of_values(command, what); !count.empty()) return count;
  return what + (what.ends_with('?') ? "" : "; " + see);
}

}  // namespace shardstats::cli
