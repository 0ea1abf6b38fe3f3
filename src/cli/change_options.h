// Options of whatif, and of explain with changes. Tested by tests/cli/assignments_test.cc and the golden runs in
// tests/cli.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

// The values as they were written.
struct ChangeTexts {
  std::vector<std::string> set;
  std::string file;  // empty: none
  std::optional<std::string> max, max_hbm;
};

void add_change_options(CLI::App& app, ChangeTexts& texts);
void add_what_if_options(CLI::App& app, ChangeTexts& texts, Options& options);

// Sets the changes, and the question for the largest value. `said`: those of the texts that are of the command line;
// what the settings say of the same key in another option gives way to them. Returns what is wrong with one of them or
// with all of them together; nullopt: nothing.
std::optional<std::string> read_changes(const ChangeTexts& texts, const ChangeTexts& said, Options& options);

}  // namespace shardstats::cli
