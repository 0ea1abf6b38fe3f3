#include "shardstats/infer/what_if.h"

#include <algorithm>
#include <array>

#include "infer/assume.h"
#include "infer/fill_perf.h"
#include "infer/rebuild.h"
#include "infer/sums.h"
#include "infer/what_if_parts.h"

namespace shardstats {
namespace infer_detail {
namespace {

constexpr std::array kAttributes = {
    AttributeForm{Attribute::batch_size, "batch_size", true, false, ValueKind::count, "a number of samples"},
    AttributeForm{Attribute::world_size, "world_size", true, false, ValueKind::count, "a number of ranks"},
    AttributeForm{Attribute::local_world_size, "local_world_size", true, false, ValueKind::count, "a number of ranks"},
    AttributeForm{Attribute::pipeline, "pipeline", true, false, ValueKind::word,
                  "none, train_base, train_sparse_dist, train_prefetch_sparse_dist"},
    AttributeForm{Attribute::count_ephemeral, "count_ephemeral", true, false, ValueKind::flag, "true, false"},
    AttributeForm{Attribute::release, "release", true, false, ValueKind::word,
                  "a release from v0.4.0 to v1.8.0, or main"},
    AttributeForm{Attribute::hbm, "hbm", true, false, ValueKind::bytes, "a size with its unit, such as 80GiB"},
    AttributeForm{Attribute::hbm_mem_bw, "hbm_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 1555GiB/s"},
    AttributeForm{Attribute::ddr_mem_bw, "ddr_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 51GiB/s"},
    AttributeForm{Attribute::hbm_to_ddr_mem_bw, "hbm_to_ddr_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 32GiB/s"},
    AttributeForm{Attribute::ssd_mem_bw, "ssd_mem_bw", true, false, ValueKind::bandwidth, "a bandwidth such as 2GiB/s"},
    AttributeForm{Attribute::intra_host_bw, "intra_host_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 600GiB/s"},
    AttributeForm{Attribute::inter_host_bw, "inter_host_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 50GiB/s"},
    AttributeForm{Attribute::bwd_compute_multiplier, "bwd_compute_multiplier", true, false, ValueKind::multiplier,
                  "a multiplier such as 2.5"},
    AttributeForm{Attribute::weighted_feature_bwd_compute_multiplier, "weighted_feature_bwd_compute_multiplier", true,
                  false, ValueKind::multiplier, "a multiplier such as 1.5"},
    AttributeForm{Attribute::optimizer, "optimizer", true, true, ValueKind::word,
                  "none, sgd, adagrad, rowwise_adagrad, adam"},
    AttributeForm{Attribute::dtype, "dtype", true, true, ValueKind::word, "fp32, fp16, bf16, int8"},
    AttributeForm{Attribute::sharding, "sharding", false, true, ValueKind::word, "TW, CW, RW, DP, TWRW, TWCW, GS"},
    AttributeForm{Attribute::kernel, "kernel", false, true, ValueKind::word,
                  "a compute kernel such as fused or fused_uvm_caching"},
    AttributeForm{Attribute::cache_load_factor, "cache_load_factor", false, true, ValueKind::number,
                  "a share from 0 to 1"},
    AttributeForm{Attribute::rows, "rows", false, true, ValueKind::count, "a number of rows"},
    AttributeForm{Attribute::dim, "dim", false, true, ValueKind::count, "a number of columns"},
    AttributeForm{Attribute::pooling_factor, "pooling_factor", false, true, ValueKind::number,
                  "ids a sample, summed over the table's features"},
    AttributeForm{Attribute::num_poolings, "num_poolings", false, true, ValueKind::number,
                  "poolings a sample, summed over the table's features"},
    AttributeForm{Attribute::ranks, "ranks", false, true, ValueKind::ranks, "ranks such as 0,1 or 0-7"},
    AttributeForm{Attribute::drop, "drop", false, true, ValueKind::none, "nothing"},
};

// Why inference does not know enough of the log.
std::optional<Refusal> refusal_of(const Inference& base) {
  const Plan& plan = base.plan;
  const auto because = [](std::string why) { return Refusal{"this log cannot be rebuilt: " + std::move(why)}; };
  if (plan.empty) return because("the planner found no plan, so that there are no shards");
  if (!plan.sized || plan.tables.empty())
    return because("it has no parameter table of v0.3.0 or newer with sizes (was the planner run with debug on?)");
  if (plan.missing) return because("rows of the parameter table are lost");
  const auto& rows = base.inputs.printed->tables.rows;
  for (const PlanTable& table : plan.tables) {
    const std::string name(rows[table.row].fqn.text);
    if (!table.sized) return because("cells of table " + name + " that sizes rest on are lost or unreadable");
    if (!table.explained) return because("no dtype, optimizer and caching explain the storage of table " + name);
  }
  if (base.inputs.printed->has_lost_ranks() || static_cast<std::int64_t>(plan.ranks.size()) != plan.setting.world_size)
    return because("rows of the rank table are lost");
  return std::nullopt;
}

// Ids of a local batch over all features, Q of storage-model.md section 8.2.
struct ChangedLookups {
  std::optional<RealInterval> all;  // of the changed plan
  RealInterval difference{};        // less those of the log
  bool differ = false;
};

ChangedLookups changed_lookups(const Inference& base, const ChangedInputs& changed) {
  const auto lookups_of = [](const TableInputs& table) { return table.pooling_sum * table.batch; };
  ChangedLookups lookups{kjt_lookups(changed.inputs)};
  const auto add = [&](RealInterval difference) {
    lookups.differ = true;
    lookups.difference = lookups.difference + difference;
  };
  for (std::uint32_t b = 0; b < base.inputs.tables.size(); ++b) {
    const TableInputs& old = base.inputs.tables[b];
    const TableInputs* now = changed.now_at[b] ? &changed.inputs.tables[*changed.now_at[b]] : nullptr;
    if (now == nullptr)
      add(RealInterval{} - lookups_of(old));
    else if (old.pooling_sum != now->pooling_sum || old.batch != now->batch)
      add(lookups_of(*now) - lookups_of(old));
  }
  return lookups;
}

// Bytes, of whole ones before and after.
RealInterval kjt_growth(const ChangedLookups& lookups, Policy policy) {
  const double m = kjt_multiplier(policy);
  return {m * (8 * lookups.difference.low - 1), m * (8 * lookups.difference.high + 1)};
}

// The same of a reservation that the log does not print: that of policies other than this one is none at all.
RealInterval hidden_kjt_growth(const ChangedLookups& lookups, std::span<const Policy> policies) {
  if (!lookups.differ || std::ranges::find(policies, Policy::inference) == policies.end()) return {};
  const RealInterval growth = kjt_growth(lookups, Policy::inference);
  return policies.size() == 1 ? growth : hull(exactly(0.0), growth);
}

// The KJT reservation of the changed plan: what the log prints, by the difference of the ids.
ByteInterval changed_kjt(const ChangedLookups& lookups, ByteInterval printed, Policy policy) {
  const double m = kjt_multiplier(policy);
  const RealInterval moved = at_least_zero(real(printed) + kjt_growth(lookups, policy));
  return lookups.all ? narrowed(whole_bytes(kjt_bytes(m, *lookups.all)), whole_bytes(moved)) : whole_bytes(moved);
}

// Over all these policies.
ByteInterval changed_kjt(const ChangedLookups& lookups, ByteInterval printed, std::span<const Policy> policies) {
  if (!lookups.differ || printed.high == 0) return printed;
  ByteInterval all = changed_kjt(lookups, printed, policies.front());
  for (const Policy policy : policies) all = hull(all, changed_kjt(lookups, printed, policy));
  return all;
}

// Was the value of the assumption asked for?
bool is_set(const ChangedInputs& changed, const Assumption& assumption) {
  const RunRequest& run = changed.run;
  const std::string_view name = assumption.name;
  if (assumption.table) {
    const TableRequest& asked = changed.requests[changed.base_rows[*assumption.table]];
    return (name == "element_size" && asked.element) || (name == "optimizer" && asked.optimizer) ||
           (name == "caching_ratio" && asked.cache_load_factor);
  }
  return (name == "pipeline_type" && run.pipeline) || (name == "count_ephemeral_storage_cost" && run.ephemeral) ||
         (name == "local_world_size" && run.local_world_size) || (name == "hbm_mem_bw" && run.bandwidths.hbm) ||
         (name == "inter_host_bw" && run.bandwidths.inter_host) ||
         (name == "intra_host_bw" && run.bandwidths.intra_host) || (name == "bwd_compute_multiplier" && run.backward) ||
         (name == "weighted_feature_bwd_compute_multiplier" && run.weighted_backward);
}

// Ranks in terms of a byte interval of a plan and the quantity that it counts.
struct RankField {
  Quantity quantity;
  ByteInterval PlanRank::*field;
};
constexpr std::array<RankField, 6> kRankFields = {{{Quantity::hbm, &PlanRank::hbm},
                                                   {Quantity::hbm, &PlanRank::sparse_hbm},
                                                   {Quantity::ddr, &PlanRank::ddr},
                                                   {Quantity::ddr, &PlanRank::sparse_ddr},
                                                   {Quantity::input, &PlanRank::input},
                                                   {Quantity::output, &PlanRank::output}}};

// To what is known of their cells.
void narrow_tables(const PlanInputs& inputs, Plan& plan) {
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = plan.tables[t];
    const auto narrow = [](Expectation& expected, const std::optional<ByteInterval>& cell) {
      if (cell && expected.known) expected.bytes = narrowed(expected.bytes, *cell);
    };
    narrow(table.hbm, inputs.tables[t].hbm);
    narrow(table.ddr, inputs.tables[t].ddr);
    narrow(table.ssd, inputs.tables[t].ssd);
  }
}

ByteInterval moved(ByteInterval from, RealInterval by) {
  const RealInterval x = real(from);
  const double low = std::max(std::floor(x.low + by.low), 0.0), high = std::max(std::ceil(x.high + by.high), 0.0);
  return {capped(low), capped(high)};
}

}  // namespace
}  // namespace infer_detail

