#include "cli/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "shardstats/version.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kNoInput =
    "no log given: name a file, pipe one in, or set SHARDSTATS_LOG, for example `shardstats verify train.log`";
constexpr std::string_view kPageToTerminal =
    "a page is nothing for a terminal: name a file, for example `shardstats report train.log -o report.html`";
constexpr std::string_view kNothingToScan =
    "nothing to scan: name directories, files or globs, for example `shardstats scan .`";

// Values as CLI11 fills them; finish() turns them into Options.
struct Raw {
  Options options;
  std::string format, fail_on = "error", sort = "log";
  std::size_t top = 0, threads = 0;  // 0 threads: as many as the machine runs at once
  std::vector<std::string> assume;
};

std::vector<std::string> names_of(std::span<const OutputFormat> formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.emplace_back(name_of(format, kFormatNames));
  return names;
}

template <std::size_t N>
std::vector<std::string> strings(const std::array<std::string_view, N>& views) {
  return {views.begin(), views.end()};
}

void add_output_options(CLI::App& app, const Command& command, Raw& raw) {
  app.add_option("-f,--format", raw.format, "Output format")->check(CLI::IsMember(names_of(command.formats)));
  app.add_option("-o,--output", raw.options.outputs, "Write to FILE instead of standard output; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--color", raw.options.color, "Colours: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--ascii", raw.options.ascii, "No characters outside ASCII in text");
  const bool scans = command.id == CommandId::scan;
  app.add_flag("-q,--quiet", raw.options.quiet,
               scans ? "Logs with findings and verdict only, no progress" : "Findings and verdict only");
  app.add_flag("-v,--verbose", raw.options.verbose,
               scans ? "Name the files without a planner block, too" : "Say what to try with each finding");
}

void add_log_options(CLI::App& app, Raw& raw) {
  app.add_option("--block", raw.options.block, "Which planner block of the log: a number from 1, last or all");
  app.add_option("--threads", raw.threads, "Threads for several logs or blocks; 0 is one a processor");
  app.add_flag("--allow-empty", raw.options.allow_empty, "A log without a planner block is a success");
  app.add_option("--assume", raw.assume,
                 "Override inference, e.g. pipeline=none or table_X.dtype=fp16; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_filter_options(CLI::App& app, Raw& raw) {
  FilterWords& filter = raw.options.filter;
  app.add_option("--table", filter.tables, "Only tables whose FQN matches")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--exclude-table", filter.excluded_tables, "Not the tables whose FQN matches")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--rank", filter.ranks, "Only these ranks, e.g. 0,4-7")->type_name("LIST")->allow_extra_args(false);
  app.add_option("--sharding", filter.shardings, "Only tables of these sharding types")
      ->type_name("TYPE")
      ->allow_extra_args(false);
  app.add_option("--kernel", filter.kernels, "Only tables with these kernels")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_check_options(CLI::App& app, Raw& raw) {
  app.add_option("--select", raw.options.filter.select, "Only rules that begin so")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--ignore", raw.options.filter.ignore, "Not the rules that begin so")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--fail-on", raw.fail_on, "Exit 1 at findings of this severity or above")
      ->check(CLI::IsMember(strings(kSeverityNames)));
  app.add_flag("--exit-zero", raw.options.exit_zero, "Exit 0 whatever is found");
}

std::string footer_of(const Command& command) {
  std::string text(command.details);
  if (!text.empty()) text += "\n\n";
  std::string examples(command.examples);
  if (examples.find('\n') == std::string::npos) return text + "Example: " + examples;
  for (std::size_t at = 0; (at = examples.find('\n', at)) != std::string::npos; ++at) examples.insert(at + 1, "  ");
  return text + "Examples:\n  " + examples;
}

void add_logs(CLI::App& app, const Command& command, Raw& raw) {
  if (command.id == CommandId::scan)
    app.add_option("PATH", raw.options.logs, "Directories, globs or log files; - is standard input")->type_name("");
  else
    app.add_option("LOG", raw.options.logs, "Log files; - is standard input")->type_name("FILE");
}

