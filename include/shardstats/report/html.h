// `report`: one HTML page with everything in it, data, style, script and chart library. Reads result structs, computes
// nothing. The data are JSON of the page's own, by columns to be small; page.js is its only reader:
//
//   {"tool", "errors": [{"path", "message", "line"}], "blocks": [BLOCK], "comparison": null | {...}}
//
// BLOCK is that of json.h with its findings, and: bounds of many rows as {"low": [...], "spread": [...]} (high - low;
// left out where all are 0; low is null where nothing is known), bytes or picoseconds; words as {"words", "of":
// [index]}. Tested by tests/report/html_test.cc and, in a browser, tests/cli/report_test.py.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/composition.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/report/json.h"

namespace shardstats {

// What the page shows of a block beyond what other commands say. `plan`: all tables and ranks, in the order of the log.
struct HtmlBlock {
  const Plan& rebuilt;
  const BlockView& view;
  const Report& report;
  const Reconstruction& plan;
  const Composition& composition;
  const std::vector<ExplainedTable>& largest;
};
Json html_block(const HtmlBlock& block);  // without "path", which is the caller's

// Two plans side by side.
struct HtmlComparison {
  std::string before, after;  // paths
  const PlanDiff& diff;
};
Json html_comparison(const HtmlComparison& comparison);

Json html_error(const Error& error);

// The page. Bytes of the log that are no UTF-8 become U+FFFD.
std::string html_page(const std::vector<Json>& blocks, const std::vector<Json>& errors,
                      const std::optional<Json>& comparison);

}  // namespace shardstats
