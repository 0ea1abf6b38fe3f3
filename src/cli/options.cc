#include "cli/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/budget_options.h"
#include "cli/command_options.h"
#include "cli/command_words.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/manual.h"
#include "cli/settings.h"
#include "cli/sizes.h"
#include "cli/split.h"
#include "cli/terminal.h"
#include "cli/top.h"
#include "cli/wrong_words.h"
#include "report/words.h"
#include "shardstats/analysis/anonymize.h"
#include "shardstats/analysis/nearest.h"

namespace shardstats::cli {
namespace {

std::string no_input(const Command& command) {
  return "no log given: name a file, pipe one in, or set SHARDSTATS_LOG, for example `" +
         split(command.examples, "\n").front() + "`";
}
constexpr std::string_view kNoBudget =
    "no budget given: set a limit, for example `shardstats check --max-hbm 72GiB train.log`, or write it under [check] "
    "in .shardstats.toml; `shardstats check --help` lists the limits";
constexpr std::string_view kNoBandwidth =
    "no bandwidth given: say how fast weights are copied each way, for example `shardstats stash --bandwidth 450GB/s "
    "train.log`";
constexpr std::string_view kPageToTerminal =
    "an HTML page is not for a terminal: name a file, for example `shardstats report train.log -o report.html`";
constexpr std::string_view kNothingToScan =
    "nothing to scan: name directories, files or globs, for example `shardstats scan .`";

// The options of all commands.
class OptionsOfAll {
 public:
  OptionsOfAll() { add_commands(app_, nullptr, unused_); }
  const CLI::App& app() const { return app_; }
  // Does some command have the option, with a value?
  bool have_value(const std::string& name) const {
    return std::ranges::any_of(app_.get_subcommands({}), [&](const CLI::App* command) {
      const CLI::Option* option = command->get_option_no_throw(name);
      return option != nullptr && option->get_items_expected_max() > 0;
    });
  }
  std::vector<std::string> commands_with(const std::string& name) const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands({}))
      if (command->get_option_no_throw(name) != nullptr) names.push_back(command->get_name());
    return names;
  }

 private:
  CLI::App app_;
  RawOptions unused_;
};

std::optional<std::string> unknown_key_of(const Config& config) {
  return config.empty() ? std::nullopt : unknown_key(OptionsOfAll().app(), config);
}

// What `completion` and `man` print.
std::string description_of_tool(const CLI::App& app, const Options& options) {
  std::vector<CommandManual> manuals;
  for (const CLI::App* command : app.get_subcommands({})) manuals.push_back(describe(*command));
  if (options.command == CommandId::man) return man_page(describe(app), manuals);
  return completion_script(*parse_name<Shell>(options.target, kShellNames), describe(app), manuals);
}

bool stdin_has_input() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode);
}

// The log where none is named.
std::optional<std::string> default_log() {
  if (auto given = environment("SHARDSTATS_LOG")) return given;
  return stdin_has_input() ? std::optional<std::string>("-") : std::nullopt;
}

Leave failed(std::string message) { return {kFailed, "", "shardstats: error: " + std::move(message) + "\n"}; }

// An output file whose extension asks for a format that the command does not have.
std::optional<std::string> wrong_output(const Options& options, const Command& command) {
  for (const std::string& path : options.outputs) {
    const Format* format = format_by_extension(path);
    if (format == nullptr || has_format(command, format->id)) continue;
    return "--output '" + path + "': " + std::string(command.name) + " has no format " + std::string(format->name) +
           ", only " + listed(names_of(command.formats), "");
  }
  return std::nullopt;
}

// "; did you mean 'v1.8.0'?" of "release=1.8.0", or nothing.
std::string near_assumption(std::string_view text) {
  constexpr std::string_view kRelease = "release=";
  return text.starts_with(kRelease) ? near_release(text.substr(kRelease.size())) : "";
}

// One that is none, or two that contradict each other: which of them holds would depend on their order.
std::optional<std::string> wrong_assumption(const std::vector<std::string>& texts) {
  std::map<std::pair<std::string, std::string>, std::string> values;  // by table and key
  for (const std::string& text : texts) {
    const auto parsed = parse_override(text);
    if (const auto* bad = std::get_if<BadOverride>(&parsed)) return bad->message + near_assumption(text);
    const auto& one = std::get<Override>(parsed);
    const auto [known, is_new] = values.try_emplace({one.table, one.key}, one.value);
    if (!is_new && known->second != one.value)
      return "--assume '" + text + "': the value is given as " + known->second + " before";
  }
  return std::nullopt;
}

// What is wrong with values beyond what CLI11 checks.
std::optional<std::string> wrong_value(const RawOptions& raw) {
  if (auto wrong = wrong_assumption(raw.assume)) return wrong;
  if (const auto keep = keep_matching(raw.options.keep); std::holds_alternative<std::string>(keep))
    return "--keep " + std::get<std::string>(keep);
  return Filter().set(raw.options.filter);
}

// What is wrong with the logs and options of diff.
std::optional<Leave> check_diff(RawOptions& raw) {
  Options& options = raw.options;
  if (options.logs.size() != 2)
    return failed("diff compares two logs, " + std::to_string(options.logs.size()) +
                  " given; usage: shardstats diff [OPTIONS] BASE NEW");
  if (options.logs[0] == "-" && options.logs[1] == "-")
    return failed("diff: only one of the two logs can be standard input");
  if (!raw.fail_on_increase) return std::nullopt;
  const std::string& text = *raw.fail_on_increase;
  if (const auto percent = parse_amount(text, "%"); percent && text.ends_with('%'))
    options.fail_on_increase = IncreaseLimit{*percent, true, text};
  else if (const auto bytes = parse_size(text))
    options.fail_on_increase = IncreaseLimit{static_cast<double>(*bytes), false, text};
  else
    return failed("--fail-on-increase '" + text + "': expected a size or a percentage, for example 2GiB or 3%" +
                  near_size(text));
  return std::nullopt;
}

