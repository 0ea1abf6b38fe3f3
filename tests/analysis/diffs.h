// Compares logs, whole and damaged ones. For the tests of diff.
#pragma once

#include <string>
#include <vector>

#include "analysis/logs.h"
#include "shardstats/analysis/diff.h"

namespace shardstats {

inline PlanDiff diff(const std::string& before, const std::string& after) {
  const Checked a(before), b(after);
  return diff_plans({a.printed, a.plan}, {b.printed, b.plan}, Filter());
}

// Of testdata/pairs; `side`: "base" or "next".
inline std::string log_of_pair(const std::string& name, const std::string& side) {
  return read_file(std::string(SHARDSTATS_SOURCE_DIR) + "/testdata/pairs/" + name + "/" + side + ".log");
}

// The lines that stand before the one with `mark`.
inline std::string before(const std::string& bytes, const std::string& mark) {
  return bytes.substr(0, bytes.rfind('\n', bytes.find(mark)) + 1);
}
// Without the lines from the one with `first` to the one with `last`.
inline std::string without(const std::string& bytes, const std::string& first, const std::string& last) {
  return before(bytes, first) + bytes.substr(bytes.find('\n', bytes.find(last)) + 1);
}

inline std::vector<std::string> not_compared(const PlanDiff& diff) {
  std::vector<std::string> parts;
  for (const NotCompared& part : diff.not_compared)
    parts.push_back((part.partly ? "some " : "") + std::string(part.what) + (part.before ? " before" : "") +
                    (part.after ? " after" : ""));
  return parts;
}

}  // namespace shardstats
