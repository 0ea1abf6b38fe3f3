// The files that a report page is made of, embedded at build time (cmake/assets.cmake).
#pragma once

#include <string_view>

namespace shardstats::assets {

std::string_view page_html();
std::string_view page_css();
std::string_view page_js();   // all of *.js here
std::string_view chart_js();  // Chart.js, minified
std::string_view chart_license();

}  // namespace shardstats::assets
