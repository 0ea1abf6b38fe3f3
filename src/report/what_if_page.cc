#include <algorithm>
#include <cmath>
#include <limits>

#include "report/clean.h"
#include "report/diff_words.h"
#include "report/page.h"
#include "report/what_if_words.h"
#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/units.h"
#include "shardstats/report/what_if.h"

namespace shardstats {
namespace {

using namespace page;

// ---- plots of a sweep ----------------------------------------------------------------------------------------------

// Pixels of a plot.
constexpr double kLeft = 98, kRight = 470, kTop = 18, kBottom = 240, kInset = 14, kCharacter = 7;
constexpr int kWidth = 480, kHeight = 284, kLines = 4;

double smallest_gap(const std::vector<double>& sorted) {
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < sorted.size(); ++i) gap = std::min(gap, sorted[i] - sorted[i - 1]);
  return gap / (sorted.back() - sorted.front());
}

// The values of the first key from left to right: as numbers where all are, else in equal steps.
class Axis {
 public:
  explicit Axis(const std::vector<SweepPoint>& points) {
    for (const SweepPoint& point : points)
      if (std::ranges::find(texts_, point.values.front()) == texts_.end()) texts_.push_back(point.values.front());
    if (!place_numbers())
      for (std::size_t i = 0; i < texts_.size(); ++i) places_.push_back(static_cast<double>(i));
    const auto [first, last] = std::ranges::minmax(places_);
    for (double& place : places_) {
      const double share = last > first ? (place - first) / (last - first) : 0.5;
      place = kLeft + kInset + share * (kRight - kLeft - 2 * kInset);
    }
  }

  double x(const std::string& text) const {
    return places_[static_cast<std::size_t>(std::ranges::find(texts_, text) - texts_.begin())];
  }
  bool is_logarithmic() const { return logarithmic_; }

  // As many labels as there is room for.
  std::string labels() const {
    std::vector<std::size_t> order(texts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [this](std::size_t i) { return places_[i]; });
    constexpr std::size_t kMostText = 16;
    std::string out;
    double end = 0;
    for (const std::size_t i : order) {
      const std::string text = clean(texts_[i], kMostText);
      const double half = static_cast<double>(text.size()) * kCharacter / 2;
      const double middle = std::min(places_[i], kWidth - half);
      if (middle - half < end) continue;
      out += text_at(middle, kBottom + 17, "middle", text);
      end = middle + half + kCharacter;
    }
    return out;
  }

 private:
  // On the scale, linear or logarithmic, that keeps neighbours further apart.
  bool place_numbers() {
    for (const std::string& text : texts_) {
      const auto number = parse_real(text);
      if (!number) return places_.clear(), false;
      places_.push_back(*number);
    }
    std::vector<double> sorted = places_;
    std::ranges::sort(sorted);
    if (sorted.front() <= 0 || sorted.front() == sorted.back()) return true;
    std::vector<double> logarithms;
    for (const double number : sorted) logarithms.push_back(std::log(number));
    logarithmic_ = smallest_gap(logarithms) > smallest_gap(sorted);
    if (logarithmic_)
      for (double& place : places_) place = std::log(place);
    return true;
  }

  std::vector<std::string> texts_;
  std::vector<double> places_;
  bool logarithmic_ = false;
};

// One line of a plot: the points with the same values of all keys but the first.
struct Series {
  std::string name;
  std::vector<const SweepPoint*> points;  // from left to right
};

std::string series_name(const SweepPoint& point) { return listed({point.values.begin() + 1, point.values.end()}, ""); }

std::vector<Series> series_of(const Sweep& sweep, const Axis& axis) {
  std::vector<Series> all;
  for (const SweepPoint& point : sweep.points) {
    std::string name = series_name(point);
    auto found = std::ranges::find(all, name, &Series::name);
    if (found == all.end()) found = all.insert(all.end(), Series{std::move(name), {}});
    found->points.push_back(&point);
  }
  for (Series& series : all)
    std::ranges::stable_sort(series.points, {}, [&](const SweepPoint* p) { return axis.x(p->values.front()); });
  return all;
}

// What a plot shows of each point.
struct Measure {
  std::string_view title;
  std::optional<RealInterval> (*value)(const PlanPeak&);
  std::string (*text)(RealInterval);
  bool has_limit = false;  // the planning memory
};
constexpr Measure kMeasures[] = {
    {"HBM of the fullest rank", [](const PlanPeak& peak) { return std::optional(peak.hbm); }, human_bytes, true},
    {"Headroom to planning memory", [](const PlanPeak& peak) { return peak.headroom; }, human_bytes},
    {"Perf of the slowest rank", [](const PlanPeak& peak) { return peak.perf; }, human_ms},
};

std::optional<RealInterval> value_of(const Measure& measure, const PlanPeak& peak) {
  const auto value = measure.value(peak);
  return value && std::isfinite(value->low) && std::isfinite(value->high) ? value : std::nullopt;
}
std::optional<RealInterval> value_of(const Measure& measure, const SweepPoint& point) {
  return point.peak ? value_of(measure, *point.peak) : std::nullopt;
}

// The planning memory, if it is the same for all points.
std::optional<RealInterval> limit_of(const Sweep& sweep) {
  const bool same = std::ranges::all_of(sweep.points, [&](const SweepPoint& point) {
    return !point.peak || point.peak->planning == sweep.base.planning;
  });
  return same ? sweep.base.planning : std::nullopt;
}

class Plot {
 public:
  Plot(const Sweep& sweep, const Measure& measure, const Axis& axis, const std::vector<Series>& series)
      : sweep_(sweep), measure_(measure), axis_(axis), series_(series), base_(value_of(measure, sweep.base)) {
    if (measure.has_limit) limit_ = limit_of(sweep);
    for (const SweepPoint& point : sweep.points) include(value_of(measure, point));
    any_ = high_ > low_;
    include(base_);
    include(limit_);
  }

