#include "cli/help.h"

#include <algorithm>

#include "cli/split.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kNameColumns = 30, kCommandColumns = 15, kFormatColumns = 12;
constexpr int kMostColumns = 100;  // longer lines are hard to read
constexpr std::size_t kLeastText = 24, kNarrowColumns = 6;

// "  name       text", the text in a column of its own, and on lines of its own where the name is too long or the
// terminal too narrow.
std::string row(const std::string& name, const std::string& text, std::size_t columns, int width) {
  if (columns + kLeastText > static_cast<std::size_t>(width)) columns = kNarrowColumns;
  const std::string body = wrapped(std::string(columns, ' ') + text, width, static_cast<int>(columns)) + "\n";
  const std::string start = "  " + name;
  return start + (start.size() < columns ? body.substr(start.size()) : "\n" + body);
}

std::string options_help(const std::string& title, const std::vector<OptionManual>& options, int width) {
  if (options.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (const OptionManual& option : options) text += row(heading(option), description(option), kNameColumns, width);
  return text;
}

std::string usage_help(const std::string& words, int width) {
  constexpr std::string_view kUsage = "Usage: ";
  return wrapped(std::string(kUsage) + words, width, static_cast<int>(kUsage.size())) + "\n";
}

std::string paragraphs(std::string_view lines, int width) {
  std::string text;
  for (const std::string& line : split(lines, "\n")) text += wrapped(line, width, 0) + "\n";
  return text;
}

std::string formats_help(const Command& command, int width) {
  std::string text = "\n" + wrapped("Formats, and the extensions by which -o takes them:", width, 0) + "\n";
  for (const OutputFormat id : command.formats) {
    const Format& format = format_of(id);
    std::string help(format.help);
    for (const std::string_view extension : format.extensions)
      if (!extension.empty()) help += (extension == format.extensions.front() ? "; " : " ") + std::string(extension);
    text += row(std::string(format.name), help, kFormatColumns, width);
  }
  return text;
}

std::string examples_help(std::string_view examples) {
  std::string text = "\nExamples:\n";
  for (const std::string& line : split(examples, "\n")) text += "  " + line + "\n";
  return text;
}

std::string overview(const CommandManual& tool, int width) {
  std::string text = wrapped(kWhatItDoes, width, 0) + "\n\n" + usage_help(usage(tool), width) +
                     wrapped("       shardstats LOG [OPTIONS]    the same as shardstats summary LOG", width, 11) + "\n";
  for (const std::string_view group : command_groups()) {
    text += "\n" + std::string(group) + ":\n";
    for (const Command& command : commands())
      if (command.group == group)
        text += row(std::string(command.name), std::string(command.help), kCommandColumns, width);
  }
  text += options_help("Options", tool.options, width);
  text += "\nExit status:\n";
  for (std::size_t status = 0; status < kStatusMeanings.size(); ++status)
    text += row(std::to_string(status), std::string(kStatusMeanings[status]), 5, width);
  text += examples_help(kOverviewExamples);
  return text + "\n" + wrapped("`shardstats COMMAND --help` explains a command with its options.", width, 0) + "\n";
}

}  // namespace

std::string help_text(const CommandManual& manual, int width) {
  width = std::min(width, kMostColumns);
  if (manual.command == nullptr) return overview(manual, width);
  const Command& command = *manual.command;
  std::string text = wrapped(command.help, width, 0) + "\n\n" + usage_help(usage(manual), width);
  text += options_help("Arguments", manual.arguments, width);
  text += options_help("Options", manual.options, width);
  if (const std::string more = details(manual); !more.empty()) text += "\n" + paragraphs(more, width);
  if (command.formats.size() > 1) text += formats_help(command, width);
  return text + examples_help(command.examples);
}

}  // namespace shardstats::cli
