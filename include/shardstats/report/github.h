// Annotations of a GitHub workflow run: "::error file=a.log,line=22,col=114,title=table.storage.hbm::message".
// GitHub shows few of them, so only the worst are written, and how many there are besides.
// Tested by tests/report/github_test.cc and, on the binary, tests/cli/formats_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"

namespace shardstats {

class GithubAnnotations {
 public:
  static constexpr std::size_t kMost = 10;

  void add(std::string_view path, const Report& report);
  void add(std::string_view path, const BudgetReport& report);  // those that are not kept
  void add(std::string_view path, const PlanDiff& diff);        // one: the headline and the first causes
  void add(const Error& error);                                 // worse than any finding; without a path one of the run
  void write(std::string& out) const;

 private:
  static constexpr std::size_t kGravities = 4;  // failed, error, warning, note
  struct Kept {
    std::size_t gravity = 0;
    std::string line;
  };
  bool counts_among_worst(std::size_t gravity);
  void keep(std::size_t gravity, std::string line);

  std::vector<Kept> worst_;  // the gravest first, then in the order of the logs
  std::array<std::int64_t, kGravities> counts_{};
};

}  // namespace shardstats
