#include "shardstats/report/what_if.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/json_array.h"
#include "report/what_if_words.h"
#include "report/words.h"
#include "shardstats/report/text.h"

namespace shardstats {
namespace {

using namespace what_if_words;

Json peak_json(const PlanPeak& peak) {
  return {{"hbm", bytes_json(peak.hbm)},
          {"rank", peak.fullest},
          {"headroom", peak.headroom ? bytes_json(*peak.headroom) : Json()},
          {"perf", peak.perf ? bounds_json(*peak.perf) : Json()},
          {"slowest_rank", peak.perf ? Json(peak.slowest) : Json()}};
}

Json point_json(const std::vector<std::string>& keys, const SweepPoint& point) {
  Json values = Json::object();
  for (std::size_t i = 0; i < keys.size(); ++i) values[keys[i]] = point.values[i];
  Json json = point.peak ? peak_json(*point.peak) : Json::object();
  json["values"] = std::move(values);
  if (!point.refused.empty()) json["refused"] = point.refused;
  return json;
}

}  // namespace

void write_changes(const WhatIfResult& result, const TextStyle& style, std::string& out) {
  if (const std::string text = question(result); !text.empty()) out += wrapped(text, style.width, 2) + "\n";
  for (const std::string& table : result.placed) out += wrapped("  " + placed_text(table), style.width, 4) + "\n";
}

void write_sweep(const Sweep& sweep, const TextStyle& style, std::string& out) {
  Columns columns(sweep.keys.size());
  columns.add(head(sweep));
  columns.add(base_row(sweep));
  for (const SweepPoint& point : sweep.points) columns.add(row(point));
  columns.write(style, out);
  for (const std::string& text : refusals(sweep)) out += wrapped("  " + text, style.width, 4) + "\n";
}

void write_largest(const LargestFit& largest, const TextStyle& style, std::string& out) {
  const auto line = [&](const std::string& text, std::string_view color = {}) {
    out += painted(wrapped(text, style.width, 2), color, style) + "\n";
  };
  line(answer(largest), largest.fits ? kGood : kBad);
  if (const std::string text = doubt(largest); !text.empty()) line("  " + text);
  for (const std::string& point : points(largest)) out += wrapped("  " + point, style.width, 4) + "\n";
}

Json sweep_json(const Sweep& sweep) {
  const auto point = [&](const SweepPoint& p) { return point_json(sweep.keys, p); };
  return {{"keys", sweep.keys}, {"base", peak_json(sweep.base)}, {"points", array_of(sweep.points, point)}};
}

Json largest_json(const LargestFit& largest) {
  const auto number = [](const std::optional<std::int64_t>& n) { return n ? Json(*n) : Json(); };
  const auto point = [&](const std::optional<SweepPoint>& p) { return p ? point_json({largest.key}, *p) : Json(); };
  return {{"key", largest.key},           {"limit", capped(largest.limit)},
          {"fits", number(largest.fits)}, {"may_fit", number(largest.may_fit)},
          {"at", point(largest.at)},      {"beyond", point(largest.beyond)}};
}

}  // namespace shardstats
