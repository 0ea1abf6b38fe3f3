// The formats of `timeline`. Nothing is computed here.
//
//   Rank 28: peak 134.9 GiB in dense backward, the planner's estimate is 100.0 GiB
//     1 input dist          ############          100.7 GiB  +841.0 MiB           0
//     2 lookup              #############         114.8 GiB   +14.1 GiB           0
//
// Tested by tests/cli/timeline_test.py and the golden runs in tests/cli.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/timeline.h"
#include "shardstats/report/json.h"
#include "shardstats/report/style.h"

namespace shardstats {

// "Rank 28: peak 134.9 GiB in dense backward; the planner's estimate is 100.0 GiB"
std::string timeline_heading(const RankTimeline& rank);
// "Model: 1 batch in flight, as the pipeline type says; ...", or why there is no timeline.
std::string timeline_model(const Timeline& timeline);

// Charts of the `top` ranks with the largest peaks; 0: all.
void write_timeline(const Timeline& timeline, std::size_t top, const TextStyle& style, std::string& out);
// The chart of one rank alone: a line for each phase. Sizes are drawn against `whole` bytes.
void write_phases(std::string_view title, const RankTimeline& rank, std::int64_t whole, const TextStyle& style,
                  std::string& out);

void add_timeline(const Timeline& timeline, Json& block);
Json rank_timeline_json(const RankTimeline& rank);

// Trace events (the JSON that Perfetto and chrome://tracing open) of one block: a process for each rank, with its
// memory as a counter, a track of phases and a track for each buffer. `first_process`: ids count from there; the next
// free one is returned. A phase is drawn 1 ms long, since a log does not tell how long dense modules take.
int add_trace_events(std::string_view block, const Timeline& timeline, int first_process, Json& events);
std::string trace_document(const Json& events);

// A part of the page for one block: a drawing (SVG) for each rank, the largest peaks first.
std::string timeline_section(std::string_view block, const Timeline& timeline);

}  // namespace shardstats
