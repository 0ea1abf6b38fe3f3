#include "report/page.h"

#include <cmath>

#include "report/clean.h"
#include "report/words.h"
#include "shardstats/report/units.h"

namespace shardstats::page {
namespace {

constexpr std::string_view kStart = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";
constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 1060px; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: CanvasText; }
svg .grid { stroke: CanvasText; stroke-opacity: .2; }
svg .limit { stroke: CanvasText; stroke-dasharray: 6 4; }
svg .base { stroke: CanvasText; stroke-dasharray: 1 4; }
svg .band { fill-opacity: .3; stroke-width: 0; }
svg path { stroke-width: 2; }
summary { cursor: pointer; font-weight: 600; }
.legend span { display: inline-block; margin-right: 1rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .3em; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
figure { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
td, th { padding: .1rem .8rem .1rem 0; text-align: left; vertical-align: top; }
td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; }
table .words { text-align: left; }
.wide td:not(.words), .wide th { white-space: nowrap; }
.wide td.words { min-width: 8rem; }
</style>
</head>
<body>
)";

}  // namespace

std::string document(std::string_view command, const std::vector<std::string>& sections) {
  const std::string title = "shardstats " + std::string(command);
  std::string page =
      std::string(kStart) + "<title>" + title + "</title>\n" + std::string(kStyle) + "<h1>" + title + "</h1>\n";
  for (const std::string& section : sections) page += section;
  return page + "</body>\n</html>\n";
}

std::string section(std::string_view heading, std::string_view body) {
  return "<section>\n<h2>" + xml_escaped(heading) + "</h2>\n" + std::string(body) + "</section>\n";
}

std::string error_section(const Error& error) {
  return section(error.path, html_paragraph("not read: " + message_and_hint(error)));
}

std::string html_paragraph(std::string_view sentence) {
  return sentence.empty() ? "" : "<p>" + xml_escaped(sentence) + "</p>\n";
}

std::string color(std::size_t index) {
  constexpr std::size_t kStep = 137;  // degrees: the golden angle
  return "hsl(" + std::to_string(index * kStep % 360) + " 55% " + (index % 2 == 0 ? "48%" : "64%") + ")";
}

std::string legend(const std::vector<LegendEntry>& entries) {
  if (entries.empty()) return {};
  std::string out = "<p class=\"legend\">";
  for (const LegendEntry& entry : entries)
    out += "<span><i style=\"background:" + entry.color + "\"></i>" + xml_escaped(entry.what) + "</span>";
  return out + "</p>\n";
}

std::string svg_start(int width, int height, std::string_view label) {
  return "<svg viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) +
         "\" role=\"img\" aria-label=\"" + xml_escaped(label) + "\">\n";
}

std::string pixels(double x) { return shortest(std::round(x * 10) / 10 + 0.0); }

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         xml_escaped(text) + "</text>\n";
}

std::string horizontal(std::string_view style, double left, double right, double y) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + pixels(left) + "\" x2=\"" + pixels(right) + "\" y1=\"" +
         pixels(y) + "\" y2=\"" + pixels(y) + "\"/>\n";
}

}  // namespace shardstats::page
