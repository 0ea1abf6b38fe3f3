// The likeliest explanation of a log with one value of each hidden input: what `whatif --render` prints a changed plan
// of, so that its numbers agree with each other. Private to src/infer.
#pragma once

#include <optional>
#include <vector>

#include "infer/likely_table.h"

namespace shardstats::infer_detail {

// Not to be copied: `hypothesis` may point to `outcome`.
struct LikelyBase {
  explicit LikelyBase(const Inference& base);
  LikelyBase(const LikelyBase&) = delete;
  LikelyBase& operator=(const LikelyBase&) = delete;

  const Outcome* from = nullptr;      // the survivor of the storage half: the first that explains the perf, if one does
  Outcome outcome;                    // it with one option of each table, and one value of each of its inputs
  Constants constants;                // dense and KJT storage of a rank, together
  const PerfOutcome* perf = nullptr;  // that rests on `from`
  PerfHypothesis hypothesis;          // of `perf`, with one value of each bandwidth and multiplier
  // Do tables and ranks come out as printed, but for what rounding leaves? Else bounds of tables' inputs remain, and
  // `hypothesis` rests on `from`: where the options preferred of single tables do not go together.
  bool agrees = false;
  std::vector<std::optional<PerfReading>> readings;  // by table, if it agrees

 private:
  void choose(const Inference& base);
  bool settle(const Inference& base, std::vector<TableParts>& parts);
};

// Sets y of each table as if all of its features were alike, where bounds leave it open (storage-model.md section 3.2,
// from generation D on). Of an outcome with one option of each table.
void take_equal_features(const std::vector<TableInputs>& tables, Outcome& outcome);

}  // namespace shardstats::infer_detail