  // Empty if it is not known of any point, or 0 for all.
  std::string svg() const {
    if (!any_) return {};
    const std::string& key = sweep_.keys.front();
    std::string out = svg_start(kWidth, kHeight, std::string(measure_.title) + " over " + key) + grid();
    for (std::size_t i = 0; i < series_.size(); ++i) out += line(series_[i], color(i));
    out += marks() + axis_.labels();
    out += text_at((kLeft + kRight) / 2, kBottom + 36, "middle", key + (axis_.is_logarithmic() ? ", logarithmic" : ""));
    return out + "</svg>\n";
  }

 private:
  void include(const std::optional<RealInterval>& value) {
    if (!value) return;
    low_ = std::min(low_, value->low);
    high_ = std::max(high_, value->high);
  }
  double x(const SweepPoint& point) const { return axis_.x(point.values.front()); }
  double y(double value) const { return kBottom - (kBottom - kTop) * (value - low_) / (high_ - low_); }

  std::string grid() const {
    std::string out;
    for (int i = 0; i <= kLines; ++i) {
      const double value = low_ + (high_ - low_) * i / kLines;
      out += horizontal("grid", kLeft, kRight, y(value)) +
             text_at(kLeft - 6, y(value) + 4, "end", measure_.text(exactly(value)));
    }
    return out;
  }

  std::string marks() const {
    std::string out;
    if (limit_)
      out += horizontal("limit", kLeft, kRight, y(limit_->low)) +
             text_at(kLeft + 4, y(limit_->low) - 4, "start", "planning memory " + measure_.text(*limit_));
    if (low_ < 0) out += horizontal("limit", kLeft, kRight, y(0)) + text_at(kLeft + 4, y(0) - 4, "start", "none left");
    if (base_)
      out += horizontal("base", kLeft, kRight, y(middle(*base_))) +
             text_at(kRight, y(middle(*base_)) - 4, "end", "as logged");
    return out;
  }

  // Bounds as a band, a line through their middle. A point without a value interrupts both.
  std::string line(const Series& series, const std::string& color) const {
    std::string bands, lines, points;
    const SweepPoint* before = nullptr;
    for (const SweepPoint* point : series.points) {
      const auto value = value_of(measure_, *point);
      if (value && before != nullptr) {
        const RealInterval left = *value_of(measure_, *before);
        bands += "<polygon class=\"band\" points=\"" + at(*before, left.low) + at(*point, value->low) +
                 at(*point, value->high) + at(*before, left.high) + "\"/>\n";
        lines += "<path d=\"M" + at(*before, middle(left)) + "L" + at(*point, middle(*value)) + "\"/>\n";
      }
      if (value)
        points += "<circle cx=\"" + pixels(x(*point)) + "\" cy=\"" + pixels(y(middle(*value))) +
                  "\" r=\"3.5\"><title>" + xml_escaped(listed(point->values, "") + ": " + measure_.text(*value)) +
                  "</title></circle>\n";
      before = value ? point : nullptr;
    }
    return "<g style=\"fill:" + color + ";stroke:" + color + "\">\n" + bands + lines + points + "</g>\n";
  }
  std::string at(const SweepPoint& point, double value) const {
    return pixels(x(point)) + "," + pixels(y(value)) + " ";
  }

