#include "report/what_if_words.h"

#include <algorithm>
#include <utility>

#include "report/words.h"
#include "shardstats/report/units.h"

namespace shardstats::what_if_words {
namespace {

std::string headroom_text(const PlanPeak& peak) {
  if (!peak.headroom) return "not known";
  if (peak.headroom->high < 0)
    return human_bytes(RealInterval{-peak.headroom->high, -peak.headroom->low}) + " too much";
  return peak.headroom->low < 0 ? "perhaps none" : human_bytes(*peak.headroom);
}

std::vector<std::string> with_peak(std::vector<std::string> cells, const PlanPeak& peak) {
  cells.push_back(human_bytes(peak.hbm));
  cells.push_back(std::to_string(peak.fullest));
  cells.push_back(headroom_text(peak));
  cells.push_back(peak.perf ? human_ms(*peak.perf) : "not known");
  return cells;
}

// What reads like the limit is told in bytes.
std::string taken_text(const SweepPoint& point, double limit) {
  if (!point.peak) return point.refused;
  const PlanPeak& peak = *point.peak;
  std::string taken = human_bytes(peak.hbm);
  if (taken == human_bytes(limit))
    taken += (peak.hbm.high > limit ? ", perhaps as much as " : ", ") + with_commas(capped(peak.hbm.high)) + " of " +
             with_commas(capped(limit)) + " bytes";
  return "rank " + std::to_string(peak.fullest) + " takes " + taken +
         (peak.perf ? ", the slowest rank " + human_ms(*peak.perf) : "");
}

}  // namespace

std::string question(const WhatIfResult& result) {
  return result.changes.empty() ? "" : "what if " + listed(result.changes, "and");
}

std::string placed_text(const std::string& table) { return "placed where least HBM is taken: " + table; }

std::vector<std::string> head(const Sweep& sweep) {
  std::vector<std::string> names = sweep.keys;
  names.insert(names.end(), {"largest HBM", "on rank", "headroom", "slowest rank"});
  return names;
}

std::vector<std::string> base_row(const Sweep& sweep) {
  std::vector<std::string> cells(sweep.keys.size());
  cells.front() = kAsLogged;
  return with_peak(std::move(cells), sweep.base);
}

std::vector<std::string> row(const SweepPoint& point) {
  return point.peak ? with_peak(point.values, *point.peak) : point.values;
}

std::string refusal(const SweepPoint& point) { return listed(point.values, "") + ": " + point.refused; }

std::vector<std::string> refusals(const Sweep& sweep) {
  std::vector<std::pair<const SweepPoint*, std::int64_t>> first_of_each;  // and how many there are
  for (const SweepPoint& point : sweep.points) {
    if (point.peak) continue;
    const auto known =
        std::ranges::find(first_of_each, point.refused, [](const auto& one) { return one.first->refused; });
    if (known == first_of_each.end())
      first_of_each.emplace_back(&point, 1);
    else
      ++known->second;
  }
  std::vector<std::string> lines;
  for (const auto& [point, count] : first_of_each)
    lines.push_back(count == 1 ? refusal(*point)
                               : listed(point->values, "") + " and " + plural(count - 1, "more point") + ": " +
                                     point->refused);
  return lines;
}

std::string answer(const LargestFit& largest) {
  const std::string limit = human_bytes(largest.limit);
  if (!largest.fits) return "no " + largest.key + " fits " + limit;
  if (!largest.beyond || !largest.beyond->refused.empty())
    return "any " + largest.key + " up to " + with_commas(*largest.fits) + " fits " + limit;
  return "largest " + largest.key + " that fits " + limit + ": " + with_commas(*largest.fits);
}

std::string doubt(const LargestFit& largest) {
  if (!largest.may_fit || largest.may_fit == largest.fits) return {};
  return "up to " + with_commas(*largest.may_fit) + " may fit: what the log hides decides";
}

std::vector<std::string> points(const LargestFit& largest) {
  std::vector<std::string> texts;
  const auto add = [&](const std::optional<SweepPoint>& point, std::int64_t value) {
    if (point) texts.push_back("at " + with_commas(value) + ": " + taken_text(*point, largest.limit));
  };
  add(largest.at, largest.fits.value_or(0));
  add(largest.beyond, largest.fits.value_or(0) + 1);
  return texts;
}

}  // namespace shardstats::what_if_words