std::span<const AttributeForm> attribute_table() { return infer_detail::kAttributes; }
const AttributeForm& form_of(Attribute attribute) {
  return infer_detail::kAttributes[static_cast<std::size_t>(attribute)];
}

using namespace infer_detail;

struct WhatIf::Impl {
  Inference base;
  std::optional<Refusal> refused;
  std::vector<std::int64_t> local_sizes;

  const ChangedOutcome& likeliest(const std::vector<ChangedOutcome>& outcomes) const;
  // The changed plan over these hypotheses. Sets by how much the HBM of each rank grows.
  Plan assemble(const ChangedInputs& changed, std::vector<ChangedOutcome> outcomes, bool preferred,
                std::vector<RealInterval>* hbm_growth = nullptr) const;
  // The KJT reservation over these policies.
  void set_reservation(std::span<const Policy> policies, ChangedInputs& changed) const;
  void move_cells(const std::vector<ChangedOutcome>& outcomes, ChangedInputs& changed) const;
  void place_shards(ChangedInputs& changed, Texts& texts, std::vector<std::string>& placed) const;
  // Returns by how much the HBM of each rank grows.
  std::vector<RealInterval> narrow_ranks(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes,
                                         Plan& plan) const;
  void narrow_perf(const ChangedPerf& perf, Plan& plan) const;
  // Why a table that has perf in the log has none any more.
  std::optional<Refusal> lost_perf(const ChangedInputs& changed, const Plan& plan) const;
  void describe(const ChangedInputs& changed, Plan& plan) const;
  void list(const ChangedInputs& changed, const SearchResult& found, Plan& plan) const;
};

