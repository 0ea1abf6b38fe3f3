// Markdown that fits into a comment or a step summary of GitHub: of what does not fit, the gravest or largest comes
// first, and the rest is counted. Names of the log are code or escaped, so that none of them can make a table, a link,
// a mention or HTML. Tested by tests/report/markdown_test.cc and, on the binary, tests/cli/formats_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/block.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/summary.h"
#include "shardstats/analysis/sweep.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/input/source.h"
#include "shardstats/report/json.h"

namespace shardstats {

inline constexpr std::size_t kMarkdownBytes = 65'536;  // of a document

// Rows of a table, or items of a list, as long as there is room.
class MarkdownRows {
 public:
  explicit MarkdownRows(std::size_t most) : most_(most) {}
  // What comes behind something that was left out is left out, too.
  void add(std::string_view row);
  // Rows of another one, and what that left out.
  void add(const MarkdownRows& more);
  const std::string& text() const { return text_; }
  std::int64_t count() const { return kept_ + left_out_; }
  std::int64_t left_out() const { return left_out_; }

 private:
  std::size_t most_;  // bytes
  std::string text_;
  std::int64_t kept_ = 0, left_out_ = 0;
};

// verify, scan and check: verdict, logs that could not be read, findings or budgets, blocks.
class MarkdownAnswers {
 public:
  MarkdownAnswers();
  // `holds`: it has nothing at or above --fail-on.
  void add(std::string_view path, const BlockView& block, const Report& report, bool holds);
  void add(std::string_view path, const BudgetReport& report);
  void add(const Error& error);
  void write(std::string_view command, Verdict verdict, const Totals& totals, std::string& out) const;

 private:
  MarkdownRows failed_;
  std::array<MarkdownRows, 3> answers_;  // findings by severity; budgets: broken, undecided, passed
  std::array<MarkdownRows, 2> blocks_;   // those with findings first
};

// summary, reconstruct, explain and whatif: a part for each block or target, as long as there is room.
class MarkdownParts {
 public:
  // `largest_first`: tables by their HBM, else in their order.
  void add(std::string_view path, const BlockView& block, const Reconstruction& plan, bool largest_first);
  void add(std::string_view path, const BlockView& block, const Summary& summary);
  void add(std::string_view path, const Explained& explained);
  // `top`: rows of each list of changes; 0: all that there is room for.
  void add(std::string_view path, const BlockView& block, const WhatIfResult& result, std::size_t top);
  void add(const Error& error);
  void write(std::string& out) const;

 private:
  void append(const std::string& part);
  // Room for the next part; 0 and counted as left out if there is none.
  std::size_t room();

  std::string text_;
  std::int64_t left_out_ = 0;
};

}  // namespace shardstats
