// What users choose with --table, --exclude-table, --rank, --sharding, --kernel, --select and --ignore.
// Tested by tests/analysis/filter_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/findings.h"
#include "shardstats/analysis/verify.h"

namespace shardstats {

struct FilterWords {
  std::vector<std::string> tables{}, excluded_tables{};  // RE2, found anywhere in the FQN
  std::vector<std::string> ranks{};                      // "0,4-7"
  std::vector<std::string> shardings{}, kernels{};       // names, several joined by commas
  std::vector<std::string> select{}, ignore{};           // beginnings of rule ids, several joined by commas

  friend bool operator==(const FilterWords&, const FilterWords&) = default;
};

class Filter {
 public:
  Filter();
  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  // Sets the filter; otherwise what is wrong with the words, in one sentence.
  std::optional<std::string> set(const FilterWords& words);

  bool keeps_table(std::string_view fqn, std::string_view sharding, std::string_view kernel) const;
  bool keeps_row(const PrintedTable& row) const;
  bool keeps_rank(int rank) const;
  bool keeps_kernel(std::string_view kernel) const;
  // Findings about what was not asked for are dropped: with a filter on tables those of ranks, and so on. Damage of
  // the log (log.*) stays.
  bool keeps(const Finding& finding, const PrintedPlan& printed) const;
  // Can there be findings of that rule which it keeps?
  bool keeps(const Rule& rule) const;

 private:
  struct Parts;
  bool selects(std::string_view rule) const;
  bool has_kept_rank(const PrintedTable& row) const;
  std::unique_ptr<Parts> parts_;
};

// Collects which words of --table, --rank and --kernel keep nothing of any block, and whether the other options leave
// none of the tables of --table: such a run would be clean for ever.
class UnmatchedWords {
 public:
  explicit UnmatchedWords(const FilterWords& words);
  ~UnmatchedWords();
  void see(const PrintedPlan& printed);
  // One for each such word; none if there was no block.
  std::vector<UnknownTarget> missing() const;

 private:
  struct Word;
  void see_tables(const PrintedPlan& printed, Word& word) const;
  std::vector<Word> words_;
  Filter tables_;         // the options that choose tables
  std::string narrowed_;  // "--table 'ad' --sharding 'RW'": those options; empty: --table is not given, or alone
  bool seen_ = false;     // a block
  bool keeps_table_ = false;
};

// Drops the findings, and the checked rules, that the filter does not keep.
void apply(const Filter& filter, const PrintedPlan& printed, Report& report);

}  // namespace shardstats