// The first that explains the log's perf as well, if one does.
const ChangedOutcome& WhatIf::Impl::likeliest(const std::vector<ChangedOutcome>& outcomes) const {
  const auto explains_perf = [&](const ChangedOutcome& outcome) {
    return std::ranges::any_of(base.perf_outcomes,
                               [&](const PerfOutcome& perf) { return perf.hypothesis.outcome == outcome.from; });
  };
  const auto found = std::ranges::find_if(outcomes, explains_perf);
  return found != outcomes.end() ? *found : outcomes.front();
}

void WhatIf::Impl::set_reservation(std::span<const Policy> policies, ChangedInputs& changed) const {
  const Plan& plan = base.plan;
  PlanInputs& inputs = changed.inputs;
  const ChangedLookups lookups = changed_lookups(base, changed);
  const bool in_hbm = io_in_hbm(plan.setting);
  inputs.reservation_printed = true;  // so that the sums below take them as they are
  if (base.inputs.reservation_printed) {
    inputs.dense_hbm = plan.dense_hbm;
    inputs.dense_ddr = plan.dense_ddr;
    inputs.kjt_hbm = plan.kjt_hbm;
    inputs.kjt_ddr = plan.kjt_ddr;
    ByteInterval& kjt = in_hbm ? inputs.kjt_hbm : inputs.kjt_ddr;
    kjt = changed_kjt(lookups, kjt, policies);
    return;
  }
  const Constants& hidden = base.found.survivors.front().outcome.constants;
  RealInterval hbm = hidden.hbm, ddr = hidden.ddr;
  for (const Survivor& survivor : base.found.survivors) {
    hbm = hull(hbm, survivor.outcome.constants.hbm);
    ddr = hull(ddr, survivor.outcome.constants.ddr);
  }
  changed.hidden_kjt = hidden_kjt_growth(lookups, policies);
  RealInterval& with_kjt = in_hbm ? hbm : ddr;
  with_kjt = at_least_zero(with_kjt + changed.hidden_kjt);
  inputs.dense_hbm = whole_bytes(hbm);
  inputs.dense_ddr = whole_bytes(ddr);
}

