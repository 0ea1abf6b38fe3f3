#include "cli/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/budget_options.h"
#include "cli/terminal.h"
#include "shardstats/analysis/nearest.h"

namespace shardstats::cli {
namespace {

using Kind = Setting::Kind;

std::string variable_of(std::string_view option) {
  std::string name = "SHARDSTATS_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

// Positional arguments are no settings, nor is what says where settings are.
bool is_setting(const CLI::Option& option) {
  static constexpr std::string_view kOthers[] = {"help", "version", "config", "no-config"};
  return !option.get_lnames().empty() && std::ranges::find(kOthers, option.get_lnames().front()) == std::end(kOthers);
}

// ---- keys ----------------------------------------------------------------------------------------------------------

std::vector<std::string> keys_of(const CLI::App& command) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options())
    if (is_setting(*option)) keys.push_back(option->get_lnames().front());
  return keys;
}

// What a section may have.
struct SectionKeys {
  std::vector<std::string> values, tables;
};

// nullopt: there is no such section.
std::optional<SectionKeys> keys_of_section(const CLI::App& app, const std::string& section) {
  if (section == kTableBudgets) return SectionKeys{table_budget_keys(), {}};
  SectionKeys keys;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!section.empty() && command->get_name() != section) continue;
    for (std::string& key : keys_of(*command)) keys.values.push_back(std::move(key));
    if (section.empty()) keys.tables.push_back(command->get_name());
  }
  if (section == kTableBudgets.substr(0, kTableBudgets.find('.'))) keys.tables.emplace_back("tables");
  return keys.values.empty() ? std::nullopt : std::optional(std::move(keys));
}

// ---- values --------------------------------------------------------------------------------------------------------

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
bool is_whole_number(const CLI::Option& option) { return option.get_type_name().starts_with("UINT"); }
bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }

// What kind of value the option takes instead of that of the file; empty: that kind.
std::string_view other_kind(const CLI::Option& option, Kind kind) {
  if (is_flag(option)) return kind == Kind::truth ? "" : "true or false";
  if (is_whole_number(option)) return kind == Kind::number ? "" : "a whole number";
  if (kind == Kind::text || kind == Kind::number) return "";
  if (!is_list(option)) return "one text or number";
  return kind == Kind::list ? "" : "a text or a list of texts";
}

// A value for an option, and where it comes from.
struct ValueSource {
  std::string place;
  std::vector<std::string> values;
  std::optional<Kind> kind;  // of the configuration file
  bool shared = true;        // it is meant for all commands that have the option
};

std::optional<ValueSource> from_environment(const std::string& name) {
  const std::string variable = variable_of(name);
  auto value = environment(variable.c_str());
  return value ? std::optional(ValueSource{variable, {*std::move(value)}, {}}) : std::nullopt;
}

std::optional<ValueSource> from_config(const Config& config, const std::string& name, std::string_view command) {
  const Setting* found = nullptr;
  for (const Setting& setting : config)
    if (setting.key == name && (setting.section == command || (setting.section.empty() && found == nullptr)))
      found = &setting;
  if (found == nullptr) return std::nullopt;
  return ValueSource{found->place, found->values, found->kind, found->section.empty()};
}

// False where the command has no such option.
bool is_given(const CLI::App& options, const std::string& option) {
  const CLI::Option* found = options.get_option_no_throw(option);
  return found != nullptr && found->count() > 0;
}

// A shared format that this run cannot have is for other ones, and so is the limit of `whatif --max` without --max,
// which `check` knows, too. Colours of the file give way to the environment's.
bool is_for_others(const std::string& name, const ValueSource& source, const Command& command,
                   const CLI::App& options) {
  if (name == "color") return source.kind && (environment("NO_COLOR") || environment("FORCE_COLOR"));
  if (name == "max-hbm") return command.id == CommandId::whatif && !is_given(options, "--max");
  if (name != "format" || !source.shared || source.values.size() != 1) return false;
  if (is_given(options, "--render")) return true;
  const auto format = format_named(source.values.front());
  return format && !has_format(command, *format);
}

