#include "cli/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/budget_options.h"
#include "cli/change_options.h"
#include "cli/command_words.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/settings.h"
#include "cli/sizes.h"
#include "cli/terminal.h"
#include "cli/timeline_options.h"
#include "report/words.h"
#include "shardstats/analysis/anonymize.h"
#include "shardstats/version.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kNoInput =
    "no log given: name a file, pipe one in, or set SHARDSTATS_LOG, for example `shardstats verify train.log`";
constexpr std::string_view kNoBudget =
    "no budget given: set a limit, for example `shardstats check --max-hbm 72GiB train.log`, or write it under [check] "
    "in .shardstats.toml; `shardstats check --help` lists the limits";
constexpr std::string_view kNoBandwidth =
    "no bandwidth given: say how fast weights are copied each way, for example `shardstats stash --bandwidth 450GB/s "
    "train.log`";
constexpr std::string_view kPageToTerminal =
    "a page is nothing for a terminal: name a file, for example `shardstats report train.log -o report.html`";
constexpr std::string_view kNothingToScan =
    "nothing to scan: name directories, files or globs, for example `shardstats scan .`";

std::string version_text() { return "shardstats " + std::string(kVersion); }

// Values as CLI11 fills them; finish() turns them into Options.
struct Raw {
  Options options;
  bool step_summary = false;
  std::string format, fail_on = "error", sort = "log", block;
  std::optional<std::string> fail_on_increase;
  std::size_t top = 0, threads = 0;  // 0 threads: as many as the machine runs at once
  std::vector<std::string> assume;
  BudgetTexts budgets;
  ChangeTexts changes;
  TimelineTexts timeline;
  StashTexts stash;
};

constexpr std::int64_t kMostThreads = 1024, kMostRows = 1'000'000'000;

// Numbers that a std::size_t would take otherwise, such as -1, or that no machine could serve.
CLI::Validator count_up_to(std::int64_t most) {
  const auto wrong = [most](const std::string& text) {
    return parse_integer(text, most) ? "" : "'" + text + "' is no number from 0 to " + std::to_string(most);
  };
  return CLI::Validator(wrong, "", "count");
}

std::vector<std::string> names_of(std::span<const OutputFormat> formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.emplace_back(format_of(format).name);
  return names;
}

template <std::size_t N>
std::vector<std::string> strings(const std::array<std::string_view, N>& views) {
  return {views.begin(), views.end()};
}

bool has_format(const Command& command, OutputFormat format) {
  return std::ranges::find(command.formats, format) != command.formats.end();
}

void add_output_options(CLI::App& app, const Command& command, Raw& raw) {
  app.add_option("-f,--format", raw.format, "Output format")
      ->type_name("FORMAT")
      ->default_str(std::string(format_of(command.formats.front()).name))
      ->check(CLI::IsMember(names_of(command.formats)));
  app.add_option("-o,--output", raw.options.outputs,
                 "Write to FILE instead of standard output, in the format of its extension")
      ->type_name("FILE")
      ->allow_extra_args(false);
  if (has_format(command, OutputFormat::markdown))
    app.add_flag("--step-summary", raw.step_summary, "Append the markdown report to the file $GITHUB_STEP_SUMMARY");
  app.add_option("--color", raw.options.color, "Colours")
      ->type_name("WHEN")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--ascii", raw.options.ascii, "No characters outside ASCII in text");
  const bool scans = command.id == CommandId::scan;
  app.add_flag("-q,--quiet", raw.options.quiet,
               scans           ? "Logs with findings and verdict only, no progress"
               : command.finds ? "Findings and verdict only"
                               : "The answer alone, without warnings");
  app.add_flag("-v,--verbose", raw.options.verbose,
               scans                             ? "Name the files without a planner block, too"
               : command.id == CommandId::verify ? "Say what to try with each finding"
                                                 : "Say more; only verify and scan can");
}

