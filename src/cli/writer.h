// Turns results into the bytes of one output format, block by block.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/stash.h"
#include "shardstats/analysis/summary.h"
#include "shardstats/analysis/sweep.h"
#include "shardstats/analysis/timeline.h"
#include "shardstats/report/json.h"
#include "shardstats/report/log_lines.h"
#include "shardstats/report/style.h"
#include "shardstats/report/survey.h"

namespace shardstats::cli {

// All that a command found out about one block; what the command does not ask for is empty.
struct BlockResult {
  std::string_view path;
  bool only = true;    // no other block or log is looked at
  LogLines lines;      // of the log
  BlockView view;      // assumptions of tables summed up
  BlockView detailed;  // and one by one: reconstruct and explain in machine formats
  std::optional<Report> report;
  std::optional<Summary> summary;
  std::optional<BudgetReport> budgets;
  std::optional<Reconstruction> reconstruction;
  std::optional<std::vector<Explained>> explained;
  std::optional<WhatIfResult> what_if;
  std::optional<Timeline> timeline;
  std::optional<StashPlan> stash;
  std::string rendered;
  std::shared_ptr<const Json> page_block;  // report: the block as the page takes it
  int status = 0;                          // of this block alone

  // What decides on the status; none for commands that only answer.
  FindingCounts findings() const {
    return report ? count(report->findings) : budgets ? budgets->findings() : FindingCounts{};
  }
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(std::string& /*out*/) {}
  virtual void begin_log(const std::string& /*path*/) {}
  virtual void block(const BlockResult& result, std::string& out) = 0;
  virtual void log_error(const Error& error, std::string& out) = 0;
  // `log` is filled for scan only. Called for files without a block as well, which had no begin_log().
  virtual void end_log(const LogSurvey& /*log*/, std::string& /*out*/) {}
  // The last blocks of the two logs of a report.
  virtual void compared(const std::string& /*before*/, const std::string& /*after*/, const PlanDiff& /*diff*/) {}
  virtual void end(const Totals& totals, int status, std::string& out) = 0;
};

std::unique_ptr<Writer> make_writer(OutputFormat format, const Options& options, const TextStyle& style);

}  // namespace shardstats::cli
