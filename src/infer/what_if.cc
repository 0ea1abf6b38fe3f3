#include "shardstats/infer/what_if.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "infer/assume.h"
#include "infer/fill_perf.h"
#include "infer/rebuild.h"
#include "infer/sums.h"
#include "infer/what_if_parts.h"
#include "shardstats/limits.h"
#include "shardstats/log/lost_columns.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats {
namespace infer_detail {
namespace {

// Why inference does not know enough of the log.
std::optional<Refusal> refusal_of(const Inference& base) {
  const Plan& plan = base.plan;
  const auto because = [](std::string why) { return Refusal{"this log cannot be rebuilt: " + std::move(why)}; };
  if (plan.empty) return because("the planner found no plan, so that there are no shards");
  const auto& rows = base.inputs.printed->tables.rows;
  for (const PlanTable& table : plan.tables) {
    const PrintedTable& row = rows[table.row];
    const auto unknown = [&](const std::string& what, const Cell& word) {
      return because("the " + what + " of table " + std::string(row.fqn.text) + ", " + std::string(word.text) +
                     ", is of no known release");
    };
    if (row.sharding && !parse_name<Sharding>(row.sharding.text, kShardingNames))
      return unknown("sharding type", row.sharding);
    if (row.kernel && table.kernel == nullptr) return unknown("compute kernel", row.kernel);
  }
  if (!plan.sized && !rows.empty() && base.inputs.printed->releases.back() >= Release::v0_3_0) {
    if (base.inputs.batch_size <= 0) return because("its batch size is lost");
    if (base.inputs.printed->ranks.rows.empty()) return because("the rows of its rank table are lost");
    if (const ColumnForm* lost = lost_column_of_sizes(*base.inputs.printed))
      return because("its parameter table lost the column \"" + std::string(lost->header) + "\", which sizes rest on");
    return because("no row of its parameter table has all cells that sizes rest on");
  }
  if (!plan.sized || plan.tables.empty())
    return because("it has no parameter table of v0.3.0 or newer with sizes (was the planner run with debug on?)");
  if (plan.missing) return because("rows of the parameter table are lost");
  for (const PlanTable& table : plan.tables) {
    const PrintedTable& row = rows[table.row];
    const std::string name(row.fqn.text);
    if (row.ranks.text == "None") return because("the ranks of table " + name + " are not printed");
    if (!table.sized) return because("cells of table " + name + " that sizes rest on are lost or unreadable");
    if (!table.explained) return because("no dtype, optimizer and caching explain the storage of table " + name);
  }
  const auto& rank_rows = base.inputs.printed->ranks.rows;
  const auto is_unknown = [&](const PlanRank& rank) {
    return rank_rows[static_cast<std::size_t>(&rank - plan.ranks.data())].lost && !rank.known;
  };
  if (!tells_rank_count(*base.inputs.printed) || std::ranges::any_of(plan.ranks, is_unknown) ||
      static_cast<std::int64_t>(plan.ranks.size()) != plan.setting.world_size)
    return because("rows of the rank table are lost");
  return std::nullopt;
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

// A byte interval of a rank, and by how much it grows.
struct RankField {
  ByteInterval PlanRank::*field;
  RealInterval PlanGrowth::OfRank::*growth;
};
using OfRank = PlanGrowth::OfRank;
constexpr std::array<RankField, 6> kRankFields = {{{&PlanRank::hbm, &OfRank::hbm},
                                                   {&PlanRank::sparse_hbm, &OfRank::sparse_hbm},
                                                   {&PlanRank::ddr, &OfRank::ddr},
                                                   {&PlanRank::sparse_ddr, &OfRank::sparse_ddr},
                                                   {&PlanRank::input, &OfRank::input},
                                                   {&PlanRank::output, &OfRank::output}}};

// Sums of bytes stop at 64 bits and the texts of numbers, too: larger ones would be printed as if that were their
// value.
std::optional<Refusal> too_large(const Plan& plan) {
  for (const PlanRank& rank : plan.ranks) {
    const auto is_too_large = [&](const RankField& of) { return (rank.*of.field).low > kAnyBytes.high; };
    if (rank.perf.total.low < kLargestNumber && std::ranges::none_of(kRankFields, is_too_large)) continue;
    return Refusal{"the memory or the perf of rank " + std::to_string(rank.rank) +
                   " would be larger than numbers of a plan can be; give smaller values"};
  }
  return std::nullopt;
}

// To what is known of their cells.
void narrow_tables(const PlanInputs& inputs, Plan& plan) {
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = plan.tables[t];
    Expectation* const expected[] = {&table.hbm, &table.ddr, &table.ssd};
    for (std::size_t c = 0; c < std::size(expected); ++c)
      if (const auto& cell = inputs.tables[t].cells[c]; cell && expected[c]->known)
        expected[c]->bytes = narrowed(expected[c]->bytes, *cell);
  }
}

// `x` as far as it is in the bounds, else their nearest end.
template <class T>
Interval<T> nearest(Interval<T> x, Interval<T> bounds) {
  if (x.overlaps(bounds)) return narrowed(x, bounds);
  return exactly(x.high < bounds.low ? bounds.low : bounds.high);
}

// The likeliest numbers of ranks are among those that all explanations leave.
void keep_ranks_within(const Plan& bounds, Plan& likely) {
  for (std::size_t r = 0; r < std::min(bounds.ranks.size(), likely.ranks.size()); ++r) {
    const PlanRank& all = bounds.ranks[r];
    PlanRank& rank = likely.ranks[r];
    for (const RankField& of : kRankFields) rank.*of.field = nearest(rank.*of.field, all.*of.field);
    for (std::size_t c = 0; c < kPerfCells; ++c)
      perf_cell(rank.perf, c) = nearest(perf_cell(rank.perf, c), perf_cell(all.perf, c));
  }
}

}  // namespace
}  // namespace infer_detail

