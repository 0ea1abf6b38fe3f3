// CSV (RFC 4180) of verify, scan, check, diff, reconstruct and rules: a header row, then a row for each finding,
// budget, changed number, shard or rule. Column names are stable; docs/formats.md says what is in them. Texts are valid
// UTF-8 without control characters; what is not known or has no bound is empty. Tested by tests/report/csv_test.cc and,
// on the binary, tests/cli/formats_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/sweep.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"

namespace shardstats {

void write_findings_csv_header(std::string& out);
void write_findings_csv(std::string_view path, const BlockView& block, const Report& report, std::string& out);
// A log that could not be read: a row of severity "failed".
void write_error_csv(const Error& error, std::string& out);

void write_budgets_csv_header(std::string& out);
void write_budgets_csv(std::string_view path, const BlockView& block, const BudgetReport& report, std::string& out);
// A log that could not be read: a row of status "failed".
void write_failed_budgets_csv(const Error& error, std::string& out);

void write_diff_csv_header(std::string& out);
// `top`: the first tables, ranks and kernels only; 0: all.
void write_diff_csv(const PlanDiff& diff, std::size_t top, std::string& out);

// `keys`: what takes several values; a row is a point then, else a number that changed.
void write_what_if_csv_header(const std::vector<std::string>& keys, std::string& out);
// `top` as above.
void write_what_if_csv(std::string_view path, const BlockView& block, const WhatIfResult& result, std::size_t top,
                       std::string& out);

void write_shards_csv_header(std::string& out);
void write_shards_csv(std::string_view path, const BlockView& block, const Reconstruction& plan, std::string& out);

void write_rules_csv(const std::vector<const Rule*>& rules, std::string& out);

}  // namespace shardstats
