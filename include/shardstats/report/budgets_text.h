// Text of check: a line for each budget. Nothing is computed here.
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

std::string title_of(const BudgetResult& result);  // "max-hbm", "tables.max-hbm of 'ebc.*'"
// What was found out, in one sentence.
std::string message_of(const BudgetResult& result);
// "train.log:6: broken max-hbm: HBM of ...", one line however long.
std::string budget_text(std::string_view path, const BudgetResult& result, const TextStyle& style);
// `passed`: those that are kept, too.
void write_budgets(std::string_view path, const BudgetReport& report, bool passed, const TextStyle& style,
                   std::string& out);

}  // namespace shardstats
