// JSON, schema_version 1 (contract.md). Reads result structs, computes nothing.
// Tested by tests/report/json_test.cc and, on the binary, tests/cli/contract_test.py.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/findings.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/summary.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"
#include "shardstats/report/verdict.h"

namespace shardstats {

using Json = nlohmann::ordered_json;  // <nlohmann/json.hpp> is for those that look into one: it takes seconds to read

// An object without members, and room for so many: they are not moved when others are added.
Json object_for(std::size_t members);

Json bounds_json(Interval<int> x);
Json bounds_json(ByteInterval x);
Json bounds_json(RealInterval x);
Json bytes_json(RealInterval x);  // in whole bytes
Json value_json(const AssumedValue& value);
Json block_json(const BlockView& block);
void add_report(const Report& report, Json& block);                // verify: coverage, findings
void add_reconstruction(const Reconstruction& plan, Json& block);  // reconstruct: tables_detail, ranks_detail
void add_summary(const Summary& summary, Json& block);             // summary: overview
std::string rules_text(const std::vector<const Rule*>& rules);     // the document of rules

struct RuleCount {
  std::string_view rule;
  Severity severity{};
  std::int64_t findings = 0;
};

// What became of the files that a scan met. Those it passed over are `without_block` and not in the totals' `logs`.
struct Survey {
  std::int64_t clean = 0, with_findings = 0, failed = 0, without_block = 0;
  std::map<std::pair<Severity, std::string_view>, std::int64_t> rules;  // findings of each
};
// The gravest severity first, and the most findings.
std::vector<RuleCount> by_gravity(const Survey& survey);

// What all blocks of a document add up to.
struct Totals {
  std::int64_t logs = 0, blocks = 0;
  FindingCounts findings;
  std::optional<Survey> survey{};         // scan
  std::optional<BudgetCounts> budgets{};  // check
  std::vector<std::string> errors{};      // that are of no single log
};
Json summary_json(const Totals& totals);

// One line without its end. What is no UTF-8 becomes U+FFFD, so that it is valid JSON.
std::string dumped(const Json& json);

struct LogJson {
  std::string path;
  std::string blocks;  // their texts, with commas between: values would take ten times as much memory
  std::optional<Error> error;

  void add(const Json& block);
};
// The document as dumped() writes it. `more`: what stands behind the verdict.
std::string document_text(std::string_view command, const std::vector<LogJson>& logs, const Totals& totals,
                          Verdict verdict);
std::string document_text(std::string_view command, const std::vector<LogJson>& logs, const Totals& totals,
                          Verdict verdict, const Json& more);

}  // namespace shardstats
