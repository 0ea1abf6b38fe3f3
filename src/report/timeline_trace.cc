#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/words.h"
#include "shardstats/report/timeline.h"

namespace shardstats {
namespace {

constexpr std::int64_t kPhaseMicroseconds = 1000;
constexpr int kPhaseTrack = 1, kFirstBufferTrack = 2;

Json metadata(std::string_view what, int process, int track, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

Json slice(const std::string& name, int process, int track, std::size_t first, std::size_t last, ByteInterval bytes) {
  return {{"name", name},
          {"ph", "X"},
          {"ts", static_cast<std::int64_t>(first) * kPhaseMicroseconds},
          {"dur", static_cast<std::int64_t>(last - first + 1) * kPhaseMicroseconds},
          {"pid", process},
          {"tid", track},
          {"args", {{"bytes", value_json(bytes)}}}};
}

// Counters hold one number: the upper bound.
Json counter(const RankTimeline& rank, int process, std::size_t phase) {
  Json bytes = Json::object();
  for (std::size_t b = 0; b < kBuffers; ++b) {
    const BufferForm& form = form_of(static_cast<Buffer>(b));
    if (rank.bytes[b].high == 0) continue;
    bytes[std::string(form.what)] = form.held.has(static_cast<Phase>(phase)) ? rank.bytes[b].high : 0;
  }
  return {{"name", "HBM, at most (bytes)"},
          {"ph", "C"},
          {"ts", static_cast<std::int64_t>(phase) * kPhaseMicroseconds},
          {"pid", process},
          {"args", std::move(bytes)}};
}

// A slice for each run of phases that the buffer is held in.
void add_buffer(const RankTimeline& rank, Buffer buffer, int process, int track, Json& events) {
  const BufferForm& form = form_of(buffer);
  for (std::size_t first = 0, p = 0; p < kPhases; ++p) {
    const bool held = form.held.has(static_cast<Phase>(p));
    if (!held) first = p + 1;
    if (held && (p + 1 == kPhases || !form.held.has(static_cast<Phase>(p + 1))))
      events.push_back(slice(std::string(form.what), process, track, first, p, rank.of(buffer)));
  }
}

void add_rank(const RankTimeline& rank, int process, Json& events) {
  events.push_back(metadata("thread_name", process, kPhaseTrack, "phases"));
  for (std::size_t p = 0; p < kPhases; ++p) {
    events.push_back(slice(spaced(kPhaseNames[p]), process, kPhaseTrack, p, p, rank.phases[p].held));
    events.push_back(counter(rank, process, p));
  }
  int track = kFirstBufferTrack;
  for (std::size_t b = 0; b < kBuffers; ++b) {
    if (rank.bytes[b].high == 0) continue;
    const auto buffer = static_cast<Buffer>(b);
    events.push_back(metadata("thread_name", process, track, std::string(form_of(buffer).what)));
    add_buffer(rank, buffer, process, track++, events);
  }
}

}  // namespace

int add_trace_events(std::string_view block, const Timeline& timeline, int first_process, Json& events) {
  int process = first_process;
  for (const RankTimeline& rank : timeline.ranks) {
    events.push_back(metadata("process_name", process, 0, std::string(block) + ", rank " + std::to_string(rank.rank)));
    add_rank(rank, process++, events);
  }
  return process;
}

std::string trace_document(const Json& events) {
  return dumped({{"traceEvents", events},
                 {"displayTimeUnit", "ms"},
                 {"otherData",
                  {{"tool", "shardstats timeline"},
                   {"time", "each phase is drawn 1 ms long: the log does not tell how long they take"}}}}) +
         "\n";
}

}  // namespace shardstats
