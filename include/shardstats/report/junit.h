// JUnit XML of verify and scan: a test suite for each block, in it a test case for each rule that had something to
// compare. Findings at or above --fail-on are failures, the others are in <system-out>. A log that could not be read is
// a suite with one error. Test suites are complete in themselves, so they are written one after the other.
//
// The form is what both the XSD of Ant's JUnit task and that of Jenkins allow. Ant's wants times and a host, which say
// nothing of a log: they are constant, so that the same log gives the same bytes.
// Tested by tests/report/junit_test.cc and, on the binary, tests/cli/formats_test.py.
#pragma once

#include <string>
#include <string_view>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"

namespace shardstats {

void write_junit_head(std::string& out);
// `id`: 0, 1, 2, ... through the document.
void write_junit_suite(std::string_view path, const BlockView& block, const Report& report, Severity fail_on, int id,
                       std::string& out);
// A case for each budget: a failure if it is broken, skipped if it cannot be known.
void write_junit_suite(std::string_view path, const BlockView& block, const BudgetReport& report, int id,
                       std::string& out);
void write_junit_error(const Error& error, int id, std::string& out);
void write_junit_tail(std::string& out);

}  // namespace shardstats
