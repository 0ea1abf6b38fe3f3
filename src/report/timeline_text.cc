#include <algorithm>

#include "report/bars.h"
#include "report/columns.h"
#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

constexpr std::string_view kIndent = "  ", kBetween = "  ";
constexpr int kLeastBar = 10, kMostBar = 60;

// "+14.1 GiB", "+1.2..+1.3 MiB", "-1.3..-1.2 MiB": "-1.2..1.3 MiB" may be either sign.
std::string signed_bytes(ByteInterval bytes) {
  if (bytes.low < 0) return human_bytes(bytes);
  std::string text = "+" + human_bytes(bytes);
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) text.insert(dots + 2, "+");
  return text;
}
// Nothing for nothing.
std::string changed(ByteInterval bytes) { return bytes == ByteInterval{} ? "" : signed_bytes(bytes); }

// "####..##": the phases that the buffer is held in.
std::string held_marks(Phases held, const TextStyle& style) {
  std::string marks;
  for (std::size_t p = 0; p < kPhases; ++p)
    marks += held.has(static_cast<Phase>(p)) ? (style.ascii ? "#" : "█") : (style.ascii ? "." : "·");
  return marks;
}

void write_buffers(const RankTimeline& rank, const TextStyle& style, std::string& out) {
  std::vector<std::size_t> present;
  std::size_t names = 0, values = 0;
  for (std::size_t b = 0; b < kBuffers; ++b) {
    if (rank.bytes[b].high == 0) continue;
    present.push_back(b);
    names = std::max(names, form_of(static_cast<Buffer>(b)).what.size());
    values = std::max(values, human_bytes(rank.bytes[b]).size());
  }
  out += std::string(kIndent) + padded("buffer", names) + std::string(kBetween) + "12345678" + std::string(kBetween) +
         right_aligned("bytes", values) + "\n";
  for (const std::size_t b : present) {
    const BufferForm& form = form_of(static_cast<Buffer>(b));
    out += std::string(kIndent) + padded(std::string(form.what), names) + std::string(kBetween) +
           held_marks(form.held, style) + std::string(kBetween) + right_aligned(human_bytes(rank.bytes[b]), values) +
           (form.held.has(rank.peak_phase) ? "" : "  not at the peak") + "\n";
  }
}

void write_difference(const RankTimeline& rank, std::string& out) {
  Rows lines = {{"the planner's estimate", human_bytes(rank.planner)}};
  for (const Difference& part : rank.difference) lines.push_back({std::string(part.what), signed_bytes(part.bytes)});
  lines.push_back({"peak", human_bytes(rank.peak)});
  const Widths widths = widths_of(lines);
  for (const auto& line : lines)
    out += std::string(kIndent) + padded(line[0], widths[0]) + std::string(kBetween) +
           right_aligned(line[1], widths[1]) + "\n";
}

}  // namespace

std::string timeline_heading(const RankTimeline& rank) {
  return "Rank " + std::to_string(rank.rank) + ": peak " + human_bytes(rank.peak) + " in " +
         spaced(name(rank.peak_phase)) + "; the planner's estimate is " + human_bytes(rank.planner);
}

std::string timeline_model(const Timeline& timeline) {
  if (!timeline.unknown.empty()) return "No timeline: " + timeline.unknown;
  const Interval<int> batches = timeline.batches_in_flight;
  const std::string count = from_to(std::to_string(batches.low), std::to_string(batches.high));
  const std::string activations = timeline.activations == 0
                                      ? "no activations, which the log cannot know: give --activations SIZE"
                                      : human_bytes(exactly(timeline.activations)) + " of activations as given";
  return "Model: " + count + (batches.high == 1 ? " batch" : " batches") + " in flight, as the pipeline type says; " +
         activations;
}

void write_phases(std::string_view title, const RankTimeline& rank, std::int64_t whole, const TextStyle& style,
                  std::string& out) {
  Rows lines = {{std::string(title), "memory", "at start", "at end"}};
  for (std::size_t p = 0; p < kPhases; ++p) {
    const PhaseMemory& memory = rank.phases[p];
    lines.push_back({std::to_string(p + 1) + " " + spaced(kPhaseNames[p]), human_bytes(memory.held),
                     changed(memory.allocated), changed(ByteInterval{} - memory.released)});
  }
  const Widths widths = widths_of(lines);
  std::size_t taken = kIndent.size() + widths[0] + widths[1] + 2 * kBetween.size();
  const std::size_t changes = widths[2] + widths[3] + 2 * kBetween.size();
  const bool shows_changes = taken + changes + kLeastBar <= static_cast<std::size_t>(style.width);
  if (shows_changes) taken += changes;
  const int width = std::clamp(style.width - static_cast<int>(taken), kLeastBar, kMostBar);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto held_bytes = i == 0 ? 0 : static_cast<double>(rank.phases[i - 1].held.high);
    const double share = whole == 0 ? 0 : held_bytes / static_cast<double>(whole);
    std::string line = std::string(kIndent) + padded(lines[i][0], widths[0]) + std::string(kBetween) +
                       bar(share, width, style) + std::string(kBetween) + right_aligned(lines[i][1], widths[1]);
    for (std::size_t c = 2; c < lines[i].size() && shows_changes; ++c)
      line += std::string(kBetween) + right_aligned(lines[i][c], widths[c]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
}

void write_timeline(const Timeline& timeline, std::size_t top, const TextStyle& style, std::string& out) {
  const auto line = [&](const std::string& text) { out += wrapped(text, style.width, 2) + "\n"; };
  line(timeline_model(timeline));
  const auto ranks = by_peak(timeline.ranks);
  for (const RankTimeline* rank : shown(ranks, top)) {
    line(painted(timeline_heading(*rank), kBold, style));
    write_phases("phase", *rank, ranks.front()->peak.high, style, out);
    write_buffers(*rank, style, out);
    write_difference(*rank, out);
  }
  if (ranks.size() < 2) return;
  line("All " + plural(ranks.size(), "rank") + ": peaks of " + human_bytes(ranks.back()->peak) + " (rank " +
       std::to_string(ranks.back()->rank) + ") to " + human_bytes(ranks.front()->peak) + " (rank " +
       std::to_string(ranks.front()->rank) + ")");
}

}  // namespace shardstats
