#include <algorithm>
#include <cmath>

#include "report/clean.h"
#include "report/words.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

// Pixels of a drawing.
constexpr int kLeft = 90, kTop = 16, kColumn = 100, kHeight = 260, kFoot = 40, kRight = 120, kLines = 4;
constexpr int kPlotWidth = kColumn * static_cast<int>(kPhases);

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>shardstats timeline</title>
<style>
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 1060px; margin: 0 auto; padding: 1rem; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: CanvasText; }
svg .grid { stroke: CanvasText; stroke-opacity: .2; }
svg .planner { stroke: CanvasText; stroke-dasharray: 6 4; }
summary { cursor: pointer; font-weight: 600; }
.legend span { display: inline-block; margin-right: 1rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .3em; }
table { border-collapse: collapse; }
td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
td + td { text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
<h1>shardstats timeline</h1>
)";

// Neighbours differ in hue and lightness.
std::string color(std::size_t buffer) {
  constexpr std::size_t kStep = 137;  // degrees: the golden angle
  return "hsl(" + std::to_string(buffer * kStep % 360) + " 55% " + (buffer % 2 == 0 ? "48%" : "64%") + ")";
}

std::string number(double pixels) { return shortest(std::round(pixels * 10) / 10); }

std::string text_at(int x, double y, std::string_view anchor, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         xml_escaped(text) + "</text>\n";
}

class Drawing {
 public:
  Drawing(const RankTimeline& rank, std::int64_t whole, std::string& out)
      : rank_(rank), whole_(static_cast<double>(std::max<std::int64_t>(whole, 1))), out_(out) {}

  void write() {
    out_ += "<svg viewBox=\"0 0 " + std::to_string(kLeft + kPlotWidth + kRight) + " " +
            std::to_string(kTop + kHeight + kFoot) + "\" role=\"img\" aria-label=\"Memory of rank " +
            std::to_string(rank_.rank) + " in each phase\">\n";
    write_grid();
    for (std::size_t p = 0; p < kPhases; ++p) write_phase(p);
    write_planner();
    out_ += "</svg>\n";
  }

 private:
  double y(double bytes) const { return kTop + kHeight * (1 - bytes / whole_); }
  void line(std::string_view style, double y) {
    out_ += "<line class=\"" + std::string(style) + "\" x1=\"" + std::to_string(kLeft) + "\" x2=\"" +
            std::to_string(kLeft + kPlotWidth) + "\" y1=\"" + number(y) + "\" y2=\"" + number(y) + "\"/>\n";
  }
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
      out_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + number(y(below + bytes)) + "\" width=\"" +
              std::to_string(kColumn) + "\" height=\"" + number(kHeight * bytes / whole_) + "\" fill=\"" + color(b) +
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
    line("planner", at);
    out_ += text_at(kLeft + kPlotWidth + 6, at - 4, "start", "planner's estimate");
    out_ += text_at(kLeft + kPlotWidth + 6, at + 12, "start", human_bytes(rank_.planner));
  }

  const RankTimeline& rank_;
  double whole_;  // bytes at the top
  std::string& out_;
};

std::string row(std::string_view what, ByteInterval bytes) {
  return "<tr><td>" + xml_escaped(what) + "</td><td>" + human_bytes(bytes) + "</td></tr>\n";
}

void write_rank(const RankTimeline& rank, std::int64_t whole, bool open, std::string& out) {
  out += std::string("<details") + (open ? " open" : "") + "><summary>" + timeline_heading(rank) + "</summary>\n";
  Drawing(rank, whole, out).write();
  out += "<table>\n" + row("the planner's estimate", rank.planner);
  for (const Difference& part : rank.difference) out += row(part.what, part.bytes);
  out += row("peak", rank.peak) + "</table>\n</details>\n";
}

std::string legend(const std::vector<const RankTimeline*>& ranks) {
  std::string out = "<p class=\"legend\">";
  for (std::size_t b = 0; b < kBuffers; ++b)
    if (std::ranges::any_of(ranks, [b](const RankTimeline* rank) { return rank->bytes[b].high > 0; }))
      out += "<span><i style=\"background:" + color(b) + "\"></i>" + xml_escaped(form_of(static_cast<Buffer>(b)).what) +
             "</span>";
  return out + "</p>\n";
}

}  // namespace

std::string timeline_section(std::string_view block, const Timeline& timeline) {
  std::string out = "<section>\n<h2>" + xml_escaped(block) + "</h2>\n";
  out += "<p>" + xml_escaped(timeline_model(timeline)) + "</p>\n";
  const auto ranks = by_peak(timeline.ranks);
  if (!ranks.empty()) out += legend(ranks);
  for (const RankTimeline* rank : ranks)
    write_rank(*rank, std::max(ranks.front()->peak.high, rank->planner.high), rank == ranks.front(), out);
  return out + "</section>\n";
}

std::string timeline_error(std::string_view path, const Error& error) {
  return "<section>\n<h2>" + xml_escaped(path) + "</h2>\n<p>not read: " + xml_escaped(message_and_hint(error)) +
         "</p>\n</section>\n";
}

std::string timeline_page(const std::vector<std::string>& sections) {
  std::string page(kHead);
  for (const std::string& section : sections) page += section;
  return page + "</body>\n</html>\n";
}

}  // namespace shardstats