void add_command(CLI::App& app, const Command& command, Raw& raw) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
  sub->footer(footer_of(command));
  if (command.id == CommandId::explain)
    sub->add_option("TARGET", raw.options.target,
                    "A table (FQN, its last part or a glob), rank:N, table:NAME@rank:N, kernel:NAME, plan, "
                    "assumption:NAME, or the "
                    "rule id of a printed line (imbalance.hbm.kl, tiers.2, critical_path.comms)")
        ->required();
  if (command.id == CommandId::rules) sub->add_option("RULE", raw.options.target, "A rule id or its beginning");
  add_output_options(*sub, command, raw);
  if (command.reads_logs) {
    add_logs(*sub, command, raw);
    add_log_options(*sub, raw);
  }
  if (command.finds || command.id == CommandId::reconstruct) add_filter_options(*sub, raw);
  if (command.finds) add_check_options(*sub, raw);
  if (command.id == CommandId::verify)
    sub->add_option("-n,--top", raw.top, "Only the first N findings of a block in text; 0 is all");
  if (command.id == CommandId::scan)
    sub->add_option("-n,--top", raw.options.top_rules, "Rules with the most findings in the summary of text; 0 is all");
  if (command.id == CommandId::reconstruct) {
    sub->add_option("-n,--top", raw.top, "Only the first N tables and ranks; 0 is all");
    sub->add_option("-s,--sort", raw.sort, "Order of tables")->check(CLI::IsMember(strings(kSortKeyNames)));
  }
  sub->callback([&raw, id = command.id] { raw.options.command = id; });
}

bool stdin_has_input() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode);
}

Leave failed(std::string message) { return {kFailed, "", "shardstats: error: " + std::move(message) + "\n"}; }

std::variant<Options, Leave> finish(Raw& raw) {
  Options& options = raw.options;
  const Command& command = command_of(options.command);
  options.format = raw.format.empty() ? command.formats.front() : *parse_name<OutputFormat>(raw.format, kFormatNames);
  options.fail_on = *parse_name<Severity>(raw.fail_on, kSeverityNames);
  options.reconstruct.sort = *parse_name<SortKey>(raw.sort, kSortKeyNames);
  options.reconstruct.top = options.top_findings = raw.top;
  options.threads = raw.threads > 0 ? raw.threads : std::max(std::thread::hardware_concurrency(), 1U);
  for (const std::string& text : raw.assume) {
    auto parsed = parse_override(text);
    if (const auto* bad = std::get_if<BadOverride>(&parsed)) return failed(bad->message);
    options.assume.push_back(std::get<Override>(std::move(parsed)));
  }
  if (options.block != "all" && options.block != "last" && parse_integer(options.block).value_or(0) < 1)
    return failed("--block '" + options.block + "': expected a number from 1, last or all");
  if (options.command == CommandId::report && options.outputs.empty() && isatty(STDOUT_FILENO) != 0)
    return failed(std::string(kPageToTerminal));
  if (!command.reads_logs || !options.logs.empty()) return options;
  if (const char* given = std::getenv("SHARDSTATS_LOG"); given != nullptr && *given != '\0')
    options.logs.emplace_back(given);
  else if (stdin_has_input())
    options.logs.emplace_back("-");
  else
    return failed(std::string(command.id == CommandId::scan ? kNothingToScan : kNoInput));
  return options;
}

// A first word that is no command: a misspelt one, or a log without a command.
std::optional<Leave> unknown_command(int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  const std::string_view word = argv[1];
  for (const Command& command : commands())
    if (command.name == word) return std::nullopt;
  std::string message = "unknown command '" + std::string(word) + "'";
  if (struct stat status{}; stat(argv[1], &status) == 0)
    message += S_ISDIR(status.st_mode) ? "; to check the logs in it: shardstats scan " + std::string(word)
                                       : "; to check this log: shardstats verify " + std::string(word);
  else if (const std::string_view nearest = nearest_command(word); !nearest.empty())
    message += "; did you mean '" + std::string(nearest) + "'?";
  else
    message += "; `shardstats --help` lists the commands";
  return failed(std::move(message));
}

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
  if (argc == 2 && std::string_view(argv[1]) == "--version")
    return Leave{kClean, "shardstats " + std::string(kVersion) + "\n", ""};
  if (argc < 2)
    return failed("no command given; usage: shardstats COMMAND [LOG...]; `shardstats --help` lists the commands");
  if (auto unknown = unknown_command(argc, argv)) return *unknown;
  CLI::App app("Parses TorchRec planner statistics logs, rebuilds the plan and checks every number.", "shardstats");
  app.set_version_flag("--version", "shardstats " + std::string(kVersion));
  app.footer(
      "Examples:\n  shardstats verify train.log\n  shardstats scan runs/\n  shardstats explain table_1705 train.log\n"
      "  zcat train.log.gz | shardstats reconstruct -f json | jq .logs");
  app.require_subcommand(1);
  Raw raw;
  for (const Command& command : commands()) add_command(app, command, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int status = app.exit(error, out, err);
    if (status == 0) return Leave{kClean, out.str() + (out.str().ends_with('\n') ? "" : "\n"), ""};
    return Leave{kFailed, "", "shardstats: error: " + near_option(app, argc, argv) + err.str()};
  }
  return finish(raw);
}

}  // namespace shardstats::cli
