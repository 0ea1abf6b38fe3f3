// The commands as one table: dispatch, help and "did you mean" read it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/formats.h"

namespace shardstats::cli {

enum class CommandId : std::uint8_t {
  summary,
  verify,
  scan,
  check,
  diff,
  whatif,
  explain,
  reconstruct,
  report,
  timeline,
  stash,
  render,
  anonymize,
  rules,
  completion,
  man
};

struct Command {
  CommandId id;
  std::string_view group;  // heading of the overview that it stands under
  std::string_view name, help;
  std::string_view details;   // more help; may be empty
  std::string_view examples;  // one a line
  bool reads_logs;
  bool finds;                             // findings decide the exit status
  std::span<const OutputFormat> formats;  // the first is the default
};

std::span<const Command> commands();
const Command& command_of(CommandId id);
bool has_format(const Command& command, OutputFormat format);
// Its answer is what `verify` finds.
constexpr bool verifies(CommandId id) { return id == CommandId::verify || id == CommandId::scan; }
// Its answer is made of the commands and their options alone.
constexpr bool describes_tool(CommandId id) { return id == CommandId::completion || id == CommandId::man; }

// About the tool as a whole.
inline constexpr std::string_view kWhatItDoes =
    "Reads the statistics that TorchRec's sharding planner prints into a log, rebuilds the plan and checks every "
    "number.";
inline constexpr std::string_view kOverviewExamples =  // one a line
    "shardstats train.log\n"
    "shardstats verify train.log\n"
    "shardstats explain table_1705 train.log\n"
    "shardstats check --max-hbm 72GiB train.log\n"
    "kubectl logs trainer-0 | shardstats verify -\n"
    "shardstats scan runs/";

// Named exit codes (contract.md, "Exit status").
enum ExitStatus : int { kClean = 0, kFindings = 1, kFailed = 2 };
// What each of them means, by number.
inline constexpr std::array<std::string_view, 3> kStatusMeanings = {
    "nothing found", "findings, or a limit that is not kept",
    "could not do the job: a wrong option, an unreadable log, no planner statistics in it"};

// The word nearest to a misspelt one; empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> words);
std::string nearest_command(std::string_view word);

}  // namespace shardstats::cli
