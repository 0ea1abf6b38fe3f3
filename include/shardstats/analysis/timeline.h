// timeline: the memory of each rank over one training step, by what is alive in it.
//
//   Plan --timeline_of()--> Timeline { ranks: bytes of each buffer, memory in each phase, peak }
//
// The planner adds up what a rank holds; the model here says when it holds it (docs/timeline.md says which sizes are
// the planner's formulas and which times are the model's assumptions). All bytes are bounds that follow from the
// printed digits. Invariants: the memory of a phase lies within the sum of the buffers alive in it, which it equals
// where all are exact; the peak is the largest of them; `difference` adds up to the peak less the planner's estimate,
// within bounds. Tested by tests/analysis/timeline_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/filter.h"
#include "shardstats/infer/plan.h"

namespace shardstats {

// Of a training step, in this order.
enum class Phase : std::uint8_t {
  input_dist,
  lookup,
  output_dist,
  dense_forward,
  dense_backward,
  gradient_dist,
  embedding_backward,
  optimizer,
};
inline constexpr std::array<std::string_view, 8> kPhaseNames = {"input_dist",         "lookup",         "output_dist",
                                                                "dense_forward",      "dense_backward", "gradient_dist",
                                                                "embedding_backward", "optimizer"};
inline constexpr std::size_t kPhases = kPhaseNames.size();
constexpr std::string_view name(Phase phase) { return name_of(phase, kPhaseNames); }

// A set of phases, a bit for each.
class Phases {
 public:
  constexpr Phases() = default;
  static constexpr Phases from_to(Phase first, Phase last) {
    Phases phases;
    for (auto p = static_cast<unsigned>(first); p <= static_cast<unsigned>(last); ++p) phases.bits_ |= 1U << p;
    return phases;
  }
  static constexpr Phases all() { return from_to(Phase::input_dist, Phase::optimizer); }
  constexpr Phases without(Phases others) const {
    Phases phases;
    phases.bits_ = bits_ & ~others.bits_;
    return phases;
  }
  constexpr bool has(Phase phase) const { return (bits_ >> static_cast<unsigned>(phase) & 1U) != 0; }

 private:
  unsigned bits_ = 0;
};

enum class Buffer : std::uint8_t {
  weights,
  stashed_weights,
  optimizer_state,
  cache,
  dense_parameters,
  dense_optimizer,
  dense_ddp,
  dense,
  kjt,
  input,
  later_inputs,
  prefetched,
  output,
  own_output,
  received,
  activations,
  own_gradients,
  sent_gradients,
  output_gradients,
  weight_gradients,
};
inline constexpr std::size_t kBuffers = 20;

// A row of the table of buffers: text, JSON and docs/timeline.md read it.
struct BufferForm {
  std::string_view id;       // "later_inputs"
  std::string_view what;     // "input of later batches"
  Phases held;               // allocated at the start of the first, released at the end of the last
  bool of_planner;           // counted as a whole in the planner's estimate of a rank
  std::string_view formula;  // of its size
};
std::span<const BufferForm, kBuffers> buffer_forms();
const BufferForm& form_of(Buffer buffer);

// Steps follow each other, so that what is held in the last phase and in the first is neither allocated nor released.
bool is_allocated(Buffer buffer, Phase at);
bool is_released(Buffer buffer, Phase after);

struct PhaseMemory {
  ByteInterval held;                 // the buffers alive
  ByteInterval allocated, released;  // at its start and at its end
};

// A part of what the peak has more than the planner's estimate, or less.
struct Difference {
  std::string_view what;
  ByteInterval bytes;
};

struct RankTimeline {
  int rank = 0;
  std::array<ByteInterval, kBuffers> bytes{};  // by Buffer
  std::array<PhaseMemory, kPhases> phases{};   // by Phase
  ByteInterval peak;
  Phase peak_phase{};       // that with the largest upper bound, the first of them
  ByteInterval planner;     // its own estimate: Plan::ranks[].hbm
  ByteInterval planner_io;  // what it counts for input and output in that
  std::vector<Difference> difference;

  ByteInterval of(Buffer buffer) const { return bytes[static_cast<std::size_t>(buffer)]; }
  const PhaseMemory& in(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
};

struct Timeline {
  std::string unknown;                    // why there is none; empty: there is
  Interval<int> batches_in_flight{1, 1};  // whose inputs are held at once, as the pipeline type says
  std::int64_t activations = 0;           // bytes, as given
  std::vector<RankTimeline> ranks;        // in the order of Plan::ranks
};

struct TimelineOptions {
  std::int64_t activations = 0;  // bytes that dense modules keep for their backward pass on each rank
};

// Keeps no reference to the plan, which was inferred with InferOptions::shard_parts.
Timeline timeline_of(const Plan& plan, const Filter& filter, const TimelineOptions& options);

// The same with weights of `stashed` bytes, a part of its weights, away during the dense phases.
RankTimeline with_stash(const RankTimeline& rank, ByteInterval stashed);

// The largest peak first.
std::vector<const RankTimeline*> by_peak(std::span<const RankTimeline> ranks);

}  // namespace shardstats