using namespace infer_detail;

struct WhatIf::Impl {
  Inference base;
  std::optional<Refusal> refused;
  std::vector<std::int64_t> local_sizes;
  std::once_flag likely_asked;
  std::unique_ptr<LikelyBase> likely;  // once asked for

  const LikelyBase& likeliest();
  // The changed plan over these hypotheses. `by`: with this explanation alone; nullptr: with all.
  Plan assemble(const ChangedInputs& changed, std::vector<ChangedOutcome> outcomes, const LikelyBase* by,
                bool with_perf = true, PlanGrowth* growth = nullptr) const;
  // Sets perf, and what follows from it.
  void add_perf(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes, const SearchResult& found,
                const LikelyBase* by, Plan& plan) const;
  // The same over the likeliest explanation; `outcomes` are those of all.
  Plan assemble_likely(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes);
  void move_cells(const std::vector<ChangedOutcome>& outcomes, ChangedInputs& changed) const;
  void place_shards(ChangedInputs& changed, Texts& texts, std::vector<std::string>& placed);
  PlanGrowth growth_to(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes,
                       const Plan& plan) const;
  void narrow_ranks(const PlanGrowth& growth, bool is_exact, Plan& plan) const;
  void narrow_perf(const ChangedPerf& perf, bool is_exact, Plan& plan) const;
  // Why a table that has perf in the log has none any more.
  std::optional<Refusal> lost_perf(const ChangedInputs& changed, const Plan& plan) const;
  void describe(const ChangedInputs& changed, const LikelyBase* by, Plan& plan) const;
  void list(const ChangedInputs& changed, const SearchResult& found, Plan& plan) const;
};

// The log's cells of a table that differs: moved by what they differ, or else they say nothing any more.
void WhatIf::Impl::move_cells(const std::vector<ChangedOutcome>& outcomes, ChangedInputs& changed) const {
  const auto differs = changed_storage(base, changed, outcomes);
  for (std::uint32_t t = 0; t < differs.size(); ++t) {
    if (!differs[t]) continue;
    const auto difference = cell_differences(base, changed, outcomes, t);
    const auto& before = base.inputs.tables[changed.base_rows[t]].cells;
    for (std::size_t c = 0; c < before.size(); ++c)
      if (auto& cell = changed.inputs.tables[t].cells[c])
        cell = difference ? moved(*before[c], (*difference)[c]) : kAnyBytes;
  }
}

