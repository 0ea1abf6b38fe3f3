// Ways to make a disputed block right by the change of one printed cell or row. Private to src/analysis; culprits.cc
// tries them on the whole block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "shardstats/analysis/findings.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/infer/plan.h"

namespace shardstats::analysis {

inline constexpr std::size_t kMostPairs = 20'000'000;  // of things compared with each other

struct Correction {
  Cell culprit;
  std::string reason;
  std::function<void(PrintedPlan&)> apply;
  int against = 0;  // cells that speak against it
};

class Corrections {
 public:
  Correction& add(const Cell& culprit, std::string reason, std::function<void(PrintedPlan&)> apply) {
    all_.push_back({culprit, std::move(reason), std::move(apply)});
    return all_.back();
  }
  // Without the cell.
  template <class Row>
  Correction& add_removal(const Cell& culprit, ColumnTable<Row> PrintedPlan::*table, std::size_t row, Cell Row::*cell) {
    return add(culprit, "without it the rest agrees",
               [=](PrintedPlan& plan) { ((plan.*table).rows[row].*cell).text = {}; });
  }
  // With another text in the cell.
  template <class Row>
  Correction& add_text(const Cell& culprit, std::string text, ColumnTable<Row> PrintedPlan::*table, std::size_t row,
                       Cell Row::*cell) {
    std::string reason = "should be " + text;
    return add(culprit, std::move(reason),
               [=, text = std::move(text)](PrintedPlan& plan) { ((plan.*table).rows[row].*cell).text = text; });
  }

  bool has(const Cell& culprit) const {
    return std::ranges::any_of(all_, [&](const Correction& c) { return c.culprit.place == culprit.place; });
  }
  std::vector<Correction>& all() { return all_; }

 private:
  std::vector<Correction> all_;
};

struct Disputed {
  const PrintedPlan& printed;
  const Plan& plan;
  const InferOptions& options;
  const Report& report;
};

// So that another plan rests on the same setting and can be compared.
InferOptions with_setting_of(const Plan& plan, InferOptions options);

// Whether add_repeated_rows() or add_wrong_words() can find anything.
bool may_have_wrong_rows(const PrintedPlan& printed);
// Likewise add_batch_size(), given a plan of tables that are alike. Asks for no perf.
bool may_have_wrong_batch_size(const PrintedPlan& printed, const Plan& plan, const InferOptions& options);

// Each adds what may be wrong, most likely first.
void add_repeated_rows(const Disputed& disputed, Corrections& corrections);
// A last rank of which nothing is left: it has no shards, so that no list names it.
void add_lost_rank(const Disputed& disputed, Corrections& corrections);
// Sharding types and lists of ranks, by the shards that the rank rows count.
void add_wrong_words(const Disputed& disputed, Corrections& corrections);
void add_batch_size(const Disputed& disputed, Corrections& corrections);
// A table's dimension, rows, pooling factor or the like, by what the other cells of its row ask for.
void add_table_inputs(const Disputed& disputed, Corrections& corrections);
// A rank's memory where other lines show the right one.
void add_rank_memory(const Disputed& disputed, Corrections& corrections);
// A rank's memory cell that made another hypothesis of the whole plan look better.
void add_misleading_ranks(const Disputed& disputed, Corrections& corrections);
// The storage of a table, which its dtype and optimizer were taken from.
void add_misleading_tables(const Disputed& disputed, Corrections& corrections);

}  // namespace shardstats::analysis