// The log's cells of a table that differs: moved by what they differ, or else they say nothing any more.
void WhatIf::Impl::move_cells(const std::vector<ChangedOutcome>& outcomes, ChangedInputs& changed) const {
  const auto differs = changed_storage(base, changed, outcomes);
  for (std::uint32_t t = 0; t < differs.size(); ++t) {
    if (!differs[t]) continue;
    const auto difference = cell_differences(base, changed, outcomes, t);
    const TableInputs& before = base.inputs.tables[changed.base_rows[t]];
    std::optional<ByteInterval> TableInputs::*const cells[] = {&TableInputs::hbm, &TableInputs::ddr, &TableInputs::ssd};
    for (std::size_t c = 0; c < kCells.size(); ++c)
      if (auto& cell = changed.inputs.tables[t].*cells[c])
        cell = difference ? moved(*(before.*cells[c]), (*difference)[c]) : kAnyBytes;
  }
}

// What is known of the log's ranks is known of the changed ones, but for the shards that differ. It counts for more
// than the sum of the likeliest shards, which need not be what the log prints of their rank.
std::vector<RealInterval> WhatIf::Impl::narrow_ranks(const ChangedInputs& changed,
                                                     const std::vector<ChangedOutcome>& outcomes, Plan& plan) const {
  const auto differences = rank_differences(base, changed, outcomes);
  const bool printed = base.inputs.reservation_printed, in_hbm = io_in_hbm(plan.setting);
  const auto growth = [&](ByteInterval after, ByteInterval before, bool holds) {
    if (!printed) return holds ? changed.hidden_kjt : RealInterval{};
    return after == before ? RealInterval{} : real(after) - real(before);
  };
  const RealInterval kjt_hbm = growth(plan.kjt_hbm, base.plan.kjt_hbm, in_hbm);
  const RealInterval kjt_ddr = growth(plan.kjt_ddr, base.plan.kjt_ddr, !in_hbm);
  std::vector<RealInterval> hbm_growth;
  for (std::size_t r = 0; r < differences.size(); ++r) {
    const PlanRank& before = base.plan.ranks[r];
    PlanRank& after = plan.ranks[r];
    hbm_growth.push_back(differences[r].bytes[static_cast<std::size_t>(Quantity::hbm)] + kjt_hbm);
    for (const RankField& of : kRankFields) {
      RealInterval by = differences[r].bytes[static_cast<std::size_t>(of.quantity)];
      if (of.field == &PlanRank::hbm) by = by + kjt_hbm;
      if (of.field == &PlanRank::ddr) by = by + kjt_ddr;
      after.*of.field = narrowed(moved(before.*of.field, by), after.*of.field);
    }
  }
  return hbm_growth;
}

void WhatIf::Impl::narrow_perf(const ChangedPerf& perf, Plan& plan) const {
  for (std::size_t r = 0; r < perf.rank_differences.size(); ++r) {
    const PlanPerf& before = base.plan.ranks[r].perf;
    PlanPerf& after = plan.ranks[r].perf;
    for (std::size_t c = 0; c < kPerfCells; ++c) {
      const RealInterval old = c < kPerfParts ? before.parts[c] : before.total, by = perf.rank_differences[r][c];
      RealInterval& now = c < kPerfParts ? after.parts[c] : after.total;
      const RealInterval moved = at_least_zero(old + by);
      now = plan.ranks[r].expected_perf.known ? narrowed(with_rounding(moved), now) : with_rounding(moved);
    }
  }
}

