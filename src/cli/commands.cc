#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardstats::cli {
namespace {

using enum OutputFormat;
constexpr OutputFormat kOfFindings[] = {text, json, ndjson, csv, markdown, sarif, junit, github};
constexpr OutputFormat kOfPlans[] = {text, json, ndjson, csv, markdown};
constexpr OutputFormat kOfDiffs[] = {text, json, ndjson, csv, markdown, github};
constexpr OutputFormat kOfSteps[] = {text, json, ndjson, markdown};
constexpr OutputFormat kOfRules[] = {text, json, csv};
constexpr OutputFormat kTextOnly[] = {text};
constexpr OutputFormat kPageOnly[] = {html};

constexpr std::array<Command, 11> kCommands = {{
    {CommandId::summary, "summary", "Will it run out of memory, is it slow, and why (also: shardstats LOG)",
     "The change that would help most is found by computing the storage anew for a few common ones; perf and "
     "placement\n"
     "are left as they are.",
     "shardstats summary train.log\nshardstats summary --top 20 train.log\nshardstats summary -f json train.log | jq "
     "'.logs[0].blocks[0].overview.memory'",
     true, false, false, kOfSteps},
    {CommandId::verify, "verify", "Recompute every printed number and locate discrepancies", "",
     "shardstats verify train.log\n"
     "shardstats verify -o - -o report.sarif -o junit.xml train.log",
     true, false, true, kOfFindings},
    {CommandId::scan, "scan", "Verify the logs below directories: a line for each, then a summary",
     "Directories are walked in sorted order, without hidden files and without following links to directories.\n"
     "In globs * ? [...] match within a name and ** any number of directories; quote them.\n"
     "Files without planner statistics are counted and passed over; of files that are named it is an error.\n"
     "A file that cannot be read is reported, and the scan goes on; the exit status is 2 then.",
     "shardstats scan runs/\n"
     "shardstats scan 'runs/**/rank0*.log.gz' old.log --select table.storage --fail-on warning\n"
     "shardstats scan -f ndjson runs/ | jq -r 'select(.verdict == \"findings\").logs[0].path'",
     true, false, true, kOfFindings},
    {CommandId::check, "check", "Say whether a plan keeps limits on memory, balance and perf",
     "SIZE is a number with B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024). Limits are inclusive.\n"
     "Limits of single tables stand in the configuration file, see docs/check.md.\n"
     "What cannot be known from the log is a warning, with --strict it counts as broken.",
     "shardstats check --max-hbm 72GiB --max-imbalance 10% train.log\n"
     "shardstats check --config limits.toml --strict runs/7/train.log runs/8/train.log",
     true, false, true, kOfFindings},
    {CommandId::diff, "diff", "Compare two logs: what changed, by how much, and why",
     "The last planner block of each log is compared; --block N takes another one.\n"
     "Sizes are bounds; something changed only if no value fits both logs.",
     "shardstats diff base.log new.log\n"
     "shardstats diff --fail-on-increase 2GiB -f markdown base.log new.log > comment.md",
     true, false, false, kOfDiffs},
    {CommandId::explain, "explain", "Show step by step where a table's, rank's or kernel's memory comes from", "",
     "shardstats explain table_1705 train.log", true, true, false, kOfSteps},
    {CommandId::reconstruct, "reconstruct", "Print the rebuilt plan: every table, shard and rank with byte bounds", "",
     "shardstats reconstruct -f json train.log", true, false, false, kOfPlans},
    {CommandId::report, "report", "Write one HTML page to look around in: ranks, tables, findings, two plans compared",
     "The page needs no network and holds everything. With exactly two logs it compares their last blocks.",
     "shardstats report train.log -o report.html\n"
     "shardstats report before.log after.log -o report.html",
     true, false, false, kPageOnly},
    {CommandId::render, "render", "Print the planner blocks again in canonical form", "", "shardstats render train.log",
     true, false, false, kTextOnly},
    {CommandId::anonymize, "anonymize", "Print the planner blocks without the names of the model, for bug reports",
     "Each name becomes another of the same length, the same one everywhere; numbers and widths stay, so that the\n"
     "blocks verify as before. Nothing but the blocks is printed. docs/anonymize.md says what is a name.",
     "shardstats anonymize -o report.log train.log\n"
     "shardstats anonymize --keep 'sparse_arch|ebc' --map names.json train.log > report.log",
     true, false, false, kTextOnly},
    {CommandId::rules, "rules", "List every check, or show one", "", "shardstats rules rank.hbm", false, true, false,
     kOfRules},
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
