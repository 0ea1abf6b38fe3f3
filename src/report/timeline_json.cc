#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/report/timeline.h"

namespace shardstats {
namespace {

// The buffers that `chooses`, with their bytes.
template <class Choose>
Json buffers_json(const RankTimeline& rank, const Choose& chooses) {
  Json json = Json::array();
  for (std::size_t b = 0; b < kBuffers; ++b) {
    const auto buffer = static_cast<Buffer>(b);
    if (rank.bytes[b].high > 0 && chooses(buffer))
      json.push_back({{"buffer", form_of(buffer).id}, {"bytes", value_json(rank.bytes[b])}});
  }
  return json;
}

Json phase_json(const RankTimeline& rank, Phase phase) {
  const PhaseMemory& memory = rank.in(phase);
  return {{"phase", name(phase)},
          {"memory", value_json(memory.held)},
          {"allocated", value_json(memory.allocated)},
          {"released", value_json(memory.released)},
          {"allocates", buffers_json(rank, [&](Buffer buffer) { return is_allocated(buffer, phase); })},
          {"releases", buffers_json(rank, [&](Buffer buffer) { return is_released(buffer, phase); })}};
}

}  // namespace

Json rank_timeline_json(const RankTimeline& rank) {
  Json phases = Json::array();
  for (std::size_t p = 0; p < kPhases; ++p) phases.push_back(phase_json(rank, static_cast<Phase>(p)));
  const auto part_json = [](const Difference& part) -> Json {
    return {{"what", part.what}, {"bytes", value_json(part.bytes)}};
  };
  const auto at_peak = [&](Buffer buffer) { return form_of(buffer).held.has(rank.peak_phase); };
  return {
      {"rank", rank.rank},
      {"peak",
       {{"memory", value_json(rank.peak)}, {"phase", name(rank.peak_phase)}, {"buffers", buffers_json(rank, at_peak)}}},
      {"planner", value_json(rank.planner)},
      {"difference", array_of(rank.difference, part_json)},
      {"phases", std::move(phases)},
      {"buffers", buffers_json(rank, [](Buffer) { return true; })}};
}

void add_timeline(const Timeline& timeline, Json& block) {
  const bool known = timeline.unknown.empty();
  block["timeline_unknown"] = known ? Json() : Json(timeline.unknown);
  block["batches_in_flight"] = known ? bounds_json(timeline.batches_in_flight) : Json();
  block["activations"] = timeline.activations;
  block["timeline"] = array_of(timeline.ranks, rank_timeline_json);
}

}  // namespace shardstats
