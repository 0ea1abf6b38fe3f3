#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardstats::cli {
namespace {

constexpr OutputFormat kAll[] = {OutputFormat::text, OutputFormat::json, OutputFormat::ndjson};
constexpr OutputFormat kTextOnly[] = {OutputFormat::text};
constexpr OutputFormat kHtmlOnly[] = {OutputFormat::html};
constexpr OutputFormat kTextAndJson[] = {OutputFormat::text, OutputFormat::json};

constexpr std::array<Command, 7> kCommands = {{
    {CommandId::verify, "verify", "Recompute every printed number and locate discrepancies", "",
     "shardstats verify train.log", true, false, true, kAll},
    {CommandId::scan, "scan", "Verify the logs below directories: a line for each, then a summary",
     "Directories are walked in sorted order, without hidden files and without following links to directories.\n"
     "In globs * ? [...] match within a name and ** any number of directories; quote them.\n"
     "Files without planner statistics are counted and passed over; of files that are named it is an error.\n"
     "A file that cannot be read is reported, and the scan goes on; the exit status is 2 then.",
     "shardstats scan runs/\n"
     "shardstats scan 'runs/**/rank0*.log.gz' old.log --select table.storage --fail-on warning\n"
     "shardstats scan -f ndjson runs/ | jq -r 'select(.verdict == \"findings\").logs[0].path'",
     true, false, true, kAll},
    {CommandId::explain, "explain", "Show step by step where a table's, rank's or kernel's memory comes from", "",
     "shardstats explain table_1705 train.log", true, true, false, kAll},
    {CommandId::reconstruct, "reconstruct", "Print the rebuilt plan: every table, shard and rank with byte bounds", "",
     "shardstats reconstruct -f json train.log", true, false, false, kAll},
    {CommandId::report, "report", "Write one HTML page to look around in: ranks, tables, findings, two plans compared",
     "The page needs no network and holds everything. With exactly two logs it compares their last blocks.",
     "shardstats report train.log -o report.html\n"
     "shardstats report before.log after.log -o report.html",
     true, false, false, kHtmlOnly},
    {CommandId::render, "render", "Print the planner blocks again in canonical form", "", "shardstats render train.log",
     true, false, false, kTextOnly},
    {CommandId::rules, "rules", "List every check, or show one", "", "shardstats rules rank.hbm", false, true, false,
     kTextAndJson},
}};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::span<const Command> commands() { return kCommands; }
const Command& command_of(CommandId id) { return kCommands[static_cast<std::size_t>(id)]; }

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  constexpr std::size_t kFar = 4;  // edits that make it another word
  std::string_view best;
  std::size_t least = kFar;
  for (const std::string_view candidate : words)
    if (const std::size_t distance = edit_distance(word, candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  return best;
}

std::string_view nearest_command(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return nearest(word, names);
}

}  // namespace shardstats::cli