PlanGrowth WhatIf::Impl::growth_to(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes,
                                   const Plan& plan) const {
  const bool printed = base.inputs.reservation_printed, in_hbm = io_in_hbm(plan.setting);
  const auto of_kjt = [&](ByteInterval after, ByteInterval before, bool holds) {
    if (!printed) return holds ? changed.hidden_kjt : RealInterval{};
    return after == before ? RealInterval{} : real(after) - real(before);
  };
  PlanGrowth growth;
  growth.kjt_hbm = of_kjt(plan.kjt_hbm, base.plan.kjt_hbm, in_hbm);
  const RealInterval kjt_ddr = of_kjt(plan.kjt_ddr, base.plan.kjt_ddr, !in_hbm);
  for (const RankDifference& rank : rank_differences(base, changed, outcomes))
    growth.ranks.push_back({.hbm = rank.of(Quantity::hbm) + growth.kjt_hbm,
                            .sparse_hbm = rank.of(Quantity::hbm),
                            .ddr = rank.of(Quantity::ddr) + kjt_ddr,
                            .sparse_ddr = rank.of(Quantity::ddr),
                            .input = rank.of(Quantity::input),
                            .output = rank.of(Quantity::output)});
  return growth;
}

// What is known of the log's ranks is known of the changed ones, but for the shards that differ. It counts for more
// than the sum of the likeliest shards, which need not be what the log prints of their rank.
void WhatIf::Impl::narrow_ranks(const PlanGrowth& growth, bool is_exact, Plan& plan) const {
  for (std::size_t r = 0; r < growth.ranks.size(); ++r)
    for (const RankField& of : kRankFields) {
      ByteInterval& after = plan.ranks[r].*of.field;
      const ByteInterval now = moved(base.plan.ranks[r].*of.field, growth.ranks[r].*of.growth);
      after = is_exact ? nearest(now, after) : narrowed(now, after);
    }
}

