// Pages without scripts, and what their drawings (SVG) are made of. The page of `report` is another one, see html.h.
// Tested by tests/cli/timeline_test.py and tests/report/what_if_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/source.h"

namespace shardstats::page {

// A whole document of the sections of its blocks. `command`: its title.
std::string document(std::string_view command, const std::vector<std::string>& sections);
// `body` is HTML, `heading` is not.
std::string section(std::string_view heading, std::string_view body);
std::string error_section(const Error& error);
std::string html_paragraph(std::string_view sentence);  // nothing for none

// Neighbours differ in hue and lightness.
std::string color(std::size_t index);
struct LegendEntry {
  std::string color;
  std::string_view what;
};
std::string legend(const std::vector<LegendEntry>& entries);  // nothing for none

// `label`: what a drawing shows, for those who do not see it.
std::string svg_start(int width, int height, std::string_view label);
std::string pixels(double x);  // to a tenth
// `anchor`: "start", "middle" or "end".
std::string text_at(double x, double y, std::string_view anchor, std::string_view text);
// `style`: a class of the page's style sheet.
std::string horizontal(std::string_view style, double left, double right, double y);

}  // namespace shardstats::page