void add_log_options(CLI::App& app, const Command& command, Raw& raw) {
  const bool takes_one = command.id == CommandId::diff;
  app.add_option("--block", raw.block,
                 takes_one ? "Which planner block of each log: a number from 1, or last"
                           : "Which planner block of the log: a number from 1, last or all")
      ->type_name("BLOCK")
      ->default_str(takes_one ? "last" : "all");
  app.add_option("--threads", raw.threads, "Threads for several logs or blocks; 0 is one a processor")
      ->check(count_up_to(kMostThreads))
      ->capture_default_str();
  app.add_flag("--allow-empty", raw.options.allow_empty, "A log without a planner block is a success");
  app.add_option("--assume", raw.assume, "Override inference, e.g. pipeline=none or table_X.dtype=fp16")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_rank_filter(CLI::App& app, FilterWords& filter) {
  app.add_option("--rank", filter.ranks, "Only these ranks, e.g. 0,4-7")->type_name("LIST")->allow_extra_args(false);
}

void add_table_filter(CLI::App& app, FilterWords& filter) {
  app.add_option("--table", filter.tables, "Only tables whose FQN matches")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--exclude-table", filter.excluded_tables, "Not the tables whose FQN matches")
      ->type_name("REGEX")
      ->allow_extra_args(false);
}

void add_filter_options(CLI::App& app, FilterWords& filter) {
  add_table_filter(app, filter);
  add_rank_filter(app, filter);
  app.add_option("--sharding", filter.shardings, "Only tables of these sharding types")
      ->type_name("SHARDING")
      ->allow_extra_args(false);
  app.add_option("--kernel", filter.kernels, "Only tables with these kernels")
      ->type_name("KERNEL")
      ->allow_extra_args(false);
}

void add_rule_options(CLI::App& app, Raw& raw) {
  app.add_option("--select", raw.options.filter.select, "Only rules that begin so")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--ignore", raw.options.filter.ignore, "Not the rules that begin so")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--fail-on", raw.fail_on, "Exit 1 at findings of this severity or above")
      ->type_name("SEVERITY")
      ->capture_default_str()
      ->check(CLI::IsMember(strings(kSeverityNames)));
}

void add_logs(CLI::App& app, const Command& command, Raw& raw) {
  if (command.id == CommandId::scan)
    app.add_option("PATH", raw.options.logs, "Directories, globs or log files; - is standard input")->type_name("PATH");
  else if (command.id == CommandId::diff)
    app.add_option("LOG", raw.options.logs, "The log before and the log after; - is standard input")
        ->type_name("FILE")
        ->option_text("BASE NEW");
  else
    app.add_option("LOG", raw.options.logs, "Log files; - is standard input")->type_name("FILE");
}

void add_diff_options(CLI::App& app, Raw& raw) {
  app.add_option("-n,--top", raw.options.top,
                 "Only the first N rows of each list; 0 is all. Default: 10 in text, else all")
      ->check(count_up_to(kMostRows));
  app.add_option("--fail-on-increase", raw.fail_on_increase,
                 "Exit 1 if the largest rank's HBM increased by more than 2GiB, or 3% of BASE")
      ->type_name("LIMIT");
  app.add_flag("--exit-zero", raw.options.exit_zero, "Exit 0 whatever is found");
}

void add_anonymize_options(CLI::App& app, Raw& raw) {
  app.add_option("--keep", raw.options.keep, "Names that stay: all of a name, or of an FQN, matches")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--map", raw.options.name_map,
                 "Write to FILE what was replaced by what, readable by you alone: JSON if it ends in .json, else lines "
                 "with tabs")
      ->type_name("FILE")
      ->check(CLI::Validator([](const std::string& path) { return path.empty() ? "names no file" : ""; }, "", "file"));
}

