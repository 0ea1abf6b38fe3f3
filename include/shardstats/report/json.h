// JSON, schema_version 1 (contract.md). Reads result structs, computes nothing.
// Tested by tests/report/json_test.cc and, on the binary, tests/cli/contract_test.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/findings.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"

namespace shardstats {

using Json = nlohmann::ordered_json;

Json block_json(const BlockView& block);
void add_report(const Report& report, Json& block);                // verify: coverage, findings
void add_reconstruction(const Reconstruction& plan, Json& block);  // reconstruct: tables_detail, ranks_detail
Json rules_json(const std::vector<const Rule*>& rules);            // the document of rules

// What all blocks of a document add up to.
struct Totals {
  std::int64_t logs = 0, blocks = 0;
  FindingCounts findings;
};
Json summary_json(const Totals& totals);

struct LogJson {
  std::string path;
  std::vector<Json> blocks;
  std::optional<Error> error;
};
// `verdict`: clean, findings or failed.
Json document_json(std::string_view command, const std::vector<LogJson>& logs, const Totals& totals,
                   std::string_view verdict);

}  // namespace shardstats