std::optional<Refusal> WhatIf::Impl::lost_perf(const ChangedInputs& changed, const Plan& plan) const {
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    if (plan.tables[t].perf.known || !base.plan.tables[changed.base_rows[t]].perf.known) continue;
    const PrintedTable& row = changed.printed.tables.rows[t];
    return Refusal{std::string(row.fqn.text) + ": no release says how fast compute kernel " +
                   std::string(row.kernel.text) + " is on " + std::string(name(plan.setting.device))};
  }
  return std::nullopt;
}

// What the plan says of itself: releases, policy, reservation.
void WhatIf::Impl::describe(const ChangedInputs& changed, Plan& plan) const {
  const Plan& from = base.plan;
  plan.sized = true;
  plan.releases = changed.run.release ? std::vector{*changed.run.release} : from.releases;
  plan.policy = from.policy;
  plan.policies = from.policies;
  plan.dense_hbm = from.dense_hbm;
  plan.dense_ddr = from.dense_ddr;
  if (base.inputs.reservation_printed) {
    plan.kjt_hbm = changed.inputs.kjt_hbm;
    plan.kjt_ddr = changed.inputs.kjt_ddr;
    const ByteInterval kjt = plan.kjt_hbm.high > 0 ? plan.kjt_hbm : plan.kjt_ddr;
    plan.kjt = {kjt, from.kjt.known, false};
  } else {
    plan.kjt_hbm = from.kjt_hbm;
    plan.kjt_ddr = from.kjt_ddr;
    ByteInterval& kjt = io_in_hbm(from.setting) ? plan.kjt_hbm : plan.kjt_ddr;
    kjt = moved(kjt, changed.hidden_kjt);
  }
}

// Those of the changed plan; what was set has the origin `flag`, what did not change the support that the log gives it.
void WhatIf::Impl::list(const ChangedInputs& changed, const SearchResult& found, Plan& plan) const {
  list_assumptions(changed.inputs, found, {}, plan);
  for (Assumption& assumption : plan.assumptions) {
    if (is_set(changed, assumption)) {
      assumption.origin = Origin::flag;
      continue;
    }
    const auto same = [&](const Assumption& a) {
      return !a.table && a.name == assumption.name && a.value == assumption.value;
    };
    if (assumption.table) continue;
    const auto before = std::ranges::find_if(base.plan.assumptions, same);
    if (before == base.plan.assumptions.end()) continue;
    assumption.origin = before->origin;
    assumption.support = before->support;
  }
}

Plan WhatIf::Impl::assemble(const ChangedInputs& changed, std::vector<ChangedOutcome> outcomes, bool preferred,
                            std::vector<RealInterval>* hbm_growth) const {
  const PlanInputs& inputs = changed.inputs;
  Plan plan;
  fill_plain(inputs, plan);
  SearchResult found;
  KnownSums known(inputs);
  for (ChangedOutcome& of : outcomes) {
    Outcome& outcome = of.survivor.outcome;
    outcome.lines = known.of(outcome);
    outcome.sums = outcome.lines->lines();
    Sums(inputs, outcome).settle();
    found.survivors.push_back(of.survivor);
  }
  rebuild(inputs, found, {}, plan);
  narrow_tables(inputs, plan);
  describe(changed, plan);
  list_alternatives(found, plan);
  auto growth = narrow_ranks(changed, outcomes, plan);
  if (hbm_growth != nullptr) *hbm_growth = std::move(growth);
  const ChangedPerf perf = changed_perf(base, changed, outcomes, plan, preferred);
  if (!perf.outcomes.empty()) {
    fill_perf(perf.outcomes, inputs, perf.inputs, true, plan);
    narrow_perf(perf, plan);
  }
  if (!preferred) list(changed, found, plan);
  return plan;
}

