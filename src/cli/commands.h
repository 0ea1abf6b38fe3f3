// The commands as one table: dispatch, help and "did you mean" read it.
#pragma once

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
  explain,
  reconstruct,
  report,
  render,
  anonymize,
  rules
};

struct Command {
  CommandId id;
  std::string_view name, help;
  std::string_view details;   // more help; may be empty
  std::string_view examples;  // one a line
  bool reads_logs;
  bool has_target;                        // TARGET in front of the logs (explain), or a rule id (rules)
  bool finds;                             // findings decide the exit status
  std::span<const OutputFormat> formats;  // the first is the default
};

std::span<const Command> commands();
const Command& command_of(CommandId id);
// Its answer is what `verify` finds.
constexpr bool verifies(CommandId id) { return id == CommandId::verify || id == CommandId::scan; }

// Named exit codes (contract.md, "Exit status").
enum ExitStatus : int { kClean = 0, kFindings = 1, kFailed = 2 };

// The word nearest to a misspelt one; empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);
std::string_view nearest_command(std::string_view word);

}  // namespace shardstats::cli
