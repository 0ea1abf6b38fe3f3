// Any bytes, as the commands answer questions about them that verify does not ask: explain, diff and whatif of the
// first block, as text and JSON.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/fuzz.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/filter.h"
#include "shardstats/infer/what_if.h"
#include "shardstats/input/blocks.h"
#include "shardstats/input/source.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/explain_json.h"
#include "shardstats/report/explain_text.h"

namespace {

using namespace shardstats;
using fuzz::require;

InferOptions with_alternatives() {
  InferOptions options;
  options.alternatives = true;
  return options;
}

// The first block of a log with all that points into it.
struct FirstBlock {
  explicit FirstBlock(std::string bytes) : opened(source_from_file(std::move(bytes), "log")) {
    const auto* const source = std::get_if<std::unique_ptr<Source>>(&opened);
    if (source == nullptr) return;
    BlockFinder finder(**source);
    block = finder.next();
    if (!block) return;
    printed = parse(*block);
    plan = infer(printed, with_alternatives());
  }
  FirstBlock(const FirstBlock&) = delete;

  OpenResult opened;
  std::optional<Block> block;
  PrintedPlan printed;
  Plan plan;
};

const FirstBlock& genuine() {
  static const FirstBlock kLog([] {
    std::ifstream file(std::filesystem::path(SHARDSTATS_SOURCE_DIR) / "testdata/logs/v1.8.0.log", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }());
  require(kLog.block.has_value(), "the genuine log is there");
  return kLog;
}

void check_plan(const Plan& plan) {
  for (const PlanRank& rank : plan.ranks) {
    require(rank.hbm.low <= rank.hbm.high && rank.ddr.low <= rank.ddr.high, "memory of a rank has bounds in order");
    require(rank.sparse_hbm.low <= rank.sparse_hbm.high, "memory of its shards, too");
    require(rank.perf.total.low <= rank.perf.total.high, "perf of a rank, too");
  }
}

void check_step(const Step& step) {
  require(step.value.bounds.low <= step.value.bounds.high, "a step has bounds in order");
  for (const Step& child : step.children) check_step(child);
}

void check_explained(const FirstBlock& log, std::string_view target) {
  const InferOptions options = with_alternatives();
  const auto answer = explain(log.printed, log.plan, target, options);
  const auto* const all = std::get_if<std::vector<Explained>>(&answer);
  if (all == nullptr) return;
  std::string text;
  write_explained(*all, {}, text);
  for (const Explained& one : *all) {
    for (const Step& step : one.steps) check_step(step);
    require(!dumped(explained_json(one)).empty(), "what is explained has a JSON");
  }
}

void check_diff(const DiffSide& base, const DiffSide& next, bool is_same) {
  const PlanDiff diff = diff_plans(base, next, Filter());
  require(!is_same || !diff.changed(), "a log does not differ from itself");
  std::string text;
  write_diff({"base", "next"}, diff, 0, {}, text);
  require(!dumped(diff_json(diff, 0)).empty(), "a difference has a JSON");
}

void check_changed(const FirstBlock& log, Attribute attribute, double number, std::string word) {
  const WhatIf what_if(log.printed);
  if (what_if.refusal() != nullptr) return;
  Change change;
  change.attribute = attribute;
  change.number = number;
  change.text = change.word = std::move(word);
  const auto outcome = what_if.with(std::vector{change});
  const auto* const changed = std::get_if<ChangedPlan>(&outcome);
  if (changed == nullptr) return;
  check_plan(changed->plan);
  check_diff({log.printed, what_if.base()}, {changed->skeleton, changed->plan, &changed->growth}, false);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzz::mutate_log(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FirstBlock log(std::string(fuzz::text_of(data, size)));
  if (!log.block) return 0;
  check_plan(log.plan);
  for (const std::string_view target : {"plan", "rank:0", "rank:1", "kernel:*", "imbalance", "maxima", "distribution",
                                        "tiers", "critical_path", "top_tables", "reservation"})
    check_explained(log, target);
  if (!log.printed.tables.rows.empty())
    check_explained(log, "table:" + std::string(log.printed.tables.rows.front().fqn.text));
  const DiffSide own{log.printed, log.plan}, other{genuine().printed, genuine().plan};
  check_diff(own, own, true);
  check_diff(own, other, false);
  check_diff(other, own, false);
  check_changed(log, Attribute::batch_size, 96, "96");
  check_changed(log, Attribute::release, 0, "v1.8.0");
  return 0;
}
