#include "shardstats/report/explain_text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "report/bars.h"
#include "report/summary_words.h"
#include "report/width.h"
#include "report/words.h"
#include "shardstats/analysis/block.h"
#include "shardstats/analysis/findings.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

constexpr std::size_t kShownLeaves = 20;               // of a long list of plain values; the rest is one line
constexpr double kNoise = 1e-14;                       // relative: a last bit or two, no uncertainty to speak of
constexpr int kLeastColumns = 40, kMostColumns = 120;  // farther apart, label and value are hard to bring together
constexpr int kBarColumns = 10;
constexpr int kWidthOfBars = 60;  // of a terminal that has room for them
constexpr int kShareColumns = 7;  // " 99.9%", which has no decimals where it would be longer
constexpr int kTotalColumns = 14;

std::string spelled(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 9e15) return with_commas(static_cast<std::int64_t>(value));
  return with_commas(format(value, std::fabs(value) < 1 ? Format::python_float : Format::r3));
}

class Paper {
 public:
  Paper(const TextStyle& style, std::string& out)
      : style_(style), out_(out), width_(std::clamp(style.width, kLeastColumns, kMostColumns)) {}

  void write(const Explained& explained) {
    line(0, explained.target, kBold);
    for (const std::string& fact : explained.facts) line(2, fact);
    for (const Step& step : explained.steps) {
      if (!is_printed_cell(step)) out_ += '\n';
      write_step(step, 0);
    }
    if (explained.components.size() > 1) write_components(explained.components);
    if (!explained.notes.empty()) out_ += '\n';
    for (const std::string& note : explained.notes) line(0, "note: " + note, {}, 6);
  }

 private:
  static bool is_printed_cell(const Step& step) { return step.label == "printed"; }
  static std::size_t at(int indent) { return static_cast<std::size_t>(indent); }

