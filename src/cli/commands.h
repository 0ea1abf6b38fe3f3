// The commands as one table: dispatch, help and "did you mean" read it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shardstats::cli {

enum class CommandId : std::uint8_t { verify, scan, explain, reconstruct, report, render, rules };

enum class OutputFormat : std::uint8_t { text, json, ndjson, html };
inline constexpr std::array<std::string_view, 4> kFormatNames = {"text", "json", "ndjson", "html"};

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

// Named exit codes (contract.md, "Exit status").
enum ExitStatus : int { kClean = 0, kFindings = 1, kFailed = 2 };

// The word nearest to a misspelt one; empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);
std::string_view nearest_command(std::string_view word);

}  // namespace shardstats::cli
