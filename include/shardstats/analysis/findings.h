// What verify found: plain records, ready for every output format (contract.md, "verify adds").
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/analysis/rules.h"
#include "shardstats/log/printed.h"
#include "shardstats/numbers/interval.h"

namespace shardstats {

// A printed number that, if wrong, explains a finding.
struct Suspect {
  Cell cell;
  std::string reason;
  bool as_likely = false;  // as the one before it
};

// "81.391 at 7:19 (without it the rest agrees)"; no text that is long, such as a list of ranks.
std::string words_of(const Suspect& suspect);
// Of the first one and those that are as likely: "A, B or one of 3 others".
std::string words_of_likeliest(const std::vector<Suspect>& suspects);

// What the number should be. Without bounds only `text` says it (rank lists).
struct Expected {
  std::variant<std::monostate, ByteInterval, RealInterval> bounds;
  std::string_view unit;  // "bytes", "count", "percent", "ranks"
  std::string text;       // as the planner would print it: "3.858", or "3.857..3.859"
};

// What the log writes behind a number of that unit.
constexpr std::string_view printed_unit(std::string_view unit) {
  return unit == "bytes" ? " GB" : unit == "ms" ? " ms" : unit == "percent" ? "%" : "";
}

struct Finding {
  const Rule* rule = nullptr;
  Severity severity = Severity::error;
  Cell where;                          // the disputed number
  std::optional<std::uint32_t> table;  // index into PrintedPlan::tables.rows
  std::string_view fqn;                // of that table
  std::optional<int> rank;
  std::string_view kernel;  // of a kernel line
  std::optional<Expected> expected;
  std::string message;
  std::string_view known_issue;   // id of an upstream bug; empty: none
  std::vector<Suspect> suspects;  // most likely first
};

// Every printed number of a block, counted once. Invariant: numbers() == derived + inputs + unchecked.
struct Coverage {
  std::int64_t derived = 0;    // recomputed and compared
  std::int64_t inputs = 0;     // nothing else in the block determines them
  std::int64_t unchecked = 0;  // could be derived, but no check does so
  std::bitset<64> rules;       // by RuleId: those that compared a number
  std::int64_t numbers() const { return derived + inputs + unchecked; }
};

struct FindingCounts {
  std::int64_t error = 0, warning = 0, note = 0;
  void add(Severity severity) {
    ++(severity == Severity::error ? error : severity == Severity::warning ? warning : note);
  }
  // Findings at or above `least`.
  std::int64_t at_least(Severity least) const {
    return error + (least >= Severity::warning ? warning : 0) + (least >= Severity::note ? note : 0);
  }
};

FindingCounts count(const std::vector<Finding>& findings);
// Is it an error about a number? Not where the log is damaged: no other explanation gives what is lost.
bool disputes_number(const Finding& finding);

}  // namespace shardstats