  // Following lines are indented by `hang` more.
  void line(int indent, std::string_view text, std::string_view colour = {}, int hang = 2) {
    const std::string words = with_short_words(text, at(std::max(width_ - indent - hang, 10)));
    out_ += painted(wrapped(std::string(at(indent), ' ') + words, width_, indent + hang), colour, style_) + "\n";
  }
  // Cuts words that no line holds: a page has room for so many bytes, however long the names of a log are.
  static std::string with_short_words(std::string_view text, std::size_t most) {
    std::string out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size()), taken = bytes_within(text.substr(0, end), most);
      out += text.substr(0, taken);
      if (taken < text.size()) out += ' ';
      text.remove_prefix(taken < end ? taken : std::min(end + 1, text.size()));
    }
    return out;
  }

  static double off_of(const Amount& amount) {
    return std::max(amount.bounds.high - amount.nominal, amount.nominal - amount.bounds.low);
  }
  std::string spread(const Amount& amount) const {
    const double off = off_of(amount);
    if (off <= std::fabs(amount.nominal) * kNoise) return {};
    if (!is_around(amount))
      return " (" + from_to(bound(amount.bounds.low, amount), bound(amount.bounds.high, amount)) + ")";
    const std::string text = amount.unit == "bytes" || off >= 1000 ? spelled(std::ceil(off)) : format(off, Format::g3);
    return (style_.ascii ? " (+-" : " (\u00b1") + text + ")";
  }
  // Does "plus or minus" the longer way say what both bounds say? It does nearly in the middle of them, and of so short
  // ones it hardly matters.
  static bool is_around(const Amount& amount) {
    constexpr double kNearly = 0.9, kShort = 0.001;
    const double up = amount.bounds.high - amount.nominal, down = amount.nominal - amount.bounds.low;
    const double longer = std::max(up, down);
    return longer <= kShort * std::fabs(amount.nominal) || std::min(up, down) >= kNearly * longer;
  }
  static std::string bound(double value, const Amount& amount) {
    return amount.unit == "bytes" ? spelled(std::round(value)) : as_fine_as(value, off_of(amount));
  }
  // Times have three decimals, short ones three digits.
  static std::string milliseconds(double value) {
    if (value != 0 && std::fabs(value) < 1) return format(value, Format::g3);
    return spelled(std::round(value * 1000) / 1000);
  }

  // With the decimals that its bounds leave to it.
  static std::string as_fine_as(double value, double off) {
    constexpr double kMostDecimals = 6;
    const double steps = std::pow(10, std::clamp(1 - std::floor(std::log10(off)), 0.0, kMostDecimals));
    return spelled(std::round(value * steps) / steps);
  }

  static std::string spread_of_bandwidth(const Amount& amount) {
    const std::string bounds = human_bandwidth(amount.bounds);
    return bounds == human_bandwidth(exactly(amount.nominal)) ? "" : " (" + bounds + ")";
  }

  std::string value_text(const Amount& amount) const {
    if (amount.unit == "truth") return {};
    if (amount.unit == "percent") return format(amount.nominal, Format::f1) + "%";
    if (amount.unit == "ms") return milliseconds(amount.nominal) + " ms" + spread(amount);
    if (amount.unit == "bytes/ms") return human_bandwidth(exactly(amount.nominal)) + spread_of_bandwidth(amount);
    if (amount.unit.empty() && !spread(amount).empty())
      return as_fine_as(amount.nominal, off_of(amount)) + spread(amount);
    std::string text = spelled(amount.unit == "bytes" ? std::round(amount.nominal) : amount.nominal);
    if (amount.unit == "bytes")
      text += " B";
    else if (!amount.unit.empty())
      text += " " + std::string(amount.unit);
    return text + spread(amount);
  }

  std::string share_text(double share) const {
    if (share == 0) return {};
    std::string percent = summary_words::share_text(share, 1);
    if (percent.size() >= at(kShareColumns)) percent = format(share, Format::p0) + "%";
    std::string text = right_aligned(percent, at(kShareColumns));
    if (has_bars()) text += " " + bar(share, kBarColumns, style_);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  bool has_bars() const { return width_ >= kWidthOfBars; }
  int value_end() const { return width_ - kShareColumns - (has_bars() ? kBarColumns + 1 : 0); }
  bool fits(int indent, std::string_view label, std::string_view value) const {
    return static_cast<int>(columns_of(label) + columns_of(value)) + indent + 2 <= value_end();
  }

  // "label ........ value  share bar": values end in one column, so that they can be added up by eye.
  void row(int indent, std::string_view label, const std::string& value, double share, std::string_view colour = {}) {
    const int end = value_end();
    if (!fits(indent, label, value)) {
      line(indent, label, colour);
      label = {};
    }
    if (value.empty()) return line(indent, label, colour);
    if (const std::size_t bounds = value.find(" (");
        bounds != std::string::npos && static_cast<int>(columns_of(value)) >= end) {
      row(indent, label, value.substr(0, bounds), share, colour);
      return line(std::max(end - static_cast<int>(columns_of(value.substr(bounds + 1))), 0), value.substr(bounds + 1));
    }
    out_.append(at(label.empty() ? 0 : indent), ' ');
    out_ += painted(label, colour, style_);
    const int used = label.empty() ? 0 : indent + static_cast<int>(columns_of(label));
    out_.append(at(std::max(end - used - static_cast<int>(columns_of(value)), 1)), ' ');
    out_ += value + share_text(share) + "\n";
  }

  static std::string quoted(const Cell& cell, std::string_view unit) {
    const std::string text = "\"" + std::string(cell.text) + std::string(unit) + "\"";
    const bool in_log = cell.place.line > 0;  // else of a changed plan
    return text + (in_log ? " on line " + std::to_string(cell.place.line) : " as the planner would print it");
  }

  void write_step(const Step& step, int indent) {
    if (is_printed_cell(step)) {
      line(indent, "printed: " + quoted(*step.printed, printed_unit(step.value.unit)) + ", " + step.note +
                       (step.value.unit == "bytes" ? gb_hint() : ""));
      return;
    }
    std::string label = step.label;
    const std::string_view unit = printed_unit(step.value.unit);
    if (step.printed && (indent > 0 || step.value.unit == "percent"))
      label += " [" + std::string(step.printed->text) + std::string(unit) + (indent > 0 ? "]" : " printed]");
    else if (step.origin == Origin::log && step.printed)
      label += " [" + quoted(*step.printed, unit) + "]";
    const Amount& shown = step.narrowed ? *step.narrowed : step.value;
    if (indent == 0 && shown.unit == "bytes") label += ", " + human_bytes(shown.nominal, shown.bounds);
    const std::string value = value_text(shown);
    std::string note = step.note;
    if (step.was) note += (note.empty() ? "was " : ", was ") + value_text(*step.was);
    const bool inline_note = fits(indent, label + "  " + note, value);
    if (inline_note && !note.empty()) label += "  " + note;
    row(indent, label, value, step.share_of_total, indent == 0 ? kBold : std::string_view{});
    if (!inline_note && !note.empty()) line(indent + 4, note, kDim);
    if (!first_time(step)) return;
    write_formula(step, indent + 2);
    for (const Operand& operand : step.operands) write_operand(operand, indent + 4);
    write_children(step, indent + 2);
  }

  std::string gb_hint() {
    if (said_gb_) return {};
    said_gb_ = true;
    return " (the planner's GB is 2^30 bytes)";
  }

  void write_formula(const Step& step, int indent) {
    if (!step.expression.empty() && step.expression != step.label) {
      std::string text = "= " + step.expression;
      if (!step.formula.empty()) text += "   [" + std::string(step.formula) + "]";
      line(indent, text, kDim);
    }
    if (!step.substituted.empty() && step.substituted != step.expression && !(step.sum && step.children.size() == 1))
      line(indent, "= " + step.substituted, kDim);
  }

  // A formula with the same numbers is told once.
  bool first_time(const Step& step) {
    if (step.substituted.empty() || step.sum) return true;
    return told_.insert(step.label + "=" + step.substituted).second;
  }
  bool is_told(const Step& step) const { return !step.sum && told_.contains(step.label + "=" + step.substituted); }

  // Each input is told once: later formulas use the symbol.
  void write_operand(const Operand& operand, int indent) {
    std::string value = spelled(operand.value.nominal);
    if (operand.value.unit == "bytes/ms")
      value += " bytes/ms (" + value_text(operand.value) + ")";
    else
      value += spread(operand.value);
    if (!told_.insert(operand.symbol + "=" + value).second) return;
    std::string text = operand.symbol + " = " + value + "  " + operand.label + ", ";
    if (operand.was)
      text += "changed from " + spelled(operand.was->nominal);
    else if (operand.printed)
      text += quoted(operand.printed, "");
    else
      text += operand.origin == Origin::log ? "from the log" : std::string(name(operand.origin));
    if (!operand.note.empty()) text += ", " + operand.note;
    line(indent, text, {}, 4);
  }

  void write_children(const Step& step, int indent) {
    const auto& all = step.children;
    if (!step.sum) {
      for (const Step& child : all)
        if (!is_told(child)) write_step(child, indent);
      return;
    }
    const bool leaves = std::all_of(all.begin(), all.end(), [](const Step& s) { return s.children.empty(); });
    const std::size_t shown = leaves && all.size() > kShownLeaves + 4 ? kShownLeaves : all.size();
    Amount rest{0, {}, step.value.unit};
    double rest_share = 0;
    std::size_t hidden = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      // What is reserved or not explained stands at the end of a list and is always shown.
      const bool keep = i < shown || all[i].formula != all.front().formula;
      if (keep && hidden > 0 && i >= shown && all[i].formula != all[i - 1].formula)
        write_rest(hidden, rest, rest_share, indent);
      if (keep) {
        write_step(all[i], indent);
        continue;
      }
      ++hidden;
      rest.nominal += all[i].value.nominal;
      rest.bounds = rest.bounds + all[i].value.bounds;
      rest_share += all[i].share_of_total;
    }
    write_rest(hidden, rest, rest_share, indent);
  }
  void write_rest(std::size_t& hidden, const Amount& rest, double share, int indent) {
    if (hidden == 0) return;
    row(indent, "and " + std::to_string(hidden) + " more", value_text(rest), share);
    hidden = 0;
  }

  void write_components(const std::vector<ComponentRow>& rows) {
    out_ += '\n';
    const bool shards = std::any_of(rows.begin(), rows.end(), [](const ComponentRow& r) { return r.per_shard > 0; });
    component_row("component", shards ? "largest shard" : "", "all", "", kBold);
    double per_shard = 0, total = 0;
    for (const ComponentRow& r : rows) {
      component_row(r.label, shards ? human_bytes(r.per_shard) : "", human_bytes(r.total), share_text(r.percent / 100),
                    {});
      per_shard += r.per_shard;
      total += r.total;
    }
    component_row("total", shards ? human_bytes(per_shard) : "", human_bytes(total), "", {});
  }
  void component_row(std::string_view label, const std::string& per_shard, const std::string& total,
                     const std::string& share, std::string_view colour) {
    std::string text(2, ' ');
    text += label;
    const auto right = [&](const std::string& cell, int end) {
      const int blanks = end - static_cast<int>(columns_of(text)) - static_cast<int>(columns_of(cell));
      text.append(at(std::max(blanks, 1)), ' ');
      text += cell;
    };
    const int end = value_end();
    const std::size_t cells = per_shard.empty() ? columns_of(total) : columns_of(per_shard) + kTotalColumns;
    if (columns_of(text) + 1 + cells > at(end)) {
      out_ += painted(text, colour, style_) + "\n";
      text.clear();
    }
    if (!per_shard.empty()) right(per_shard, end - kTotalColumns);
    right(total, end);
    out_ += painted(text, colour, style_);
    out_ += share + "\n";
  }

  TextStyle style_;
  std::string& out_;
  int width_;
  bool said_gb_ = false;
  std::set<std::string> told_;
};

}  // namespace

void write_explained(const std::vector<Explained>& all, const TextStyle& style, std::string& out) {
  for (const Explained& one : all) {
    if (&one != &all.front()) out += '\n';
    Paper(style, out).write(one);
  }
}

}  // namespace shardstats