std::optional<std::string> give(CLI::Option& option, const ValueSource& source) {
  const std::string& name = option.get_lnames().front();
  if (source.kind)
    if (const std::string_view other = other_kind(option, *source.kind); !other.empty())
      return source.place + ": '" + name + "' takes " + std::string(other);
  if (source.values.empty()) return std::nullopt;                         // an empty list
  if (is_whole_number(option) && source.values.front().starts_with('-'))  // CLI11 would wrap it
    return source.place + ": '" + name + "' takes a whole number from 0";
  try {
    option.add_result(source.values);
    option.run_callback();
  } catch (const CLI::Error& error) {
    return source.place + ": " + error.what();
  }
  return std::nullopt;
}

// No file is read if the environment says so, unless the command line names one. Any word says so but
// those by which an option is switched off.
bool environment_has_no_config() {
  const auto variable = from_environment("no-config");
  static constexpr std::string_view kFalse[] = {"0", "false", "no", "off", "n", "f", "disable", "-"};
  const std::string word = variable ? CLI::detail::to_lower(variable->values.front()) : "0";
  return std::ranges::find(kFalse, word) == std::end(kFalse);
}

}  // namespace

void add_config_options(CLI::App& command) {
  command.add_option("--config", "Settings, instead of the nearest .shardstats.toml in this directory or above")
      ->type_name("FILE");
  const std::string no_config = "No configuration file; SHARDSTATS_* variables still count";
  command.add_flag("--no-config", no_config);
}

std::variant<Config, std::string> load_config(const CLI::App& command) {
  if (command.count("--no-config") > 0) return Config();
  std::optional<std::string> path;
  if (const CLI::Option& option = *command.get_option("--config"); option.count() > 0)
    path = option.results().back();
  else if (environment_has_no_config())
    return Config();
  else if (const auto variable = from_environment("config"))
    path = variable->values.front();
  else
    path = find_config();
  if (!path || path->empty()) return Config();
  return read_config(*path);
}

std::optional<std::string> unknown_key(const CLI::App& app, const Config& config) {
  for (const Setting& setting : config) {
    const auto keys = keys_of_section(app, setting.section);
    if (!keys) continue;  // its heading is the unknown one
    const bool is_heading = setting.kind == Kind::heading;
    const auto& known = is_heading ? keys->tables : keys->values;
    const auto& others = is_heading ? keys->values : keys->tables;
    const auto has_key = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, setting.key) != names.end();
    };
    if (has_key(known)) continue;
    if (has_key(others))
      return setting.place + ": '" + setting.key + "' is " +
             (is_heading ? "a key, not a table: write " + setting.key + " = VALUE"
                         : "a table, not a key: write " +
                               (setting.section.empty() ? "[" + setting.key + "]"
                                                        : "[[" + setting.section + "." + setting.key + "]]") +
                               " and its keys in the lines below");
    const std::string message = setting.place + ": unknown " + (is_heading ? "table" : "key") + " '" + setting.key +
                                "'" + (setting.section.empty() ? "" : " in [" + setting.section + "]");
    std::vector<std::string> all = known;
    all.insert(all.end(), others.begin(), others.end());
    return message + did_you_mean(nearest(setting.key, all));
  }
  return std::nullopt;
}

std::optional<std::string> fill_in(CLI::App& options, const Command& command, const Config& config,
                                   const std::function<std::optional<std::string>()>& check) {
  if (auto wrong = check()) return wrong;  // of the command line itself
  for (CLI::Option* option : options.get_options({})) {
    if (!is_setting(*option) || option->count() > 0) continue;
    const std::string& name = option->get_lnames().front();
    auto source = from_environment(name);
    if (!source || is_for_others(name, *source, command, options)) source = from_config(config, name, command.name);
    if (!source || is_for_others(name, *source, command, options)) continue;
    if (auto wrong = give(*option, *source)) return wrong;
    if (auto wrong = check()) return source->place + ": " + *wrong;
  }
  return std::nullopt;
}

}  // namespace shardstats::cli
