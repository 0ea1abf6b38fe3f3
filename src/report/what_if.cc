#include "shardstats/report/what_if.h"

#include <cmath>

#include "report/columns.h"
#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

std::string headroom_text(const PlanPeak& peak) {
  if (!peak.headroom) return "not known";
  if (peak.headroom->high < 0)
    return "none: " + human_bytes(RealInterval{-peak.headroom->high, -peak.headroom->low}) + " too much";
  return peak.headroom->low < 0 ? "perhaps none" : human_bytes(*peak.headroom);
}

std::vector<std::string> cells_of(std::vector<std::string> first, const PlanPeak& peak) {
  first.push_back(human_bytes(peak.hbm));
  first.push_back(std::to_string(peak.fullest));
  first.push_back(headroom_text(peak));
  first.push_back(peak.perf ? human_ms(*peak.perf) : "not known");
  return first;
}

Json bytes(RealInterval x) { return {{"low", capped(std::floor(x.low))}, {"high", capped(std::ceil(x.high))}}; }

Json peak_json(const PlanPeak& peak) {
  return {{"hbm", bytes(peak.hbm)},
          {"rank", peak.fullest},
          {"headroom", peak.headroom ? bytes(*peak.headroom) : Json()},
          {"perf", peak.perf ? Json{{"low", peak.perf->low}, {"high", peak.perf->high}} : Json()},
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

void write_changes(const std::vector<std::string>& changes, const std::vector<std::string>& placed,
                   const TextStyle& style, std::string& out) {
  out += wrapped("what if " + listed(changes, "and"), style.width, 2) + "\n";
  for (const std::string& table : placed)
    out += wrapped("  placed where most HBM is left: " + table, style.width, 4) + "\n";
}

void write_sweep(const Sweep& sweep, const TextStyle& style, std::string& out) {
  Columns columns;
  const auto row = [&](std::vector<std::string> first, const PlanPeak& peak) {
    columns.add(cells_of(std::move(first), peak));
  };
  std::vector<std::string> head = sweep.keys;
  head.insert(head.end(), {"largest HBM", "on rank", "headroom", "slowest rank"});
  columns.add(std::move(head));
  std::vector<std::string> as_it_is(sweep.keys.size());
  as_it_is.front() = "(as logged)";
  row(std::move(as_it_is), sweep.base);
  for (const SweepPoint& point : sweep.points)
    if (point.peak)
      row(point.values, *point.peak);
    else
      columns.add(point.values);
  columns.write(out);
  for (const SweepPoint& point : sweep.points)
    if (!point.peak) out += wrapped("  " + listed(point.values, "") + ": " + point.refused, style.width, 4) + "\n";
}

void write_largest(const LargestFit& largest, const TextStyle& style, std::string& out) {
  const std::string limit = human_bytes(largest.limit);
  const auto line = [&](const std::string& text, std::string_view color = {}) {
    out += painted(wrapped(text, style.width, 2), color, style) + "\n";
  };
  if (largest.fits)
    line("largest " + largest.key + " that fits " + limit + ": " + with_commas(*largest.fits), kGood);
  else
    line("no " + largest.key + " fits " + limit, kBad);
  if (largest.may_fit && largest.may_fit != largest.fits)
    line("  up to " + with_commas(*largest.may_fit) + " may fit: what the log hides decides");
  const auto show = [&](const std::optional<SweepPoint>& point) {
    if (!point) return;
    const std::string head = "  at " + point->values.front() + ": ";
    if (!point->peak) return line(head + point->refused);
    line(head + "rank " + std::to_string(point->peak->fullest) + " takes " + human_bytes(point->peak->hbm) +
         (point->peak->perf ? ", the slowest rank " + human_ms(*point->peak->perf) : ""));
  };
  show(largest.at);
  show(largest.beyond);
}

Json sweep_json(const Sweep& sweep) {
  Json points = Json::array();
  for (const SweepPoint& point : sweep.points) points.push_back(point_json(sweep.keys, point));
  return {{"keys", sweep.keys}, {"base", peak_json(sweep.base)}, {"points", std::move(points)}};
}

Json largest_json(const LargestFit& largest) {
  const auto number = [](const std::optional<std::int64_t>& n) { return n ? Json(*n) : Json(); };
  const auto point = [&](const std::optional<SweepPoint>& p) { return p ? point_json({largest.key}, *p) : Json(); };
  return {{"key", largest.key},           {"limit", capped(largest.limit)},
          {"fits", number(largest.fits)}, {"may_fit", number(largest.may_fit)},
          {"at", point(largest.at)},      {"beyond", point(largest.beyond)}};
}

}  // namespace shardstats
