#include "cli/man_page.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/split.h"
#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/version.h"

namespace shardstats::cli {
namespace {

constexpr int kSourceColumns = 70;

constexpr std::string_view kWhatLogsAre =
    "LOG is a file, or - for standard input; compressed logs (gzip, zstd, xz, bzip2) and UTF-16 are recognised by "
    "their content. A log may hold any number of planner blocks between other lines.";

struct NameAndText {
  std::string_view name, text;
};
constexpr NameAndText kVariables[] = {
    {"SHARDSTATS_LOG", "the log to read where the command line names none"},
    {"SHARDSTATS_*", "every option: SHARDSTATS_FAIL_ON=warning is --fail-on warning; the command line wins"},
    {"SHARDSTATS_CONFIG, SHARDSTATS_NO_CONFIG", "the configuration file, or that there is none"},
    {"NO_COLOR, FORCE_COLOR", "no colours, or colours without a terminal; --color wins"},
    {"COLUMNS", "the width of text, instead of that of the terminal"},
    {"GITHUB_STEP_SUMMARY", "the file that --step-summary appends to"},
};
constexpr NameAndText kFiles[] = {
    {".shardstats.toml", "options and limits; the nearest one in this directory or above is read"},
};

// Text for roff: nothing in it is a request or an escape, and a "-" is the one that is typed.
std::string roff(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEscapes[] = {{'\\', "\\e"},   {'-', "\\-"},   {'`', "\\(ga"},
                                                                   {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    const auto* escape = std::ranges::find(kEscapes, c, &std::pair<char, std::string_view>::first);
    if (escape == std::end(kEscapes))
      out += c;
    else
      out += escape->second;
  }
  return out;
}

// A paragraph, in lines that people can read.
std::string prose(std::string_view text) {
  std::string out;
  for (const std::string& line : split(wrapped(text, kSourceColumns, 0), "\n")) out += roff(line) + "\n";
  return out;
}

std::string section(std::string_view title) { return ".SH " + std::string(title) + "\n"; }

// A heading in bold, and its text below.
std::string item(std::string_view name, std::string_view text) { return ".TP\n.B " + roff(name) + "\n" + prose(text); }

std::string item(const OptionManual& option, const std::string& more) {
  std::string name;
  for (const std::string& word : option.names) name += (name.empty() ? "\\fB" : ", \\fB") + roff(word) + "\\fR";
  if (option.is_argument && option.repeated) name += "...";
  if (!option.is_argument && !option.value.empty()) name += " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + name + "\n" + prose(description(option) + more);
}

// Lines as they are: examples, tables.
std::string literal(const std::vector<std::string>& lines) {
  std::string text = ".nf\n.RS 4\n";
  for (const std::string& line : lines) text += roff(line) + "\n";
  return text + ".RE\n.fi\n";
}

template <std::size_t N>
std::string pairs_text(const NameAndText (&pairs)[N]) {
  std::string text;
  for (const NameAndText& pair : pairs) text += item(pair.name, pair.text);
  return text;
}

// A line is a paragraph; lines that are indented stay together as they are.
std::string detailed(std::string_view text) {
  std::string out;
  std::vector<std::string> indented;
  const auto flush = [&] {
    if (!indented.empty()) out += ".PP\n" + literal(indented);
    indented.clear();
  };
  for (const std::string& line : split(text, "\n")) {
    if (line.starts_with("  ")) {
      indented.push_back(line.substr(2));
      continue;
    }
    flush();
    out += ".PP\n" + prose(line);
  }
  flush();
  return out;
}

// An option that several commands have with the same meaning.
struct Shared {
  OptionManual option;  // choices and default only if they are the same in all of them
  std::vector<std::string> commands;
};

bool means_same(const OptionManual& a, const OptionManual& b) {
  return a.names == b.names && a.value == b.value && a.help == b.help;
}

std::vector<Shared> shared_options(const std::vector<CommandManual>& manuals) {
  std::vector<Shared> all;
  for (const CommandManual& manual : manuals)
    for (const OptionManual& option : manual.options) {
      auto found = std::ranges::find_if(all, [&](const Shared& one) { return means_same(one.option, option); });
      if (found == all.end()) found = all.insert(all.end(), Shared{option, {}});
      found->commands.emplace_back(manual.command->name);
      if (found->option.choices != option.choices) found->option.choices.clear();
      if (found->option.default_value != option.default_value) found->option.default_value.clear();
    }
  std::erase_if(all, [](const Shared& one) { return one.commands.size() < 2; });
  return all;
}

std::string overview() {
  std::string text;
  for (const std::string_view group : command_groups()) {
    text += ".SS " + roff(group) + "\n";
    for (const Command& command : commands())
      if (command.group == group) text += item(command.name, std::string(command.help) + ".");
  }
  return text;
}

std::string command_text(const CommandManual& manual, const std::vector<Shared>& shared) {
  const Command& command = *manual.command;
  std::string text =
      ".SS " + roff(usage(manual)) + "\n" + prose(std::string(command.help) + ".") + detailed(details(manual));
  for (const OptionManual& argument : manual.arguments) text += item(argument, "");
  for (const OptionManual& option : manual.options)
    if (std::ranges::none_of(shared, [&](const Shared& one) { return means_same(one.option, option); }))
      text += item(option, "");
  return text + ".PP\nFor example:\n.PP\n" + literal(split(command.examples, "\n"));
}

std::string command_texts(const std::vector<CommandManual>& manuals, const std::vector<Shared>& shared) {
  std::string text;
  for (const CommandManual& manual : manuals) text += command_text(manual, shared);
  return text;
}

std::string options_text(const CommandManual& tool, const std::vector<Shared>& shared) {
  std::string text = "What several commands have in common.\n";
  for (const Shared& one : shared) {
    const bool all = one.commands.size() == commands().size();
    text += item(one.option, all ? "" : " (" + listed(one.commands, "") + ")");
  }
  for (const OptionManual& option : tool.options)
    if (std::ranges::none_of(shared, [&](const Shared& one) { return one.option.names == option.names; }))
      text += item(option, " (without a command)");
  return text;
}

std::string formats_text() {
  std::string text;
  for (const Format& format : formats()) {
    std::vector<std::string> names;
    for (const Command& command : commands())
      if (!describes_tool(command.id) && has_format(command, format.id)) names.emplace_back(command.name);
    std::string help(format.help);
    for (const std::string_view extension : format.extensions)
      if (!extension.empty())
        help += (extension == format.extensions.front() ? "; extension " : ", ") + std::string(extension);
    text += item(format.name, help + " (" + listed(names, "") + ")");
  }
  return text;
}

std::string statuses_text() {
  std::string text;
  for (std::size_t status = 0; status < kStatusMeanings.size(); ++status)
    text += item(std::to_string(status), kStatusMeanings[status]);
  return text;
}

}  // namespace

std::string man_page(const CommandManual& tool, const std::vector<CommandManual>& manuals) {
  const std::vector<Shared> shared = shared_options(manuals);
  return ".TH SHARDSTATS 1 \"\" \"shardstats " + std::string(kVersion) + "\" \"User Commands\"\n" + section("NAME") +
         "shardstats \\- read, rebuild and check TorchRec planner statistics\n" + section("SYNOPSIS") +
         roff(usage(tool)) + "\n.br\nshardstats LOG [OPTIONS]\n" + section("DESCRIPTION") + prose(kWhatItDoes) +
         detailed(kWhatLogsAre) + overview() + section("COMMANDS") + command_texts(manuals, shared) +
         section("OPTIONS") + options_text(tool, shared) + section("FORMATS") + formats_text() +
         section("EXIT STATUS") + statuses_text() + section("ENVIRONMENT") + pairs_text(kVariables) + section("FILES") +
         pairs_text(kFiles) + section("EXAMPLES") + literal(split(kOverviewExamples, "\n"));
}

}  // namespace shardstats::cli