WhatIf::WhatIf(const PrintedPlan& printed, InferOptions options) : impl_(std::make_unique<Impl>()) {
  options.alternatives = options.perf = options.shard_parts = true;
  impl_->base = run_inference(printed, options);
  impl_->refused = refusal_of(impl_->base);
  impl_->local_sizes = possible_local_sizes(impl_->base);
}

WhatIf::~WhatIf() = default;

const Plan& WhatIf::base() const { return impl_->base.plan; }
const Refusal* WhatIf::refusal() const { return impl_->refused ? &*impl_->refused : nullptr; }

Plan WhatIf::likely_base() const {
  if (impl_->refused) return impl_->base.plan;
  Texts texts;
  ChangedInputs same;
  if (change_inputs(impl_->base, {}, impl_->local_sizes, texts, same)) return impl_->base.plan;
  impl_->set_reservation({&base().policy, 1}, same);
  const auto outcomes = changed_outcomes(impl_->base, same);
  auto [preferred, keeps_base] = preferred_only(impl_->base, same, impl_->likeliest(outcomes));
  return impl_->assemble(same, {std::move(preferred)}, true);
}

std::variant<ChangedPlan, Refusal> WhatIf::with(std::span<const Change> changes, bool likely) const {
  if (impl_->refused) return *impl_->refused;
  ChangedPlan result;
  result.texts = std::make_shared<Texts>();
  ChangedInputs changed;
  if (auto why = change_inputs(impl_->base, changes, impl_->local_sizes, *result.texts, changed)) return Refusal{*why};
  impl_->set_reservation(base().policies, changed);
  impl_->place_shards(changed, *result.texts, result.placed);
  const auto outcomes = changed_outcomes(impl_->base, changed);
  impl_->move_cells(outcomes, changed);
  result.plan = impl_->assemble(changed, outcomes, false, &result.hbm_growth);
  if (auto refusal = impl_->lost_perf(changed, result.plan)) return *refusal;
  if (likely) {
    impl_->set_reservation({&base().policy, 1}, changed);
    auto [preferred, keeps_base] = preferred_only(impl_->base, changed, impl_->likeliest(outcomes));
    result.likely = impl_->assemble(changed, {std::move(preferred)}, true);
  }
  result.skeleton = std::move(changed.printed);
  result.device_hbm = changed.run.hbm;
  return result;
}

// The largest shards first, each on the rank that takes the least HBM so far.
void WhatIf::Impl::place_shards(ChangedInputs& changed, Texts& texts, std::vector<std::string>& placed) const {
  if (std::ranges::none_of(changed.unplaced, [](bool b) { return b; })) return;
  const auto outcomes = changed_outcomes(base, changed);
  move_cells(outcomes, changed);
  const Plan plan = assemble(changed, {likeliest(outcomes)}, true);
  struct Waiting {
    std::uint32_t table;
    double each;  // HBM of a shard, bytes
  };
  std::vector<Waiting> waiting;
  std::vector<double> used;
  for (const PlanRank& rank : plan.ranks) used.push_back(middle(real(rank.hbm)));
  for (std::uint32_t t = 0; t < changed.unplaced.size(); ++t) {
    if (!changed.unplaced[t]) continue;
    for (const PlanShard& shard : plan.shards_of(plan.tables[t]))
      used[static_cast<std::size_t>(*shard.rank)] -= middle(real(shard.sizes->hbm));
    waiting.push_back({t, middle(real(plan.shards[plan.tables[t].first_shard].sizes->hbm))});
  }
  std::ranges::stable_sort(waiting, std::ranges::greater{}, &Waiting::each);
  for (const Waiting& table : waiting) {
    std::vector<int> ranks;
    for (std::size_t n = changed.inputs.tables[table.table].ranks.size(); n > 0; --n) {
      std::vector<double> open = used;
      for (const int rank : ranks) open[static_cast<std::size_t>(rank)] = 1e300;
      const auto rank = static_cast<std::size_t>(std::ranges::min_element(open) - open.begin());
      used[rank] += table.each;
      ranks.push_back(static_cast<int>(rank));
    }
    place(ranks, table.table, texts, changed);
    const PrintedTable& row = changed.printed.tables.rows[table.table];
    placed.push_back(std::string(row.fqn.text) + " on " + (ranks.size() == 1 ? "rank " : "ranks ") +
                     std::string(row.ranks.text));
  }
}

}  // namespace shardstats