void WhatIf::Impl::narrow_perf(const ChangedPerf& perf, bool is_exact, Plan& plan) const {
  for (std::size_t r = 0; r < perf.rank_differences.size(); ++r) {
    const PlanPerf& before = base.plan.ranks[r].perf;
    PlanPerf& after = plan.ranks[r].perf;
    for (std::size_t c = 0; c < kPerfCells; ++c) {
      const RealInterval old = perf_cell(before, c), by = perf.rank_differences[r][c];
      RealInterval& now = perf_cell(after, c);
      const RealInterval moved = with_rounding(at_least_zero(old + by));
      if (!plan.ranks[r].expected_perf.known)
        now = moved;
      else
        now = is_exact ? nearest(moved, now) : narrowed(moved, now);
    }
    plan.ranks[r].perf_cells |= base.plan.ranks[r].perf_cells;
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
void WhatIf::Impl::describe(const ChangedInputs& changed, const LikelyBase* by, Plan& plan) const {
  const Plan& from = base.plan;
  plan.sized = true;
  plan.releases = changed.run.release ? std::vector{*changed.run.release} : from.releases;
  plan.policy = from.policy;
  plan.policies = from.policies;
  describe_reservation(base, changed, by, plan);
}

// Those of the changed plan; what was set has the origin `flag`, what did not change the support that the log gives it.
void WhatIf::Impl::list(const ChangedInputs& changed, const SearchResult& found, Plan& plan) const {
  list_assumptions(changed.inputs, found, {}, plan);
  for (Assumption& assumption : plan.assumptions) {
    if (is_set(changed, assumption)) {
      assumption.origin = Origin::flag;
      continue;
    }
    const bool grows = assumption.name == "kjt_hbm";  // with the batch, from what the log says
    const auto same = [&](const Assumption& a) {
      return !a.table && a.name == assumption.name && (grows || a.value == assumption.value);
    };
    if (assumption.table) continue;
    const auto before = std::ranges::find_if(base.plan.assumptions, same);
    if (before == base.plan.assumptions.end()) continue;
    assumption.origin = before->origin;
    assumption.support = before->support;
  }
}

void WhatIf::Impl::add_perf(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes,
                            const SearchResult& found, const LikelyBase* by, Plan& plan) const {
  const ChangedPerf perf = changed_perf(base, changed, outcomes, found, by);
  if (perf.outcomes.empty()) return;
  fill_perf(perf.outcomes, changed.inputs, perf.inputs, true, plan);
  narrow_perf(perf, by && by->agrees, plan);
}

Plan WhatIf::Impl::assemble(const ChangedInputs& changed, std::vector<ChangedOutcome> outcomes, const LikelyBase* by,
                            bool with_perf, PlanGrowth* growth) const {
  const PlanInputs& inputs = changed.inputs;
  Plan plan;
  fill_plain(inputs, plan);
  SearchResult found;
  KnownSums known(inputs);
  for (ChangedOutcome& of : outcomes) {
    Outcome& outcome = of.survivor.outcome;
    known.list_in(outcome, false);
    Sums(inputs, outcome).settle();
    found.survivors.push_back(of.survivor);
  }
  rebuild(inputs, found, {}, plan);
  narrow_tables(inputs, plan);
  describe(changed, by, plan);
  list_alternatives(found, plan);
  PlanGrowth grown = growth_to(changed, outcomes, plan);
  narrow_ranks(grown, by && by->agrees, plan);
  if (growth != nullptr) *growth = std::move(grown);
  if (with_perf) add_perf(changed, outcomes, found, by, plan);
  if (by == nullptr) list(changed, found, plan);
  return plan;
}

Plan WhatIf::Impl::assemble_likely(const ChangedInputs& changed, const std::vector<ChangedOutcome>& outcomes) {
  return assemble(changed, {likely_outcome(base, changed, likeliest(), outcomes)}, &likeliest());
}

const LikelyBase& WhatIf::Impl::likeliest() {
  std::call_once(likely_asked, [&] { likely = std::make_unique<LikelyBase>(base); });
  return *likely;
}

WhatIf::WhatIf(const PrintedPlan& printed, InferOptions options) : impl_(std::make_unique<Impl>()) {
  options.alternatives = options.perf = options.shard_parts = true;
  options.shards_by_ranks = false;
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
  set_reservation(impl_->base, &impl_->likeliest(), same);
  Plan likely = impl_->assemble_likely(same, changed_outcomes(impl_->base, same));
  keep_ranks_within(base(), likely);
  return likely;
}

std::variant<ChangedPlan, Refusal> WhatIf::with(std::span<const Change> changes, Answer answer) const {
  if (impl_->refused) return *impl_->refused;
  ChangedPlan result;
  result.texts = std::make_shared<Texts>();
  ChangedInputs changed;
  if (auto why = change_inputs(impl_->base, changes, impl_->local_sizes, *result.texts, changed)) return Refusal{*why};
  set_reservation(impl_->base, nullptr, changed);
  impl_->place_shards(changed, *result.texts, result.placed);
  const auto outcomes = changed_outcomes(impl_->base, changed);
  impl_->move_cells(outcomes, changed);
  const bool with_perf = answer != Answer::memory;
  result.plan = impl_->assemble(changed, outcomes, nullptr, with_perf, &result.growth);
  if (answer >= Answer::growth_too) add_growth_of_cells(impl_->base, changed, outcomes, result.growth);
  if (auto refusal = with_perf ? impl_->lost_perf(changed, result.plan) : std::nullopt) return *refusal;
  if (auto refusal = too_large(result.plan)) return *refusal;
  if (answer == Answer::likely_too) {
    set_reservation(impl_->base, &impl_->likeliest(), changed);
    result.likely = impl_->assemble_likely(changed, outcomes);
    keep_ranks_within(result.plan, result.likely);
  }
  result.skeleton = std::move(changed.printed);
  result.device_hbm = changed.run.hbm;
  return result;
}

// The largest shards first, each on the rank that takes the least HBM so far.
void WhatIf::Impl::place_shards(ChangedInputs& changed, Texts& texts, std::vector<std::string>& placed) {
  if (std::ranges::none_of(changed.unplaced, [](bool b) { return b; })) return;
  const auto outcomes = changed_outcomes(base, changed);
  move_cells(outcomes, changed);
  const Plan plan = assemble_likely(changed, outcomes);
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
