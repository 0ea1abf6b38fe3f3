#include "shardstats/analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "shardstats/analysis/composition.h"
#include "shardstats/analysis/reconstruct.h"

namespace shardstats {
namespace {

using enum Phase;

constexpr Phases kAlways = Phases::all();
constexpr Phases kDense = Phases::from_to(dense_forward, dense_backward);

// In the order of Buffer.
constexpr std::array<BufferForm, kBuffers> kForms = {{
    {"weights", "weights", kAlways, true, "tensor bytes in HBM of the rank's shards"},
    {"stashed_weights", "stashed weights", kAlways.without(kDense), true,
     "tensor bytes of the tables that are stashed"},
    {"optimizer_state", "optimizer state", kAlways, true, "optimizer bytes in HBM of the rank's shards"},
    {"cache", "cache", kAlways, true, "what cached kernels keep in HBM of weights and state, and of the cache itself"},
    {"dense_parameters", "dense parameters", kAlways, true, "1/6 of the dense reservation"},
    {"dense_optimizer", "dense optimizer", kAlways, true, "2/6 of the dense reservation"},
    {"dense_ddp", "dense gradients, DDP", kAlways, true, "3/6 of the dense reservation"},
    {"dense", "dense modules", kAlways, true, "the dense reservation"},
    {"kjt", "KJT copies", kAlways, true, "the KJT reservation"},
    {"input", "input", Phases::from_to(input_dist, embedding_backward), false, "I of the rank's shards"},
    {"later_inputs", "input of later batches", kAlways, false, "I for each further batch in flight"},
    {"prefetched", "prefetched rows", kAlways, false, "trunc((1 + 6/p) I) of cached tables in a prefetch pipeline"},
    {"output", "lookup output", Phases::from_to(lookup, output_dist), false, "O of the rank's shards, without DP"},
    {"own_output", "output of DP tables", Phases::from_to(lookup, dense_backward), false, "O of the rank's DP shards"},
    {"received", "received output", Phases::from_to(output_dist, dense_backward), false,
     "y C e_o of all tables but DP: the outputs of the rank's own batch"},
    {"activations", "activations", kDense, false, "--activations"},
    {"own_gradients", "gradients of DP output", Phases::from_to(dense_backward, embedding_backward), false,
     "as the output of DP tables"},
    {"sent_gradients", "gradients to send", Phases::from_to(dense_backward, gradient_dist), false,
     "as the received output"},
    {"output_gradients", "received gradients", Phases::from_to(gradient_dist, embedding_backward), false,
     "as the lookup output"},
    {"weight_gradients", "gradients of weights", Phases::from_to(embedding_backward, optimizer), false,
     "tensor bytes of tables with a dense kernel"},
}};

ByteInterval operator-(ByteInterval x) { return {-x.high, -x.low}; }

constexpr Phase next(Phase phase) { return static_cast<Phase>((static_cast<std::size_t>(phase) + 1) % kPhases); }
constexpr Phase previous(Phase phase) {
  return static_cast<Phase>((static_cast<std::size_t>(phase) + kPhases - 1) % kPhases);
}

// Bytes between bounds whose ends may be fractions of a byte.
ByteInterval whole_bytes_of(RealInterval x) { return outward({std::max(x.low, 0.0), x.high}); }

// e_o / e over everything that explains the log.
RealInterval output_scale(const PlanTable& table) {
  const auto of = [](const Choice& choice) { return exactly(choice.output_element_size / choice.element_size); };
  RealInterval scale = of(table.choice);
  for (const Choice& other : table.alternatives) scale = hull(scale, of(other));
  return scale;
}

// O of the storage estimator, from that of the Output column, which is ceil(x e) with the table's own element size.
RealInterval output_bytes(const PlanShard& shard, RealInterval scale) {
  const RealInterval column = real(shard.sizes->output);
  if (scale == exactly(1.0)) return column;
  return {std::floor(std::max(column.low - 1, 0.0) * scale.low), std::ceil(column.high * scale.high)};
}

// Outputs of a table for the batch of one rank: what output dist delivers to each. O of a shard is for the batches of
// all ranks, rounded up; each part of a row split has a sum for every pooling, which are added up on the way.
RealInterval received_bytes(const Plan& plan, const PlanTable& table) {
  const RealInterval scale = output_scale(table);
  const bool sums = is_row_split(table.sharding) && !table.sequence;
  RealInterval all{};
  for (const PlanShard& shard : plan.shards_of(table)) {
    const RealInterval output = output_bytes(shard, scale);
    const RealInterval exact{std::max(output.low - 1, 0.0), output.high};
    if (!sums) {
      all = all + exact;
    } else if (shard.sizes->cols.low > 0) {
      const RealInterval whole = exact * exactly(static_cast<double>(table.cols)) / real(shard.sizes->cols);
      all = {std::max(all.low, whole.low), std::max(all.high, whole.high)};
    }
  }
  return all / exactly(static_cast<double>(plan.setting.world_size));
}

Interval<int> in_flight(const Plan& plan) {
  Interval<int> batches = exactly(batches_in_flight(plan.setting));
  for (const Setting& other : plan.alternatives) batches = hull(batches, exactly(batches_in_flight(other)));
  return batches;
}

RealInterval prefetched_bytes(const Plan& plan, const PlanTable& table, const PlanShard& shard) {
  const auto prefetching = [&](const Setting& setting) { return prefetches(setting, *table.kernel); };
  const bool first = prefetching(plan.setting), all = first && std::ranges::all_of(plan.alternatives, prefetching);
  if (!first && std::ranges::none_of(plan.alternatives, prefetching)) return {};
  RealInterval bytes = prefetch_bytes(table.facts.front(), real(shard.sizes->input));
  for (const auto& facts : table.facts) bytes = hull(bytes, prefetch_bytes(facts, real(shard.sizes->input)));
  return {all ? bytes.low : 0, bytes.high};
}

std::string why_unknown(const Plan& plan) {
  if (!plan.sized || plan.empty) return std::string(why_not_rebuilt(plan));
  if (plan.ranks.empty()) return "the log has no ranks";
  const auto sized = [](const PlanTable& table) { return table.sized && !table.facts.empty(); };
  if (plan.missing || !std::ranges::all_of(plan.tables, sized))
    return "not every table could be rebuilt from the log, and each rank receives the outputs of all";
  if (!io_in_hbm(plan.setting)) return "compute device " + std::string(name(plan.setting.device)) + " has no HBM";
  if (plan.setting.inference) return "the plan is for inference, which has no training step";
  return "";
}

PhaseMemory memory_in(const RankTimeline& rank, Phase phase) {
  PhaseMemory memory;
  // The printed HBM of the rank bounds the planner's buffers together more tightly than one by one.
  ByteInterval within = rank.planner - rank.planner_io;
  for (std::size_t b = 0; b < kBuffers; ++b) {
    const auto buffer = static_cast<Buffer>(b);
    const BufferForm& form = kForms[b];
    const bool held = form.held.has(phase);
    if (held) memory.held = memory.held + rank.bytes[b];
    if (held && !form.of_planner) within = within + rank.bytes[b];
    if (!held && form.of_planner) within = within - rank.bytes[b];
    if (is_allocated(buffer, phase)) memory.allocated = memory.allocated + rank.bytes[b];
    if (is_released(buffer, phase)) memory.released = memory.released + rank.bytes[b];
  }
  memory.held = narrowed(memory.held, within);
  return memory;
}

// The memory of the phases, the peak and what explains it, from the bytes of the buffers.
void finish(RankTimeline& rank) {
  rank.peak = {};
  for (std::size_t p = 0; p < kPhases; ++p) {
    const auto phase = static_cast<Phase>(p);
    rank.phases[p] = memory_in(rank, phase);
    const ByteInterval held = rank.phases[p].held;
    if (p == 0 || held.high > rank.peak.high) rank.peak_phase = phase;
    rank.peak = {std::max(rank.peak.low, held.low), std::max(rank.peak.high, held.high)};
  }
  rank.difference = {{"input and output, as the planner counts them", -rank.planner_io}};
  for (std::size_t b = 0; b < kBuffers; ++b) {
    const BufferForm& form = kForms[b];
    const bool held = form.held.has(rank.peak_phase);
    if (held != form.of_planner && rank.bytes[b].high > 0)
      rank.difference.push_back({form.what, held ? rank.bytes[b] : -rank.bytes[b]});
  }
}

void add(RankTimeline& rank, Buffer buffer, ByteInterval bytes) {
  ByteInterval& sum = rank.bytes[static_cast<std::size_t>(buffer)];
  sum = sum + bytes;
}

void add_shard(const Plan& plan, const PlanTable& table, const PlanShard& shard, RankTimeline& rank) {
  const HbmParts parts = hbm_parts(*shard.sizes);
  add(rank, Buffer::weights, parts.weights);
  add(rank, Buffer::optimizer_state, parts.optimizer);
  add(rank, Buffer::cache, parts.cache);
  add(rank, Buffer::input, shard.sizes->input);
  add(rank, Buffer::prefetched, whole_bytes_of(prefetched_bytes(plan, table, shard)));
  const ByteInterval output = whole_bytes_of(output_bytes(shard, output_scale(table)));
  const bool own = table.sharding == Sharding::dp;
  add(rank, own ? Buffer::own_output : Buffer::output, output);
  add(rank, own ? Buffer::own_gradients : Buffer::output_gradients, output);
  if (table.kernel->dense) add(rank, Buffer::weight_gradients, parts.weights);
  rank.planner_io = rank.planner_io + parts.buffers;
}

// The reservation of the heuristical policy is a multiple of the dense parameters: they once, optimizer state twice,
// gradients and DDP's buckets three times.
void add_dense(const Plan& plan, RankTimeline& rank) {
  const ByteInterval dense = plan.dense_hbm;
  if (plan.policy != Policy::heuristical) {
    add(rank, Buffer::dense, dense);
    return;
  }
  const ByteInterval once{dense.low / 6, dense.high / 6}, thrice{dense.low / 2, dense.high / 2};
  add(rank, Buffer::dense_parameters, once);
  add(rank, Buffer::dense_optimizer, {thrice.low - once.low, thrice.high - once.high});
  add(rank, Buffer::dense_ddp, {dense.low - thrice.low, dense.high - thrice.high});
}

std::vector<RankTimeline> timelines(const Plan& plan, const TimelineOptions& options, Interval<int> batches) {
  std::vector<RankTimeline> ranks(plan.ranks.size());
  std::map<int, RankTimeline*> by_number;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].rank = plan.ranks[r].rank;
    by_number.emplace(ranks[r].rank, &ranks[r]);
  }
  RealInterval received{};
  for (const PlanTable& table : plan.tables) {
    if (table.sharding != Sharding::dp) received = received + received_bytes(plan, table);
    for (const PlanShard& shard : plan.shards_of(table)) {
      const auto rank = shard.rank ? by_number.find(*shard.rank) : by_number.end();
      if (rank != by_number.end()) add_shard(plan, table, shard, *rank->second);
    }
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankTimeline& rank = ranks[r];
    const ByteInterval input = rank.of(Buffer::input);
    add(rank, Buffer::later_inputs,
        {capped_product(input.low, batches.low - 1), capped_product(input.high, batches.high - 1)});
    add(rank, Buffer::received, whole_bytes_of(received));
    add(rank, Buffer::sent_gradients, whole_bytes_of(received));
    add(rank, Buffer::activations, exactly(options.activations));
    add(rank, Buffer::kjt, plan.kjt_hbm);
    add_dense(plan, rank);
    rank.planner = plan.ranks[r].hbm;
    finish(rank);
  }
  return ranks;
}

}  // namespace

