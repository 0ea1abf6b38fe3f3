// Text of check: a line for each budget, then the verdict. Nothing is computed here.
//
//   train.log:6: broken max-hbm: HBM of rank 0 is 9.161 GiB, at most 8.000 GiB is allowed
//
// Tested by tests/report/budgets_test.cc and the golden runs in tests/cli.
#pragma once

#include <string>
#include <string_view>

#include "shardstats/analysis/budgets.h"
#include "shardstats/report/style.h"

namespace shardstats {

// What was found out, in one sentence.
std::string message_of(const BudgetResult& result);
// `passed`: those that are kept, too.
void write_budgets(std::string_view path, const BudgetReport& report, bool passed, const TextStyle& style,
                   std::string& out);
// "findings: 1 broken, 2 undecided and 4 passed budgets in 1 block"
void write_budget_verdict(std::string_view verdict, const BudgetCounts& counts, std::int64_t blocks, std::int64_t logs,
                          const TextStyle& style, std::string& out);

}  // namespace shardstats
