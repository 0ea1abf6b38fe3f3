// JSON of check: "checks" of a block. Tested by tests/report/budgets_test.cc and tests/cli/contract_test.py.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shardstats/analysis/budgets.h"

namespace shardstats {

nlohmann::ordered_json budgets_json(const BudgetReport& report);

}  // namespace shardstats
