#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <vector>

#include "shardstats/analysis/nearest.h"

namespace shardstats::cli {
namespace {

using enum OutputFormat;
constexpr OutputFormat kOfFindings[] = {text, json, ndjson, csv, markdown, sarif, junit, github};
constexpr OutputFormat kOfPlans[] = {text, json, ndjson, csv, markdown};
constexpr OutputFormat kOfDiffs[] = {text, json, ndjson, csv, markdown, github};
constexpr OutputFormat kOfSteps[] = {text, json, ndjson, markdown};
constexpr OutputFormat kOfTimelines[] = {text, json, ndjson, trace, html};
constexpr OutputFormat kOfStashes[] = {text, json, ndjson};
constexpr OutputFormat kOfChanges[] = {text, json, ndjson, csv, markdown, html};
constexpr OutputFormat kOfRules[] = {text, json, csv};
constexpr OutputFormat kTextOnly[] = {text};
constexpr OutputFormat kPageOnly[] = {html};

constexpr std::string_view kLook = "Look at a plan", kCheck = "Check it", kCompare = "Compare plans",
                           kShare = "Pass a log on", kSetUp = "Set up the shell";

constexpr std::array<Command, 16> kCommands = {{
    {CommandId::summary, kLook, "summary", "Will it run out of memory, is it slow, and why",
     "The change that would help most is found by computing the storage anew for a few common ones; perf and "
     "placement are left as they are.",
     "shardstats summary train.log\nshardstats summary --top 20 train.log\nshardstats summary -f json train.log | jq "
     "'.logs[0].blocks[0].overview.memory'",
     true, false, kOfSteps},
    {CommandId::verify, kCheck, "verify", "Recompute every printed number and locate discrepancies",
     "A finding names the line and the column of the number in dispute; `shardstats rules RULE` has its formula.\n"
     "A log with notes alone is clean: --fail-on decides which severity fails.",
     "shardstats verify train.log\n"
     "kubectl logs trainer-0 | shardstats verify -\n"
     "shardstats verify --select table.storage --table 'ebc.user_.*' train.log\n"
     "shardstats verify --assume pipeline=none train.log\n"
     "shardstats verify -o - -o report.sarif -o junit.xml train.log",
     true, true, kOfFindings},
    {CommandId::scan, kCheck, "scan", "Verify the logs below directories: a line for each, then a summary",
     "Directories are walked in sorted order, without hidden files and without following links to directories.\n"
     "In globs * ? [...] match within a name and ** any number of directories; quote them.\n"
     "Files without planner statistics are counted and passed over; of files that are named it is an error.\n"
     "A file that cannot be read is reported, and the scan goes on; the exit status is 2 then.",
     "shardstats scan runs/\n"
     "shardstats scan 'runs/**/rank0*.log.gz' old.log --fail-on warning\n"
     "shardstats scan -f ndjson . | jq 'select(.verdict==\"findings\").logs[]?.path'",
     true, true, kOfFindings},
    {CommandId::check, kCheck, "check", "Say whether a plan keeps limits on memory, balance and perf",
     "Limits are inclusive; those of single tables stand in the configuration file, see docs/check.md.\n"
     "What cannot be known from the log is a warning, with --strict it counts as broken.",
     "shardstats check --max-hbm 72GiB --max-imbalance 10% train.log\n"
     "shardstats check --config limits.toml --strict runs/*/train.log",
     true, true, kOfFindings},
    {CommandId::diff, kCompare, "diff", "Compare two logs: what changed, by how much, and why",
     "The last planner block of each log is compared; --block N takes another one.\n"
     "Sizes are bounds; something changed only if no value fits both logs.",
     "shardstats diff base.log new.log\n"
     "shardstats diff --fail-on-increase 2GiB -o comment.md base.log new.log",
     true, false, kOfDiffs},
    {CommandId::whatif, kCompare, "whatif",
     "Change the batch size, a table or the release, and see the plan that it gives",
     "A change is KEY=VALUE for the run, NAME.ATTRIBUTE=VALUE for tables (NAME as in `explain`), or 'drop NAME'.\n"
     "Shards stay on their ranks; those of tables whose number of shards changes go where least HBM is taken.\n"
     "Values such as 64,96,128 or 1024..16384*2 make a table with a row for each.",
     "shardstats whatif --set batch_size=4096 train.log\n"
     "shardstats whatif --set table_7.sharding=RW --set optimizer=sgd train.log\n"
     "shardstats whatif --set batch_size=1024..16384*2 -o - -o sweep.html train.log\n"
     "shardstats whatif --max batch_size --max-hbm 72GiB train.log\n"
     "shardstats whatif --set release=v1.8.0 --render train.log > changed.log",
     true, false, kOfChanges},
    {CommandId::explain, kLook, "explain", "Show step by step where a number of a table, rank or kernel comes from",
     "TARGET is one of:\n"
     "  NAME              a table: its FQN, its last parts or a glob ('ebc.user_*')\n"
     "  table:NAME@rank:N the part of a table that lies on a rank\n"
     "  rank:N            a rank\n"
     "  kernel:NAME       all tables with a compute kernel\n"
     "  plan              the whole plan\n"
     "  assumption:NAME   an inferred input, and what rules its other values out\n"
     "  a rule id         a printed line such as imbalance.hbm.kl or tiers.2",
     "shardstats explain table_1705 train.log\n"
     "shardstats explain table:table_1705@rank:3 train.log\n"
     "shardstats explain rank:43 train.log\n"
     "shardstats explain assumption:pipeline_type train.log",
     true, false, kOfSteps},
    {CommandId::reconstruct, kLook, "reconstruct",
     "Print the rebuilt plan: every table, shard and rank with byte bounds",
     "The planner rounds what it prints and hides its inputs: a size is a pair of bounds, equal where it is exact.",
     "shardstats reconstruct --sort hbm --top 10 train.log\n"
     "shardstats reconstruct --rank 0,4-7 train.log\n"
     "shardstats reconstruct -o shards.csv train.log",
     true, false, kOfPlans},
    {CommandId::report, kLook, "report",
     "Write one HTML page to look around in: ranks, tables, findings, two plans compared",
     "The page needs no network and holds everything. With exactly two logs it compares their last blocks.",
     "shardstats report train.log -o report.html\n"
     "shardstats report base.log new.log -o report.html",
     true, false, kPageOnly},
    {CommandId::timeline, kLook, "timeline", "Show the memory of each rank over one training step",
     "The planner adds up what a rank holds; the timeline says when it holds it, and explains the difference.\n"
     "docs/timeline.md says which sizes are the planner's formulas and which times are assumed.",
     "shardstats timeline --activations 20GiB train.log\n"
     "shardstats timeline --rank 0,4-7 --top 0 train.log\n"
     "shardstats timeline -o step.trace.json -o step.html train.log",
     true, false, kOfTimelines},
    {CommandId::stash, kLook, "stash", "Choose weights to stash in host memory while dense modules run",
     "Weights of fused tables go to pinned host memory after the lookup, and back before the embedding backward.\n"
     "--table and --exclude-table say which tables may be stashed; docs/stash.md says what is assumed.\n"
     "RATE is a size a second, such as 450GB/s; TIME is in milliseconds.",
     "shardstats stash --bandwidth 450GB/s --window 60ms train.log\n"
     "shardstats stash --bandwidth 450GB/s --activations 20GiB train.log\n"
     "shardstats stash --bandwidth 450GB/s --target-hbm 72GiB --table ebc train.log",
     true, false, kOfStashes},
    {CommandId::render, kShare, "render", "Print the planner blocks again in canonical form",
     "Without logger prefixes and everything around the blocks, and with wrapped, glued or escaped lines put together.",
     "shardstats render train.log > blocks.log\n"
     "shardstats render --block last train.log.gz",
     true, false, kTextOnly},
    {CommandId::anonymize, kShare, "anonymize",
     "Print the planner blocks without the names of the model, for bug reports",
     "Each name becomes another of the same length, the same one everywhere; numbers and widths stay, so that the "
     "blocks verify as before. Nothing but the blocks is printed. docs/anonymize.md says what is a name.",
     "shardstats anonymize -o report.log train.log\n"
     "shardstats anonymize --keep 'ebc|ec' --map names.json train.log > report.log",
     true, false, kTextOnly},
    {CommandId::rules, kCheck, "rules", "List every check, or show one", "",
     "shardstats rules\n"
     "shardstats rules rank.hbm\n"
     "shardstats rules -f csv > rules.csv",
     false, false, kOfRules},
    {CommandId::completion, kSetUp, "completion", "Print a script that completes commands, options and values",
     "The script holds what this version of the tool knows; `cmake --install` puts it where the shells look for it.",
     "shardstats completion zsh > ~/.zfunc/_shardstats\n"
     "shardstats completion fish > ~/.config/fish/completions/shardstats.fish\n"
     "source <(shardstats completion bash)    # in ~/.bashrc",
     false, false, kTextOnly},
    {CommandId::man, kSetUp, "man", "Print the manual page", "",
     "shardstats man | man -l -\nshardstats man > shardstats.1", false, false, kTextOnly},
}};

}  // namespace

std::span<const Command> commands() { return kCommands; }
const Command& command_of(CommandId id) { return kCommands[static_cast<std::size_t>(id)]; }

bool has_format(const Command& command, OutputFormat format) {
  return std::ranges::find(command.formats, format) != command.formats.end();
}

std::string nearest(std::string_view word, std::span<const std::string> words) {
  constexpr std::size_t kFar = 4;        // edits that make it another word; more than half of its letters do, too
  constexpr std::size_t kBeginning = 3;  // letters that tell which word was begun
  std::string best;
  std::size_t least = std::min(kFar, word.size() / 2 + 1);
  for (const std::string& candidate : words)
    if (const std::size_t distance = edit_distance(word, candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  if (!best.empty() || word.size() < kBeginning) return best;
  const auto begun = std::ranges::find_if(words, [&](const std::string& one) { return one.starts_with(word); });
  return begun == words.end() ? best : *begun;
}

std::string nearest_command(std::string_view word) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return nearest(word, names);
}

}  // namespace shardstats::cli
