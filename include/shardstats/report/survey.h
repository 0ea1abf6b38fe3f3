// Text of `scan`: one line for each log, then what all of them add up to.
//
//   runs/7/train.log: 2 errors, 1 note, first table.storage.hbm at 1043:412, 1 block, 1,935 tables, 96 ranks, v1.4.0
//   runs/8/train.log: clean, 1 note, 2 blocks, 12 tables, 8 ranks, v1.2.0..v1.4.0, first log.prefix at 3:1
//
// Tested by tests/report/survey_test.cc and the golden runs in tests/cli.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/findings.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// The least and the most of the blocks of a log.
struct Span {
  std::int64_t least = 0, most = 0;
};

struct FirstFinding {
  std::string_view rule;
  Severity severity{};
  Place place;
};

// One log, its blocks taken together.
struct LogSurvey {
  std::string path;
  std::int64_t blocks = 0;
  std::optional<Span> tables, ranks;  // nothing: not printed
  std::vector<Release> releases;      // candidates of any block, oldest first
  FindingCounts findings;
  std::optional<FirstFinding> first;  // of the gravest
  bool clean = true;                  // nothing at or above --fail-on
};

// A line. On a terminal that is too narrow the path keeps its end and the last fields go first.
void write_log_line(const LogSurvey& log, const TextStyle& style, std::string& out);
// Logs, blocks, and the `top` rules with the most findings; 0: all.
void write_survey(const Totals& totals, std::size_t top, const TextStyle& style, std::string& out);

}  // namespace shardstats