void add_command(CLI::App& app, const Command& command, Raw& raw) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
  if (command.id == CommandId::explain)
    sub->add_option("TARGET", raw.options.target,
                    "What to explain: a table, rank:N, kernel:NAME, plan or others, see below")
        ->type_name("TARGET")
        ->required();
  if (command.id == CommandId::rules)
    sub->add_option("RULE", raw.options.target, "A rule id or its beginning")->type_name("RULE");
  if (command.id == CommandId::completion)
    sub->add_option("SHELL", raw.options.target, "The shell that is to complete")
        ->type_name("SHELL")
        ->check(CLI::IsMember(strings(kShellNames)))
        ->required();
  sub->callback([&raw, id = command.id] { raw.options.command = id; });
  if (describes_tool(command.id)) return;
  add_output_options(*sub, command, raw);
  if (command.reads_logs) {
    add_logs(*sub, command, raw);
    add_log_options(*sub, command, raw);
  }
  if (verifies(command.id) || command.id == CommandId::reconstruct || command.id == CommandId::diff ||
      command.id == CommandId::whatif)
    add_filter_options(*sub, raw.options.filter);
  if (verifies(command.id)) add_rule_options(*sub, raw);
  if (command.id == CommandId::check) add_budget_options(*sub, raw.budgets, raw.options.budgets);
  if (command.finds) sub->add_flag("--exit-zero", raw.options.exit_zero, "Exit 0 whatever is found");
  if (command.id == CommandId::summary)
    sub->add_option("-n,--top", raw.options.top_tables, "Tables of each list; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
  if (command.id == CommandId::diff) add_diff_options(*sub, raw);
  if (command.id == CommandId::anonymize) add_anonymize_options(*sub, raw);
  if (command.id == CommandId::whatif || command.id == CommandId::explain) add_change_options(*sub, raw.changes);
  if (command.id == CommandId::whatif) add_what_if_options(*sub, raw.changes, raw.options);
  if (command.id == CommandId::verify)
    sub->add_option("-n,--top", raw.top, "Only the first N findings of a block in text; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
  if (command.id == CommandId::scan)
    sub->add_option("-n,--top", raw.options.top_rules, "Rules with the most findings in the summary of text; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
  if (command.id == CommandId::timeline) {
    add_timeline_options(*sub, raw.timeline);
    add_rank_filter(*sub, raw.options.filter);
    sub->add_option("-n,--top", raw.options.top_charts, "Ranks that are drawn in text, the fullest first; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
  }
  if (command.id == CommandId::stash) {
    add_timeline_options(*sub, raw.timeline);
    add_stash_options(*sub, raw.stash, raw.options.stash);
    add_table_filter(*sub, raw.options.filter);
    add_rank_filter(*sub, raw.options.filter);
    sub->add_option("-n,--top", raw.options.top_stashes, "Tables and ranks of each list in text; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
  }
  if (command.id == CommandId::reconstruct) {
    sub->add_option("-n,--top", raw.top, "Only the first N tables and ranks; 0 is all")
        ->check(count_up_to(kMostRows))
        ->capture_default_str();
    sub->add_option("-s,--sort", raw.sort, "Order of tables")
        ->type_name("KEY")
        ->capture_default_str()
        ->check(CLI::IsMember(strings(kSortKeyNames)));
  }
  add_config_options(*sub);
  sub->set_version_flag("--version", version_text())->group("");  // not in the help of each
}

// All commands with their options, or the one: the options of all take longer to set up than a small log to read.
// Values go to `raw`.
void add_commands(CLI::App& app, const Command* only, Raw& raw) {
  app.formatter_fn([](const CLI::App* chosen, std::string, CLI::AppFormatMode) {
    return help_text(describe(*chosen), text_style("never", true, isatty(STDOUT_FILENO) != 0).width);
  });
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  app.require_subcommand(1);
  for (const Command& command : commands())
    if (only == nullptr || only == &command) add_command(app, command, raw);
}

std::optional<std::string> unknown_key_of(const Config& config) {
  if (config.empty()) return std::nullopt;
  CLI::App app;
  Raw unused;
  add_commands(app, nullptr, unused);
  return unknown_key(app, config);
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
  if (const char* given = std::getenv("SHARDSTATS_LOG"); given != nullptr && *given != '\0') return given;
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

// One that is none, or two that contradict each other: which of them holds would depend on their order.
std::optional<std::string> wrong_assumption(const std::vector<std::string>& texts) {
  std::map<std::pair<std::string, std::string>, std::string> values;  // by table and key
  for (const std::string& text : texts) {
    const auto parsed = parse_override(text);
    if (const auto* bad = std::get_if<BadOverride>(&parsed)) return bad->message;
    const auto& one = std::get<Override>(parsed);
    const auto [known, is_new] = values.try_emplace({one.table, one.key}, one.value);
    if (!is_new && known->second != one.value)
      return "--assume '" + text + "': the value is given as " + known->second + " before";
  }
  return std::nullopt;
}

// What is wrong with values beyond what CLI11 checks.
std::optional<std::string> wrong_value(const Raw& raw) {
  const std::string& block = raw.block;
  if (!block.empty() && block != "all" && block != "last" && parse_integer(block).value_or(0) < 1)
    return "--block '" + block + "': expected a number from 1, last or all";
  if (auto wrong = wrong_assumption(raw.assume)) return wrong;
  if (const auto keep = keep_matching(raw.options.keep); std::holds_alternative<std::string>(keep))
    return "--keep " + std::get<std::string>(keep);
  return Filter().set(raw.options.filter);
}

// What is wrong with the logs and options of diff.
std::optional<Leave> check_diff(Raw& raw) {
  Options& options = raw.options;
  if (options.logs.size() != 2)
    return failed("diff compares two logs, " + std::to_string(options.logs.size()) +
                  " given; usage: shardstats diff [OPTIONS] BASE NEW");
  if (options.logs[0] == "-" && options.logs[1] == "-")
    return failed("diff: only one of the two logs can be standard input");
  if (options.block == "all") return failed("--block all: diff compares one block of each log; name a number or last");
  if (!raw.fail_on_increase) return std::nullopt;
  const std::string& text = *raw.fail_on_increase;
  if (const auto percent = parse_amount(text, "%"); percent && text.ends_with('%'))
    options.fail_on_increase = IncreaseLimit{*percent, true, text};
  else if (const auto bytes = parse_size(text))
    options.fail_on_increase = IncreaseLimit{static_cast<double>(*bytes), false, text};
  else
    return failed("--fail-on-increase '" + text + "': expected a size or a percentage, for example 2GiB or 3%");
  return std::nullopt;
}

std::variant<Options, Leave> finish(Raw& raw, const Config& config) {
  Options& options = raw.options;
  const Command& command = command_of(options.command);
  options.format = raw.format.empty() ? command.formats.front() : *format_named(raw.format);
  if (const auto wrong = wrong_output(options, command)) return failed(*wrong);
  if (raw.step_summary) {
    const char* path = std::getenv("GITHUB_STEP_SUMMARY");
    if (path == nullptr || *path == '\0')
      return failed("--step-summary: GITHUB_STEP_SUMMARY is not set; it names a file in a step of a GitHub workflow");
    options.step_summary = path;
  }
  options.fail_on = *parse_name<Severity>(raw.fail_on, kSeverityNames);
  options.reconstruct.sort = *parse_name<SortKey>(raw.sort, kSortKeyNames);
  options.reconstruct.top = options.top_findings = raw.top;
  options.timeline = timeline_options(raw.timeline);
  if (command.id == CommandId::stash && raw.stash.bandwidth.empty()) return failed(std::string(kNoBandwidth));
  set_stash_options(raw.stash, options.stash);
  options.threads = raw.threads > 0 ? raw.threads : std::max(std::thread::hardware_concurrency(), 1U);
  for (const std::string& text : raw.assume) options.assume.push_back(std::get<Override>(parse_override(text)));
  if (command.id == CommandId::check) {
    options.budgets.of_plan = plan_budgets(raw.budgets);
    if (auto wrong = read_table_budgets(config, options.budgets.of_tables)) return failed(std::move(*wrong));
    if (options.budgets.of_plan.empty() && options.budgets.of_tables.empty()) return failed(std::string(kNoBudget));
  }
  options.block = !raw.block.empty() ? raw.block : options.command == CommandId::diff ? "last" : "all";
  if (options.command == CommandId::diff)
    if (auto wrong = check_diff(raw)) return *wrong;
  if (options.command == CommandId::whatif || options.command == CommandId::explain)
    if (auto wrong = read_changes(raw.changes, options)) return failed(std::move(*wrong));
  if (options.command == CommandId::report && options.outputs.empty() && isatty(STDOUT_FILENO) != 0)
    return failed(std::string(kPageToTerminal));
  if (!command.reads_logs || !options.logs.empty()) return options;
  auto log = default_log();
  if (!log) return failed(std::string(command.id == CommandId::scan ? kNothingToScan : kNoInput));
  options.logs.push_back(std::move(*log));
  return options;
}

// The options of all commands.
class OptionsOfAll {
 public:
  OptionsOfAll() { add_commands(app_, nullptr, unused_); }
  // Does some command have the option, with a value?
  bool have_value(const std::string& name) const {
    return std::ranges::any_of(app_.get_subcommands({}), [&](const CLI::App* command) {
      const CLI::Option* option = command->get_option_no_throw(name);
      return option != nullptr && option->get_items_expected_max() > 0;
    });
  }

 private:
  CLI::App app_;
  Raw unused_;
};

// "did you mean '--format'?" for the first option on the command line that the command does not have.
std::string near_option(const CLI::App& app, int argc, const char* const* argv) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!word.starts_with("--") || command.get_option_no_throw(word) != nullptr) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = nearest(word, views);
    return near.empty() ? "" : "did you mean '" + std::string(near) + "'? ";
  }
  return "";
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
  // Of any command, too; before anything is set up, as scripts ask for it often.
  const bool asks_for_version = words.size() > 1 && std::string_view(words.back()) == "--version" &&
                                (words.size() == 2 || (words.size() == 3 && is_command(words[1])));
  if (asks_for_version) return Leave{kClean, version_text() + "\n", ""};
  if (words.size() < 2 ? default_log().has_value() : means_summary(words))
    words.insert(words.begin() + 1, command_of(CommandId::summary).name.data());
  argc = static_cast<int>(words.size());
  argv = words.data();
  if (argc < 2)
    return failed("no command given; usage: shardstats COMMAND [LOG...]; `shardstats --help` lists the commands");
  if (auto wrong = wrong_first_word(words)) return failed(std::move(*wrong));
  CLI::App app("", "shardstats");
  Raw raw;
  const Command* chosen = command_named(argv[1]);
  add_commands(app, chosen != nullptr && describes_tool(chosen->id) ? nullptr : chosen, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int status = app.exit(error, out, err);
    if (status == 0) return Leave{kClean, out.str(), ""};
    return Leave{kFailed, "", "shardstats: error: " + near_option(app, argc, argv) + err.str()};
  }
  if (describes_tool(raw.options.command)) return Leave{kClean, description_of_tool(app, raw.options), ""};
  const Command& command = command_of(raw.options.command);
  CLI::App& options = *app.get_subcommand(std::string(command.name));
  const auto loaded = load_config(options);
  if (const auto* wrong = std::get_if<std::string>(&loaded)) return failed(*wrong);
  const auto& config = std::get<Config>(loaded);
  if (auto wrong = unknown_key_of(config)) return failed(std::move(*wrong));
  if (auto wrong = fill_in(options, command, config, [&] { return wrong_value(raw); }))
    return failed(std::move(*wrong));
  return finish(raw, config);
}

}  // namespace shardstats::cli
