// Scripts that let a shell complete the commands, options and values of the tool. All names stand in the script:
// nothing runs while the user types. Tested by tests/cli/completion_test.py in the shells themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/manual.h"

namespace shardstats::cli {

enum class Shell : std::uint8_t { bash, zsh, fish };
inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh", "fish"};

std::string completion_script(Shell shell, const CommandManual& tool, const std::vector<CommandManual>& manuals);

}  // namespace shardstats::cli