// `said`: the changes of the command line, without those of the settings.
std::variant<Options, Leave> finish(RawOptions& raw, const ChangeTexts& said, const Config& config) {
  Options& options = raw.options;
  const Command& command = command_of(options.command);
  options.format = raw.format.empty() ? command.formats.front() : *format_named(raw.format);
  if (const auto wrong = wrong_output(options, command)) return failed(*wrong);
  if (raw.step_summary) {
    const auto path = environment("GITHUB_STEP_SUMMARY");
    if (!path)
      return failed("--step-summary: GITHUB_STEP_SUMMARY is not set; it names a file in a step of a GitHub workflow");
    options.step_summary = *path;
  }
  if (const TopOption* top = top_option(command.id)) {
    options.top_in_text = raw.top.value_or(top->in_text);
    options.top = raw.top.value_or(top->elsewhere.value_or(0));
    if (command.id == CommandId::reconstruct) options.reconstruct.top = options.top;  // whatif has all of its plan
  }
  if (command.id == CommandId::stash && options.stash.bandwidth == 0) return failed(std::string(kNoBandwidth));
  options.threads = raw.threads > 0 ? raw.threads : std::max(std::thread::hardware_concurrency(), 1U);
  for (const std::string& text : raw.assume) options.assume.push_back(std::get<Override>(parse_override(text)));
  if (command.id == CommandId::check) {
    if (auto wrong = read_table_budgets(config, options.budgets.of_tables)) return failed(std::move(*wrong));
    if (options.budgets.of_plan.empty() && options.budgets.of_tables.empty()) return failed(std::string(kNoBudget));
  }
  options.block = !raw.block.empty() ? raw.block : options.command == CommandId::diff ? "last" : "all";
  if (options.command == CommandId::diff)
    if (auto wrong = check_diff(raw)) return *wrong;
  if (options.command == CommandId::whatif || options.command == CommandId::explain)
    if (auto wrong = read_changes(raw.changes, said, options)) return failed(std::move(*wrong));
  if (options.command == CommandId::report && options.outputs.empty() && isatty(STDOUT_FILENO) != 0)
    return failed(std::string(kPageToTerminal));
  if (!command.reads_logs || !options.logs.empty()) return options;
  auto log = default_log();
  if (!log && command.id == CommandId::explain && names_file(options.target))
    return failed("explain: '" + options.target +
                  "' is a log, and TARGET is missing; for example shardstats explain plan " + options.target);
  if (!log) return failed(command.id == CommandId::scan ? std::string(kNothingToScan) : no_input(command));
  options.logs.push_back(std::move(*log));
  return options;
}

// Of any command, too.
bool asks_for_version(const std::vector<const char*>& words) {
  return words.size() > 1 && is_version(words.back()) &&
         (words.size() == 2 || (words.size() == 3 && is_command(words[1])));
}

// Fills `app` and `raw`. Returns what ends the run, if anything does: help, or a wrong option.
std::optional<Leave> parse_words(const std::vector<const char*>& words, CLI::App& app, RawOptions& raw) {
  const Command* chosen = command_named(words[1]);
  add_commands(app, chosen != nullptr && describes_tool(chosen->id) ? nullptr : chosen, raw);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, ignored;
    if (app.exit(error, out, ignored) == 0) return Leave{kClean, out.str(), ""};  // help
    return failed(
        wrong_words(app, error, [](const std::string& option) { return OptionsOfAll().commands_with(option); }));
  }
  if (describes_tool(raw.options.command)) return Leave{kClean, description_of_tool(app, raw.options), ""};
  return std::nullopt;
}

}  // namespace

std::variant<Options, Leave> parse_command_line(int argc, const char* const* argv) {
  std::deque<std::string> names;
  std::optional<OptionsOfAll> all;  // few command lines need it
  const auto takes_value = [&all](const std::string& option) {
    return (all ? *all : all.emplace()).have_value(option);
  };
  std::vector<const char*> words = words_of(argc, argv, takes_value, names);
  put_command_first(words, takes_value);
  put_help_last(words);
  // Before anything is set up, as scripts ask for it often.
  if (asks_for_version(words)) return Leave{kClean, version_text() + "\n", ""};
  if (words.size() < 2 ? default_log().has_value() : means_summary(words))
    words.insert(words.begin() + 1, command_of(CommandId::summary).name.data());
  if (words.size() < 2)
    return failed("no command given; usage: shardstats COMMAND [LOG...]; `shardstats --help` lists the commands");
  if (auto wrong = wrong_first_word(words)) return failed(std::move(*wrong));
  CLI::App app("", "shardstats");
  RawOptions raw;
  if (auto leave = parse_words(words, app, raw)) return *std::move(leave);
  const Command& command = command_of(raw.options.command);
  CLI::App& options = *app.get_subcommand(std::string(command.name));
  const auto loaded = load_config(options);
  if (const auto* wrong = std::get_if<std::string>(&loaded)) return failed(*wrong);
  const auto& config = std::get<Config>(loaded);
  if (auto wrong = unknown_key_of(config)) return failed(std::move(*wrong));
  const ChangeTexts said = raw.changes;
  if (auto wrong = fill_in(options, command, config, [&] { return wrong_value(raw); }))
    return failed(std::move(*wrong));
  return finish(raw, said, config);
}

}  // namespace shardstats::cli
