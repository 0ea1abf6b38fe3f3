// -n, --top: what it counts in the lists of each command that has it, and how many are shown unless it is given.
// Tested by the golden runs in tests/cli.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands.h"

namespace shardstats::cli {

struct TopOption {
  CommandId command;
  std::string_view help;
  std::size_t in_text;                   // 0: all
  std::optional<std::size_t> elsewhere;  // nullopt: other formats have all in any case
};

inline constexpr std::array<TopOption, 8> kTopOptions = {{
    {CommandId::summary, "Tables of each list; 0 is all", 5, 5},
    {CommandId::verify, "Only the first N findings of a block in text; 0 is all", 0, {}},
    {CommandId::scan, "Rules with the most findings in the summary of text; 0 is all", 5, {}},
    {CommandId::diff, "Only the first N rows of each list; 0 is all", 10, 0},
    {CommandId::whatif, "Only the first N rows of each list; 0 is all", 10, 0},
    {CommandId::reconstruct, "Only the first N tables and ranks; 0 is all", 0, 0},
    {CommandId::timeline, "Ranks that are drawn in text, the fullest first; 0 is all", 1, {}},
    {CommandId::stash, "Tables and ranks of each list in text; 0 is all", 10, {}},
}};

// Null: the command has no --top.
inline const TopOption* top_option(CommandId command) {
  const auto found = std::ranges::find(kTopOptions, command, &TopOption::command);
  return found == kTopOptions.end() ? nullptr : &*found;
}

// "5", "10 in text, else all"
inline std::string default_text(const TopOption& top) {
  const std::string number = std::to_string(top.in_text);
  return top.elsewhere.value_or(top.in_text) == top.in_text ? number : number + " in text, else all";
}

}  // namespace shardstats::cli
