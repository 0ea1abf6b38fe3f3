// SARIF 2.1.0 of verify and scan: one run with all rules, a result for each finding, and what could not be read as
// notifications. Results are written one by one; only the notifications wait for the end.
//
// SARIF counts columns in UTF-16 code units, so the lines of the log are looked at again for the bytes in front.
// Tested by tests/report/sarif_test.cc and, against the published schema, tests/cli/formats_test.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"
#include "shardstats/report/log_lines.h"

namespace shardstats {

class SarifRun {
 public:
  // `path`: relative to where the reader is, or absolute. `lines`: of the log.
  void add(std::string_view path, LogLines lines, const BlockView& block, const Report& report, std::string& out);
  void add(std::string_view path, const Error& error);
  void end(int exit_status, std::string& out);

 private:
  void begin(std::string& out);

  bool begun_ = false, has_results_ = false;
  std::vector<nlohmann::ordered_json> notifications_;
};

// A path as a URI reference: percent-encoded; "file:///..." if it is absolute.
std::string uri_of(std::string_view path);

}  // namespace shardstats
