// Budgets as users give them: options, and [[check.tables]] of the configuration file.
// Tested by tests/cli/settings_test.py and the golden runs in tests/cli.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config.h"
#include "shardstats/analysis/budgets.h"

namespace CLI {
class App;
}

namespace shardstats::cli {

inline constexpr std::string_view kTableBudgets = "check.tables";  // section

// The limits of the plan.
void add_budget_options(CLI::App& app, Budgets& budgets);

std::vector<std::string> table_budget_keys();
// Adds the limits of tables. Returns what is wrong with them; nullopt: nothing.
std::optional<std::string> read_table_budgets(const Config& config, std::vector<TableBudgets>& budgets);

}  // namespace shardstats::cli