std::span<const BufferForm, kBuffers> buffer_forms() { return kForms; }
const BufferForm& form_of(Buffer buffer) { return kForms[static_cast<std::size_t>(buffer)]; }

bool is_allocated(Buffer buffer, Phase at) {
  const Phases held = form_of(buffer).held;
  return held.has(at) && !held.has(previous(at));
}
bool is_released(Buffer buffer, Phase after) {
  const Phases held = form_of(buffer).held;
  return held.has(after) && !held.has(next(after));
}

Timeline timeline_of(const Plan& plan, const Filter& filter, const TimelineOptions& options) {
  Timeline timeline;
  timeline.activations = options.activations;
  timeline.unknown = why_unknown(plan);
  if (!timeline.unknown.empty()) return timeline;
  timeline.batches_in_flight = in_flight(plan);
  timeline.ranks = timelines(plan, options, timeline.batches_in_flight);
  std::erase_if(timeline.ranks, [&](const RankTimeline& rank) { return !filter.keeps_rank(rank.rank); });
  return timeline;
}

RankTimeline with_stash(const RankTimeline& rank, ByteInterval stashed) {
  RankTimeline after = rank;
  ByteInterval& weights = after.bytes[static_cast<std::size_t>(Buffer::weights)];
  weights = {weights.low - stashed.low, weights.high - stashed.high};
  add(after, Buffer::stashed_weights, stashed);
  finish(after);
  return after;
}

std::vector<const RankTimeline*> by_peak(std::span<const RankTimeline> ranks) {
  std::vector<const RankTimeline*> sorted;
  for (const RankTimeline& rank : ranks) sorted.push_back(&rank);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const RankTimeline* rank) { return rank->peak.high; });
  return sorted;
}

}  // namespace shardstats
