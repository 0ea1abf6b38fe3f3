#include <algorithm>

#include "infer/assume.h"
#include "infer/inference.h"
#include "infer/perf_search.h"
#include "infer/read_plan.h"
#include "shardstats/infer/plan.h"
#include "shardstats/limits.h"

namespace shardstats {
namespace infer_detail {
namespace {

void fill_plain_table(const TableInputs& inputs, PlanTable& table) {
  table.row = inputs.row;
  table.sharding = inputs.sharding;
  table.kernel = inputs.kernel;
  table.rows = inputs.rows;
  table.cols = inputs.cols;
  table.features = inputs.features;
  table.sequence = inputs.sequence;
  table.pooling_sum = inputs.pooling_sum;
}

// What the printed cells alone say; inference narrows it.
PlanRank plain_rank(const PrintedRank& printed, const RankInputs& inputs, int row) {
  PlanRank rank;
  rank.rank = static_cast<int>(parse_integer(printed.rank.text, kMostRanks - 1).value_or(row));
  rank.hbm = inputs.hbm.value_or(ByteInterval{});
  rank.ddr = inputs.ddr.value_or(ByteInterval{});
  rank.sparse_hbm = {0, rank.hbm.high};
  rank.sparse_ddr = {0, rank.ddr.high};
  rank.input = inputs.input.value_or(ByteInterval{});
  rank.output = inputs.output.value_or(ByteInterval{});
  return rank;
}

std::vector<Release> surviving_releases(const SearchResult& found) {
  std::vector<Release> releases;
  for (const Survivor& survivor : found.survivors)
    for (const Setting& s : survivor.members) releases.push_back(s.rules->release);
  std::sort(releases.begin(), releases.end());
  releases.erase(std::unique(releases.begin(), releases.end()), releases.end());
  return releases;
}

}  // namespace

void fill_plain(const PlanInputs& inputs, Plan& plan) {
  plan.empty = inputs.empty_plan;
  plan.tables.resize(inputs.tables.size());
  for (std::size_t t = 0; t < inputs.tables.size(); ++t) fill_plain_table(inputs.tables[t], plan.tables[t]);
  for (std::size_t r = 0; r < inputs.ranks.size(); ++r)
    plan.ranks.push_back(plain_rank(inputs.printed->ranks.rows[r], inputs.ranks[r], static_cast<int>(r)));
  for (const KernelInputs& kernel : inputs.kernels) {
    PlanKernel& k = plan.kernels.emplace_back();
    k.name = kernel.name;
    k.tables = static_cast<std::int64_t>(kernel.tables.size());
  }
}

Inference run_inference(const PrintedPlan& printed, const InferOptions& options) {
  Inference all;
  all.inputs = read_plan(printed);
  const PlanInputs& inputs = all.inputs;
  const Fixed fixed = apply_overrides(options.overrides, all.inputs);
  Plan& plan = all.plan;
  fill_plain(inputs, plan);
  plan.missing = inputs.missing;
  plan.releases = printed.releases;
  plan.setting.rules = &rules_of(printed.releases.front());
  plan.setting.world_size = std::max<std::int64_t>(inputs.world_size, 1);
  all.found = search(inputs, fixed.setting, fixed.pairs, options);
  SearchResult& found = all.found;
  if (!found.survivors.empty()) {
    plan.sized = true;
    plan.releases = surviving_releases(found);
    if (options.alternatives)
      for (Survivor& survivor : found.survivors) narrow_hidden(inputs, survivor.outcome);
    rebuild(inputs, found, options.shard_parts, plan);
    for (std::size_t i = 0; i < found.survivors.size(); ++i)
      for (std::size_t m = i == 0 ? 1 : 0; m < found.survivors[i].members.size(); ++m)
        plan.alternatives.push_back(found.survivors[i].members[m]);
  }
  if (options.perf) {
    all.perf = read_perf(inputs, plan);
    all.perf_outcomes = infer_perf(inputs, found, all.perf, options, plan);
  }
  plan.gave_up |= found.gave_up;
  infer_reservation(inputs, found, plan);
  list_assumptions(inputs, found, options, plan);
  return all;
}

}  // namespace infer_detail

Plan infer(const PrintedPlan& printed, const InferOptions& options) {
  return std::move(infer_detail::run_inference(printed, options).plan);
}

}  // namespace shardstats
