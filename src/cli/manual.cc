#include "cli/manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/split.h"
#include "report/words.h"
#include "shardstats/analysis/rules.h"
#include "shardstats/planner/releases.h"
#include "shardstats/vocabulary.h"

namespace shardstats::cli {
namespace {

template <class Rows, class Name>
std::vector<std::string> names_in(const Rows& rows, Name name) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.*name);
  return names;
}

// Values of an option whose value is called so; the user may give others, such as the beginning of a rule id.
std::vector<std::string> offers_of(const std::string& value) {
  if (value == "RULE") return names_in(rule_table(), &Rule::id);
  if (value == "KERNEL") return names_in(kernel_table(), &KernelTraits::name);
  if (value == "SHARDING") return {kShardingNames.begin(), kShardingNames.end()};
  // "N|last|all": a number or one of these words.
  if (value.starts_with("N|")) return split(value.substr(2), "|");
  return {};
}

// CLI11 has the choices of an option in its type only: "FORMAT:{text,json}".
void read_type(std::string type, OptionManual& manual) {
  const std::size_t brace = type.find(":{");
  manual.value = type.substr(0, brace);
  if (manual.value == "UINT") manual.value = "N";
  if (brace == std::string::npos) return;
  manual.choices = split(type.substr(brace + 2, type.size() - brace - 3), ",");
}

OptionManual described(const CLI::Option& option) {
  OptionManual manual;
  manual.is_argument = option.get_positional();
  if (manual.is_argument) manual.names = {option.get_name(true)};
  for (const std::string& name : option.get_snames()) manual.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) manual.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), manual);
  manual.offers = manual.choices.empty() ? offers_of(manual.value) : manual.choices;
  manual.default_value = option.get_default_str();
  manual.help = option.get_description();
  manual.repeated = option.get_expected_max() > 1;
  manual.required = option.get_required();
  // An argument with a text of its own is that many words, all of them needed: "BASE NEW".
  if (manual.is_argument && !option.get_option_text().empty()) {
    manual.names = {option.get_option_text()};
    manual.repeated = false;
    manual.required = true;
  }
  return manual;
}

}  // namespace

CommandManual describe(const CLI::App& app) {
  CommandManual manual;
  const auto row = std::ranges::find(commands(), std::string_view(app.get_name()), &Command::name);
  if (row != commands().end()) manual.command = &*row;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())  // it is not hidden
      (option->get_positional() ? manual.arguments : manual.options).push_back(described(*option));
  return manual;
}

std::string heading(const OptionManual& option) {
  const std::string text = joined(option.names, ", ");
  if (option.is_argument) return text + (option.repeated ? "..." : "");
  return option.value.empty() ? text : text + " " + option.value;
}

std::string description(const OptionManual& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += ": " + listed(option.choices, "or");
  if (option.repeated && !option.is_argument) text += "; may be repeated";
  if (!option.default_value.empty()) text += "; default: " + option.default_value;
  return text;
}

std::string details(const CommandManual& manual) {
  constexpr std::string_view kSizes =
      "SIZE is a number with B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024).";
  std::string text(manual.command->details);
  if (std::ranges::any_of(manual.options, [](const OptionManual& option) { return option.value == "SIZE"; }))
    text += (text.empty() ? "" : "\n") + std::string(kSizes);
  return text;
}

std::string usage(const CommandManual& manual) {
  std::string text = "shardstats";
  if (manual.command == nullptr) return text + " COMMAND [OPTIONS] [LOG...]";
  text += " " + std::string(manual.command->name) + " [OPTIONS]";
  for (const OptionManual& argument : manual.arguments)
    text += argument.required ? " " + heading(argument) : " [" + heading(argument) + "]";
  return text;
}

std::vector<std::string_view> command_groups() {
  std::vector<std::string_view> groups;
  for (const Command& command : commands())
    if (std::ranges::find(groups, command.group) == groups.end()) groups.push_back(command.group);
  return groups;
}

}  // namespace shardstats::cli
