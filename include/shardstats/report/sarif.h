// SARIF 2.1.0 of verify, scan and check: one run with all rules or budgets, a result for each finding or budget that is
// not kept, and what could not be read as notifications. Results are written one by one; only the notifications wait
// for the end.
//
// SARIF counts columns in UTF-16 code units, so the lines of the log are looked at again for the bytes in front.
// Tested by tests/report/sarif_test.cc and, against the published schema, tests/cli/formats_test.py.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"
#include "shardstats/report/log_lines.h"

namespace shardstats {

class SarifRun {
 public:
  enum class Rules : std::uint8_t { findings, budgets };

  void begin(Rules rules, std::string& out);
  // `path`: relative to where the reader is, or absolute. `lines`: of the log.
  void add(std::string_view path, LogLines lines, const BlockView& block, const Report& report, std::string& out);
  void add(std::string_view path, LogLines lines, const BlockView& block, const BudgetReport& report, std::string& out);
  void add(std::string_view path, const Error& error);  // without a path one of the run
  void end(int exit_status, std::string& out);

 private:
  // `seen`: fingerprints of the block; equal ones are numbered.
  void write(nlohmann::ordered_json result, const std::string& fingerprint, std::map<std::string, int>& seen,
             std::string& out);

  bool has_results_ = false;
  std::vector<nlohmann::ordered_json> notifications_;
};

// A path as a URI reference: percent-encoded; "file:///..." if it is absolute.
std::string uri_of(std::string_view path);

}  // namespace shardstats
