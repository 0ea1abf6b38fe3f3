#include <algorithm>

#include "report/clean.h"
#include "report/page.h"
#include "report/words.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

using namespace page;

class Drawing {
 public:
  Drawing(const RankTimeline& rank, std::int64_t whole, std::string& out)
      : rank_(rank), whole_(static_cast<double>(std::max<std::int64_t>(whole, 1))), out_(out) {}

  void write() {
    out_ += svg_start(kLeft + kPlotWidth + kRight, kTop + kHeight + kFoot,
                      "Memory of rank " + std::to_string(rank_.rank) + " in each phase");
    write_grid();
    for (std::size_t p = 0; p < kPhases; ++p) write_phase(p);
    write_planner();
    out_ += "</svg>\n";
  }

 private:
  double y(double bytes) const { return kTop + kHeight * (1 - bytes / whole_); }
  void line(std::string_view style, double y) { out_ += horizontal(style, kLeft, kLeft + kPlotWidth, y); }
  void write_grid() {
    for (int i = 0; i <= kLines; ++i) {
      const double bytes = whole_ * i / kLines;
      line("grid", y(bytes));
      out_ += text_at(kLeft - 8, y(bytes) + 4, "end", human_bytes(bytes));
    }
  }
  void write_phase(std::size_t p) {
    const auto phase = static_cast<Phase>(p);
    const int x = kLeft + kColumn * static_cast<int>(p);
    double all = 0, below = 0;
    for (std::size_t b = 0; b < kBuffers; ++b)
      if (form_of(static_cast<Buffer>(b)).held.has(phase)) all += static_cast<double>(rank_.bytes[b].high);
    // Upper bounds of buffers may add up to more than that of the phase.
    const double scale = static_cast<double>(rank_.phases[p].held.high) / std::max(all, 1.0);
    for (std::size_t b = 0; b < kBuffers; ++b) {
      const BufferForm& form = form_of(static_cast<Buffer>(b));
      const double bytes = scale * static_cast<double>(rank_.bytes[b].high);
      if (!form.held.has(phase) || bytes == 0) continue;
      out_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + pixels(y(below + bytes)) + "\" width=\"" +
              std::to_string(kColumn) + "\" height=\"" + pixels(kHeight * bytes / whole_) + "\" fill=\"" + color(b) +
              "\"><title>" + xml_escaped(form.what) + ": " + human_bytes(rank_.bytes[b]) + "</title></rect>\n";
      below += bytes;
    }
    constexpr int kMiddle = kColumn / 2;
    out_ += text_at(x + kMiddle, y(below) - 4, "middle", human_bytes(rank_.phases[p].held));
    const std::string label = spaced(kPhaseNames[p]);
    const std::size_t blank = std::min(label.find(' '), label.size());
    out_ += text_at(x + kMiddle, kTop + kHeight + 16, "middle", label.substr(0, blank));
    if (blank < label.size()) out_ += text_at(x + kMiddle, kTop + kHeight + 31, "middle", label.substr(blank + 1));
  }
  void write_planner() {
    const double at = y(static_cast<double>(rank_.planner.high));
    line("limit", at);
    out_ += text_at(kLeft + kPlotWidth + 6, at - 4, "start", "planner's estimate");
    out_ += text_at(kLeft + kPlotWidth + 6, at + 12, "start", human_bytes(rank_.planner));
  }

  static constexpr int kLeft = 90, kTop = 16, kColumn = 100, kHeight = 260, kFoot = 40, kRight = 120,
                       kLines = 4;  // pixels
  static constexpr int kPlotWidth = kColumn * static_cast<int>(kPhases);

  const RankTimeline& rank_;
  double whole_;  // bytes at the top
  std::string& out_;
};

std::string bytes_row(std::string_view what, ByteInterval bytes) {
  return "<tr><td>" + xml_escaped(what) + "</td><td>" + human_bytes(bytes) + "</td></tr>\n";
}

void write_rank(const RankTimeline& rank, std::int64_t whole, bool open, std::string& out) {
  out += std::string("<details") + (open ? " open" : "") + "><summary>" + timeline_heading(rank) + "</summary>\n";
  Drawing(rank, whole, out).write();
  out += "<table>\n" + bytes_row("the planner's estimate", rank.planner);
  for (const Difference& part : rank.difference) out += bytes_row(part.what, part.bytes);
  out += bytes_row("peak", rank.peak) + "</table>\n</details>\n";
}

std::string buffers_legend(const std::vector<const RankTimeline*>& ranks) {
  std::vector<LegendEntry> entries;
  for (std::size_t b = 0; b < kBuffers; ++b)
    if (std::ranges::any_of(ranks, [b](const RankTimeline* rank) { return rank->bytes[b].high > 0; }))
      entries.push_back({color(b), form_of(static_cast<Buffer>(b)).what});
  return legend(entries);
}

}  // namespace

std::string timeline_section(std::string_view block, const Timeline& timeline) {
  std::string body = html_paragraph(timeline_model(timeline));
  const auto ranks = by_peak(timeline.ranks);
  body += buffers_legend(ranks);
  for (const RankTimeline* rank : ranks)
    write_rank(*rank, std::max(ranks.front()->peak.high, rank->planner.high), rank == ranks.front(), body);
  return section(block, body);
}

}  // namespace shardstats