  const Sweep& sweep_;
  const Measure& measure_;
  const Axis& axis_;
  const std::vector<Series>& series_;
  std::optional<RealInterval> base_, limit_;
  double low_ = 0, high_ = 0;  // of what is drawn; 0 is always in it
  bool any_ = false;
};

std::string plots(const Sweep& sweep) {
  const Axis axis(sweep.points);
  const std::vector<Series> series = series_of(sweep, axis);
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < series.size() && sweep.keys.size() > 1; ++i)
    entries.push_back({color(i), series[i].name});
  std::string out = legend(entries) + "<div class=\"plots\">\n";
  for (const Measure& measure : kMeasures)
    if (const std::string svg = Plot(sweep, measure, axis, series).svg(); !svg.empty())
      out += "<figure><figcaption>" + std::string(measure.title) + "</figcaption>\n" + svg + "</figure>\n";
  return out + "</div>\n";
}

// ---- tables and lists ----------------------------------------------------------------------------------------------

// A row of a table; the first `words` cells are text.
std::string cells(std::string_view tag, const std::vector<std::string>& texts, std::size_t words) {
  const std::string name(tag);
  std::string out = "<tr>";
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += "<" + name + (i < words ? " class=\"words\">" : ">") + xml_escaped(texts[i]) + "</" + name + ">";
  return out + "</tr>\n";
}

std::string more(std::size_t rows, std::size_t top, std::string_view word) {
  const std::size_t hidden = rows - shown(rows, top);
  return hidden == 0 ? "" : html_paragraph(and_more(hidden, word));
}

template <class Items, class Text>
std::string list(const Items& items, std::size_t top, std::string_view word, const Text& text) {
  std::string out = "<ul>\n";
  for (const auto& item : shown(items, top)) out += "<li>" + xml_escaped(text(item)) + "</li>\n";
  return out + "</ul>\n" + more(items.size(), top, word);
}

std::string sweep_part(const Sweep& sweep) {
  using namespace what_if_words;
  const std::size_t keys = sweep.keys.size();
  std::string out = plots(sweep) + "<div class=\"wide\"><table>\n" + cells("th", head(sweep), keys) +
                    cells("td", base_row(sweep), keys);
  std::vector<const SweepPoint*> refused;
  for (const SweepPoint& point : sweep.points) {
    out += cells("td", row(point), keys);
    if (!point.peak) refused.push_back(&point);
  }
  out += "</table></div>\n";
  if (!refused.empty()) out += list(refused, 0, "point", [](const SweepPoint* point) { return refusal(*point); });
  return out;
}

std::string largest_part(const LargestFit& largest) {
  using namespace what_if_words;
  return html_paragraph(answer(largest)) + html_paragraph(doubt(largest)) +
         list(points(largest), 0, "point", [](const std::string& text) { return text; });
}

std::string change_table(const diff_words::ChangeTable& table, std::size_t top) {
  if (table.rows.empty()) return {};
  std::vector<std::string> names = table.names;
  names.insert(names.end(), {"before", "after", "change"});
  std::string out = "<h3>" + std::string(table.title) + "</h3>\n<div class=\"wide\"><table>\n" +
                    cells("th", names, table.names.size());
  for (const diff_words::ChangeRow& row : shown(table.rows, top)) {
    std::vector<std::string> texts = row.words;
    texts.insert(texts.end(), {row.before, row.after, row.change});
    out += cells("td", texts, row.words.size());
  }
  return out + "</table></div>\n" + more(table.rows.size(), top, table.word);
}

std::string diff_part(const PlanDiff& diff, std::size_t top) {
  using namespace diff_words;
  if (!diff.changed() && !diff.is_open()) return html_paragraph(kNoDifference);
  std::string out = html_paragraph(headline_text(diff)) + html_paragraph(headroom_text(diff));
  out += "<h3>Why</h3>\n" + (diff.causes.empty() ? html_paragraph(no_cause_text(true))
                                                 : list(diff.causes, top, "cause", cause_and_effect));
  if (!diff.assumptions.empty())
    out += "<h3>Assumptions</h3>\n" + list(diff.assumptions, top, "assumption", assumption_text);
  for (const ChangeTable& table : change_tables(diff)) out += change_table(table, top);
  if (diff.is_open()) out += "<h3>Not decided</h3>\n" + html_paragraph(open_tables_text(diff));
  if (!diff.open_tables.empty()) out += list(diff.open_tables, top, "table", [](const std::string& t) { return t; });
  const std::string hidden = hidden_text(diff);
  return out + html_paragraph(open_ranks_text(diff)) + html_paragraph(hidden.empty() ? "" : "not shown: " + hidden);
}

}  // namespace

std::string what_if_section(std::string_view block, const WhatIfResult& result, std::size_t top) {
  std::string body = html_paragraph(what_if_words::question(result));
  for (const std::string& table : result.placed) body += html_paragraph(what_if_words::placed_text(table));
  if (result.sweep) body += sweep_part(*result.sweep);
  if (result.largest) body += largest_part(*result.largest);
  if (result.diff) body += diff_part(*result.diff, top);
  return section(block, body);
}

}  // namespace shardstats
