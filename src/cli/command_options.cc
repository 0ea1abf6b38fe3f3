#include "cli/command_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/budget_options.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "cli/settings.h"
#include "cli/split.h"
#include "cli/terminal.h"
#include "cli/timeline_options.h"
#include "cli/top.h"
#include "report/words.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/version.h"

namespace shardstats::cli {
namespace {

constexpr std::int64_t kMostThreads = 1024, kMostRows = 1'000'000'000;

// Numbers that a std::size_t would take otherwise, such as -1, or that no machine could serve.
CLI::Validator count_up_to(std::int64_t most) {
  const auto wrong = [most](std::string& text) -> std::string {
    const auto count = parse_integer(text, most);
    if (!count) return "'" + text + "' is not a number from 0 to " + std::to_string(most);
    text = std::to_string(*count);  // with a 0 in front it would be read as octal
    return "";
  };
  return CLI::Validator(wrong, "", "count");
}

template <std::size_t N>
std::vector<std::string> strings(const std::array<std::string_view, N>& views) {
  return {views.begin(), views.end()};
}

// One of these words; its description is what help and completion read the choices of.
CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto wrong = [words](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return {};
    return "'" + text + "': expected " + listed(words, "or") + did_you_mean(nearest(text, words));
  };
  return CLI::Validator(wrong, "{" + joined(words, ",") + "}", "choice");
}

// An option that has one of the names as its value.
template <class Enum, std::size_t N>
void add_choice(CLI::App& app, const std::string& option, Enum& value, const std::array<std::string_view, N>& names,
                const std::string& help, const std::string& type) {
  const auto parse = [&names](const std::string& word) { return parse_name<Enum>(word, names); };
  add_parsed(app, option, value, parse, help, type)
      ->default_str(std::string(name_of(value, names)))
      ->check(one_of(strings(names)));
}

CLI::Validator file_name() {
  return CLI::Validator([](const std::string& path) { return path.empty() ? "names no file" : ""; }, "", "file");
}

// Empty: it is right.
std::string wrong_block(const std::string& block, bool takes_one) {
  const bool is_all = block == "all";
  if (takes_one && is_all) return "'all': diff compares one block of each log; name a number or last";
  if (is_all || block == "last" || parse_integer(block).value_or(0) >= 1) return {};
  return "'" + block + "': expected a number from 1" + (takes_one ? " or last" : ", last or all");
}

void add_output_options(CLI::App& app, const Command& command, RawOptions& raw) {
  app.add_option("-f,--format", raw.format, "Output format")
      ->type_name("FORMAT")
      ->default_str(std::string(format_of(command.formats.front()).name))
      ->check(one_of(names_of(command.formats)));
  add_repeated(app, "-o,--output", raw.options.outputs,
               "Write to FILE instead of standard output, in the format of its extension", "FILE")
      ->check(file_name());
  if (has_format(command, OutputFormat::markdown))
    app.add_flag("--step-summary", raw.step_summary, "Append the markdown report to the file $GITHUB_STEP_SUMMARY");
  app.add_option("--color", raw.options.color, "Colours")
      ->type_name("WHEN")
      ->capture_default_str()
      ->check(one_of({"auto", "always", "never"}));
  app.add_flag("--ascii", raw.options.ascii, "Text in ASCII; names stay as they are in the log");
  const bool scans = command.id == CommandId::scan;
  app.add_flag("-q,--quiet", raw.options.quiet,
               scans           ? "Logs with findings and verdict only, no progress"
               : command.finds ? "Findings and verdict only"
                               : "The answer alone, without warnings");
  app.add_flag("-v,--verbose", raw.options.verbose,
               scans                             ? "Name the files without a planner block, too"
               : command.id == CommandId::verify ? "Say what to try with each finding"
                                                 : "No effect here; verify and scan say more");
}

void add_log_options(CLI::App& app, const Command& command, RawOptions& raw) {
  const bool takes_one = command.id == CommandId::diff;
  app.add_option("--block", raw.block,
                 takes_one ? "Which planner block of each log, from 1" : "Which planner block of the log, from 1")
      ->type_name(takes_one ? "N|last" : "N|last|all")
      ->default_str(takes_one ? "last" : "all")
      ->check(
          CLI::Validator([takes_one](const std::string& block) { return wrong_block(block, takes_one); }, "", "block"));
  app.add_option("--threads", raw.threads, "Threads for several logs or blocks; 0 is one a processor")
      ->transform(count_up_to(kMostThreads))
      ->capture_default_str();
  app.add_flag("--allow-empty", raw.options.allow_empty, "A log without a planner block is a success");
  add_repeated(app, "--assume", raw.assume, "Override inference, e.g. pipeline=none or table_X.dtype=fp16",
               "KEY=VALUE");
}

void add_rank_filter(CLI::App& app, FilterWords& filter) {
  add_repeated(app, "--rank", filter.ranks, "Only these ranks, e.g. 0,4-7", "LIST");
}

void add_table_filter(CLI::App& app, FilterWords& filter) {
  add_repeated(app, "--table", filter.tables, "Only tables whose FQN matches", "REGEX");
  add_repeated(app, "--exclude-table", filter.excluded_tables, "Not the tables whose FQN matches", "REGEX");
}

void add_filter_options(CLI::App& app, FilterWords& filter) {
  add_table_filter(app, filter);
  add_rank_filter(app, filter);
  add_repeated(app, "--sharding", filter.shardings, "Only tables of these sharding types", "SHARDING");
  add_repeated(app, "--kernel", filter.kernels, "Only tables with these kernels", "KERNEL");
}

void add_rule_options(CLI::App& app, RawOptions& raw) {
  add_repeated(app, "--select", raw.options.filter.select, "Only rules whose id begins with RULE", "RULE");
  add_repeated(app, "--ignore", raw.options.filter.ignore, "Not the rules whose id begins with RULE", "RULE");
  add_choice(app, "--fail-on", raw.options.fail_on, kSeverityNames, "Exit 1 at findings of this severity or above",
             "SEVERITY");
}

void add_logs(CLI::App& app, const Command& command, RawOptions& raw) {
  if (command.id == CommandId::scan)
    app.add_option("PATH", raw.options.logs, "Directories, globs or log files; - is standard input")->type_name("PATH");
  else if (command.id == CommandId::diff)
    app.add_option("LOG", raw.options.logs, "The log before and the log after; - is standard input")
        ->type_name("FILE")
        ->option_text("BASE NEW");
  else
    app.add_option("LOG", raw.options.logs, "Log files; - is standard input")->type_name("FILE");
}

void add_diff_options(CLI::App& app, RawOptions& raw) {
  app.add_option("--fail-on-increase", raw.fail_on_increase,
                 "Exit 1 if the largest rank's HBM increased by more than 2GiB, or 3% of BASE")
      ->type_name("LIMIT");
}

void add_anonymize_options(CLI::App& app, RawOptions& raw) {
  add_repeated(app, "--keep", raw.options.keep, "Names that stay: all of a name, or of an FQN, matches", "REGEX");
  app.add_option("--map", raw.options.name_map,
                 "Write to FILE what was replaced by what, readable by you alone: JSON if it ends in .json, else lines "
                 "with tabs")
      ->type_name("FILE")
      ->check(file_name());
}

void add_top(CLI::App& app, CommandId command, std::optional<std::size_t>& top) {
  const TopOption* option = top_option(command);
  if (option == nullptr) return;
  app.add_option("-n,--top", top, std::string(option->help))
      ->transform(count_up_to(kMostRows))
      ->default_str(default_text(*option));
}

// The word in front of the logs.
void add_target(CLI::App& app, CommandId command, std::string& target) {
  if (command == CommandId::explain)
    app.add_option("TARGET", target, "What to explain: a table, rank:N, kernel:NAME, plan or others, see below")
        ->type_name("TARGET")
        ->required();
  if (command == CommandId::rules) app.add_option("RULE", target, "A rule id or its beginning")->type_name("RULE");
  if (command == CommandId::completion)
    app.add_option("SHELL", target, "The shell that is to complete")
        ->type_name("SHELL")
        ->check(one_of(strings(kShellNames)))
        ->required();
}

void add_stash_command_options(CLI::App& app, RawOptions& raw) {
  add_timeline_options(app, raw.options.timeline);
  add_stash_options(app, raw.options.stash);
  add_table_filter(app, raw.options.filter);
  add_rank_filter(app, raw.options.filter);
}

// Those that one command has, or two.
void add_own_options(CLI::App& app, CommandId command, RawOptions& raw) {
  switch (command) {
    case CommandId::diff:
      return add_diff_options(app, raw);
    case CommandId::anonymize:
      return add_anonymize_options(app, raw);
    case CommandId::explain:
      return add_change_options(app, raw.changes);
    case CommandId::whatif:
      add_change_options(app, raw.changes);
      return add_what_if_options(app, raw.changes, raw.options);
    case CommandId::timeline:
      add_timeline_options(app, raw.options.timeline);
      return add_rank_filter(app, raw.options.filter);
    case CommandId::stash:
      return add_stash_command_options(app, raw);
    case CommandId::reconstruct:
      return add_choice(app, "-s,--sort", raw.options.reconstruct.sort, kSortKeyNames, "Order of tables", "KEY");
    default:
      return;
  }
}

bool has_table_filters(CommandId command) {
  return verifies(command) || command == CommandId::reconstruct || command == CommandId::diff ||
         command == CommandId::whatif;
}

// In the order of the help.
void add_command(CLI::App& app, const Command& command, RawOptions& raw) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
  add_target(*sub, command.id, raw.options.target);
  sub->callback([&raw, id = command.id] { raw.options.command = id; });
  if (describes_tool(command.id)) return;
  add_output_options(*sub, command, raw);
  if (command.reads_logs) {
    add_logs(*sub, command, raw);
    add_log_options(*sub, command, raw);
  }
  if (has_table_filters(command.id)) add_filter_options(*sub, raw.options.filter);
  if (verifies(command.id)) add_rule_options(*sub, raw);
  if (command.id == CommandId::check) add_budget_options(*sub, raw.options.budgets);
  add_own_options(*sub, command.id, raw);
  if (command.finds || command.id == CommandId::diff)
    sub->add_flag("--exit-zero", raw.options.exit_zero, "Exit 0 whatever is found");
  add_top(*sub, command.id, raw.top);
  add_config_options(*sub);
  sub->set_version_flag("-V,--version", version_text())->group("");  // not in the help of each
}

}  // namespace

std::string version_text() { return "shardstats " + std::string(kVersion); }

std::vector<std::string> names_of(std::span<const OutputFormat> formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.emplace_back(format_of(format).name);
  return names;
}

void add_commands(CLI::App& app, const Command* only, RawOptions& raw) {
  app.formatter_fn([](const CLI::App* chosen, std::string, CLI::AppFormatMode) {
    return help_text(describe(*chosen), terminal_width(isatty(STDOUT_FILENO) != 0 ? STDOUT_FILENO : -1));
  });
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("-V,--version", version_text(), "Print the version and exit");
  app.require_subcommand(1);
  for (const Command& command : commands())
    if (only == nullptr || only == &command) add_command(app, command, raw);
}

}  // namespace shardstats::cli
