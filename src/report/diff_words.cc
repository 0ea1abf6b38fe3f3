#include "report/diff_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "report/words.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats::diff_words {
namespace {

struct Scale {
  double unit;
  std::string_view name;
};

bool is_zero(std::string_view digits) { return digits.find_first_of("123456789") == std::string_view::npos; }

Scale scale_of(RealInterval value, DiffUnit unit) {
  if (unit == DiffUnit::ms) return {1, " ms"};
  if (unit == DiffUnit::count) return {1, ""};
  constexpr std::array<Scale, 5> kBytes = {
      {{1, " B"}, {1024, " KiB"}, {1 << 20, " MiB"}, {1 << 30, " GiB"}, {1024.0 * (1 << 30), " TiB"}}};
  const double largest = std::max(std::fabs(value.low), std::fabs(value.high));
  std::size_t i = 0;
  while (i + 1 < kBytes.size() && largest >= kBytes[i + 1].unit) ++i;
  return kBytes[i];
}

constexpr double kWithoutDecimals = 1000;  // numbers from here on

// A number below a thousand with decimals, a larger one with commas; no "-0.0".
std::string digits_of(double x, Format decimals) {
  if (decimals == Format::integer || std::fabs(x) >= kWithoutDecimals) return with_commas(capped(std::round(x)));
  const std::string text = format(x, decimals);
  return is_zero(text) && text.starts_with('-') ? text.substr(1) : text;
}

std::string with_sign(std::string text) { return text.starts_with('-') ? text : "+" + text; }

struct Rounding {
  Format decimals;
  double steps;  // in a unit
};
constexpr std::array<Rounding, 4> kRoundings = {
    {{Format::r3, 1000}, {Format::r2, 100}, {Format::r1, 10}, {Format::integer, 1}}};

double rounded_to(double x, const Rounding& rounding) {
  const double steps = std::fabs(x) >= kWithoutDecimals ? 1 : rounding.steps;
  return std::round(x * steps) / steps;
}

std::string digits_of(double x, Format decimals, bool sign) {
  std::string digits = digits_of(x, decimals);
  return sign ? with_sign(std::move(digits)) : digits;
}

// The decimals of the one that has more, where both have some.
void align_decimals(std::string& a, std::string& b) {
  const std::size_t dot_a = a.find('.'), dot_b = b.find('.');
  if (dot_a == std::string::npos || dot_b == std::string::npos) return;
  const std::size_t decimals = std::max(a.size() - dot_a, b.size() - dot_b);
  a.resize(dot_a + decimals, '0');
  b.resize(dot_b + decimals, '0');
}

// Do both bounds read the same, and does that say about as much as they do?
bool agree_on(RealInterval value, const Rounding& rounding) {
  constexpr double kLost = 0.01;  // of the value, by rounding to fewer digits than a log has
  const double largest = std::max(std::fabs(value.low), std::fabs(value.high));
  const double shown = rounded_to(value.low, rounding);
  const double off = std::max(std::fabs(value.low - shown), std::fabs(value.high - shown));
  const bool says_enough = rounding.decimals == Format::r3 || off <= kLost * largest;
  const std::string low = digits_of(value.low, rounding.decimals);
  return low == digits_of(value.high, rounding.decimals) && says_enough && (!is_zero(low) || value == RealInterval{});
}

// The finest rounding that both bounds agree on; nullptr if none.
const Rounding* agreed_rounding(RealInterval value) {
  const auto found = std::ranges::find_if(kRoundings, [&](const Rounding& r) { return agree_on(value, r); });
  return found == kRoundings.end() ? nullptr : &*found;
}

// Rounded outwards, to digits that tell the two apart and lose little of either.
std::string bounds_text(RealInterval value, bool sign) {
  const double width = value.high - value.low, largest = std::max(std::fabs(value.low), std::fabs(value.high));
  const auto outwards = [&](double x, auto round) {
    constexpr double kLittle = 0.05;
    const double coarsest = width >= 100 || largest >= kWithoutDecimals ? 1 : width >= 1 ? 10 : 1000;
    for (const double steps : {1.0, 10.0})
      if (const double rounded = round(x * steps) / steps;
          steps >= coarsest && std::fabs(rounded - x) <= kLittle * std::fabs(x))
        return rounded;
    return round(x * 1000) / 1000;
  };
  std::string low = digits_of(outwards(value.low, [](double x) { return std::floor(x); }), Format::r3, sign);
  std::string high = digits_of(outwards(value.high, [](double x) { return std::ceil(x); }), Format::r3, sign);
  align_decimals(low, high);
  return from_to(low, high);
}

std::string text_of(RealInterval value, const Rounding* rounding, bool sign) {
  return rounding ? digits_of(value.low, rounding->decimals, sign) : bounds_text(value, sign);
}

// A time that the log bounds from below alone: what makes it longer, such as the misses of a cache, is not printed.
bool has_no_upper_bound(RealInterval value, DiffUnit unit) {
  constexpr double kNoTime = 1000;  // ms; of a training step
  constexpr double kTimes = 1000;
  return unit == DiffUnit::ms && value.low > 0 && value.high >= std::max(kNoTime, kTimes * value.low);
}

// Bytes and counts that no larger unit makes fractions of.
bool is_whole(const Scale& scale, DiffUnit unit) { return scale.unit == 1 && unit != DiffUnit::ms; }

RealInterval in(const Scale& scale, RealInterval value) { return {value.low / scale.unit, value.high / scale.unit}; }

std::string scaled(RealInterval value, DiffUnit unit, bool sign) {
  if (has_no_upper_bound(value, unit)) return scaled(exactly(value.low), unit, sign) + " or more";
  const Scale scale = scale_of(value, unit);
  if (is_whole(scale, unit)) value = {std::round(value.low), std::round(value.high)};
  value = in(scale, value);
  std::string text = text_of(value, agreed_rounding(value), sign);
  if (is_whole(scale, unit) && text.ends_with(".0")) text.resize(text.size() - 2);
  return text + std::string(scale.name);
}

bool is_nothing(RealInterval change) { return change == RealInterval{}; }

}  // namespace

std::string value_text(RealInterval value, DiffUnit unit) { return scaled(value, unit, false); }
std::string signed_text(RealInterval change, DiffUnit unit) { return scaled(change, unit, true); }

std::string side_text(const std::optional<RealInterval>& value, DiffUnit unit) {
  return value ? value_text(*value, unit) : "not printed";
}

namespace {

// A side of a change as it is shown.
struct Side {
  Scale scale;
  RealInterval value;  // in that unit
  const Rounding* rounding;

  double shown() const { return rounded_to(value.low, *rounding); }
  double step() const { return scale.unit / rounding->steps; }  // of the last digit
  std::string text() const { return text_of(value, rounding, false); }
};

Side side_of(RealInterval value, DiffUnit unit) {
  const Scale scale = scale_of(value, unit);
  const RealInterval scaled_value = in(scale, value);
  return {scale, scaled_value, agreed_rounding(scaled_value)};
}

// Does the left side as shown give the right one as shown, whichever end of the change a reader adds?
bool add_up(const NumberDiff& number, const Side& left, const Side& right) {
  const auto gives_right = [&](double change) {
    const double sum = (left.shown() * left.scale.unit + change) / right.scale.unit;
    return rounded_to(sum, *right.rounding) == right.shown();
  };
  constexpr double kNegligible = 0.01;  // of the change
  const double least = std::min(std::fabs(number.change.low), std::fabs(number.change.high));
  if (std::max(left.step(), right.step()) <= kNegligible * least) return true;
  return gives_right(number.change.low) && gives_right(number.change.high);
}

// With as many decimals on both sides; rounded so far that they no longer add up, with bounds instead.
Sides rounded_sides(const NumberDiff& number) {
  Side left = side_of(*number.before, number.unit), right = side_of(*number.after, number.unit);
  const bool same_unit = left.scale.unit == right.scale.unit;
  if (left.rounding && right.rounding) {
    const bool alike = std::abs(left.rounding - right.rounding) <= 1;  // what the other loses is a decimal
    if (same_unit) left.rounding = right.rounding = std::max(left.rounding, right.rounding);
    const bool enough = agree_on(left.value, *left.rounding) && agree_on(right.value, *right.rounding);
    if ((same_unit && !alike) || !enough || !add_up(number, left, right))
      for (Side* side : {&left, &right})
        side->rounding = agree_on(side->value, kRoundings.front()) ? &kRoundings.front() : nullptr;
  }
  std::string before = left.text(), after = right.text();
  if (same_unit && left.rounding && right.rounding) align_decimals(before, after);
  return {before + std::string(left.scale.name), after + std::string(right.scale.name)};
}

}  // namespace

Sides side_texts(const NumberDiff& number) {
  const auto is_fraction = [&](const std::optional<RealInterval>& value) {
    return value && !is_whole(scale_of(*value, number.unit), number.unit) && !has_no_upper_bound(*value, number.unit);
  };
  if (is_fraction(number.before) && is_fraction(number.after)) return rounded_sides(number);
  return {side_text(number.before, number.unit), side_text(number.after, number.unit)};
}

std::string percent_text(const NumberDiff& number) {
  const auto percent = number.percent();
  if (!percent || !number.changed) return {};
  if (has_no_upper_bound(number.change, number.unit) && percent->low > 0)
    return with_sign(digits_of(percent->low, Format::integer)) + "% or more";
  const std::string low = digits_of(percent->low, Format::f1), high = digits_of(percent->high, Format::f1);
  if (low == high) return is_zero(low) ? "" : with_sign(low) + "%";
  const std::string whole = digits_of(percent->low, Format::integer);
  if (whole == digits_of(percent->high, Format::integer) && !is_zero(whole)) return with_sign(whole) + "%";
  return with_sign(low) + ".." + with_sign(high) + "%";
}

namespace {

// Could a value that no bounds tell apart have changed by more than the rounding of what is printed?
bool may_have_changed(const NumberDiff& number) {
  constexpr double kRounding = 0.01;  // of the value before
  const RealInterval possible = number.possible();
  return number.is_open() || std::max(-possible.low, possible.high) > kRounding * middle(*number.before);
}

}  // namespace

std::string change_text(const NumberDiff& number) {
  if (!number.before || !number.after) return {};
  if (!number.changed)
    return may_have_changed(number) ? signed_text(number.possible(), number.unit) + " as far as is known" : "no change";
  const std::string percent = percent_text(number);
  return signed_text(number.change, number.unit) + (percent.empty() ? "" : " (" + percent + ")");
}

std::string both_text(const NumberDiff& number) {
  const auto [before, after] = side_texts(number);
  std::string text = before + " -> " + after;
  if (!number.changed) return text;
  const std::string percent = percent_text(number);
  return text + " (" + signed_text(number.change, number.unit) + (percent.empty() ? "" : ", " + percent) + ")";
}

namespace {

std::string words_of_part(std::string_view part) {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"kernel_count", "kernels"},     {"kernel_storage", "memory of kernels"},
      {"reserved", "reserved memory"}, {"planning", "planning memory"},
      {"dense", "dense storage"},      {"kjt", "KJT storage"}};
  const auto* found = std::ranges::find(kParts, part, [](const auto& words) { return words.first; });
  return found == std::end(kParts) ? spaced(part) : std::string(found->second);
}

std::string_view why_not_compared(const NotCompared& of) {
  if (of.before && of.after) return of.partly ? "both logs have lost them" : "neither log prints them";
  if (of.partly) return of.before ? "the first log has lost them" : "the second log has lost them";
  return of.before ? "the first log does not print them" : "the second log does not print them";
}

}  // namespace

std::string not_compared_text(const PlanDiff& diff) {
  std::vector<std::string> groups;  // of the parts with one reason
  std::vector<std::string_view> told;
  for (const NotCompared& first : diff.not_compared) {
    const std::string_view why = why_not_compared(first);
    if (std::ranges::find(told, why) != told.end()) continue;
    told.push_back(why);
    std::vector<std::string> parts;
    for (const NotCompared& part : diff.not_compared)
      if (why_not_compared(part) == why) parts.push_back(words_of_part(part.what));
    groups.push_back((first.partly ? "some " : "") + listed(parts, "and") + ", since " + std::string(why));
  }
  std::string text;
  for (const std::string& group : groups) text += (text.empty() ? "" : "; ") + group;
  return text;
}

std::string nothing_changed_text(const PlanDiff& diff) {
  if (diff.compares_all()) return "nothing changed: both logs print and explain the same plan";
  return "nothing changed in what both logs print; not compared: " + not_compared_text(diff);
}

std::string headline_text(const PlanDiff& diff) {
  const NumberDiff& hbm = diff.largest.hbm;
  if (!hbm.before && !hbm.after) return {};
  const std::string change = change_text(hbm);
  const auto on = [](const std::vector<int>& ranks) { return ranks.empty() ? "" : " on " + ranks_of(ranks); };
  const auto [before, after] = side_texts(hbm);
  return "largest rank HBM: " + before + on(diff.largest.before) + " -> " + after + on(diff.largest.after) +
         (change.empty() ? "" : ", " + change);
}

std::string headroom_text(const PlanDiff& diff) {
  if (!diff.headroom.before && !diff.headroom.after) return {};
  return "headroom to planning memory: " + both_text(diff.headroom);
}

std::string limit_text(const LimitResult& result) {
  switch (result.status) {
    case LimitStatus::kept:
      return "largest rank HBM increased by no more than " + result.limit.text;
    case LimitStatus::exceeded:
      return "largest rank HBM increased by more than " + result.limit.text;
    case LimitStatus::undecided:
      return "largest rank HBM may have increased by more than " + result.limit.text +
             "; what the logs print does not decide it";
    case LimitStatus::unknown:
      break;
  }
  return "the logs do not give the HBM of all ranks, so that no limit can be checked";
}

std::string_view verdict_of(LimitStatus status) {
  return status == LimitStatus::exceeded ? "findings" : status == LimitStatus::unknown ? "failed" : "clean";
}

std::string_view title_of(std::string_view number) {
  constexpr std::pair<std::string_view, std::string_view> kTitles[] = {
      {"world_size", "world size"},
      {"batch_size", "batch size"},
      {"tables", "tables"},
      {"total_hbm", "HBM of all ranks"},
      {"total_ddr", "DDR of all ranks"},
      {"mean_hbm", "mean HBM"},
      {"largest_perf", "largest perf of a rank"},
      {"planning_hbm", "planning memory, HBM"},
      {"planning_ddr", "planning memory, DDR"},
      {"reserved_hbm", "reserved HBM"},
      {"dense_hbm", "dense storage"},
      {"kjt_hbm", "KJT storage"},
      {"critical_path_comms", "critical path, comms"},
      {"critical_path_compute", "critical path, compute"},
      {"critical_path", "critical path, both"},
  };
  const auto found = std::ranges::find(kTitles, number, [](const auto& title) { return title.first; });
  return found == std::end(kTitles) ? number : found->second;
}

std::string arrow(const InputDiff& input) {
  return std::string(input.name) + " " + input.before + " -> " + input.after +
         (input.note.empty() ? "" : " (" + input.note + ")");
}

std::string cause_text(const Cause& cause) {
  if (cause.kind == Cause::Kind::added) return cause.table + " is new";
  if (cause.kind == Cause::Kind::dropped) return cause.table + " is gone";
  if (cause.kind == Cause::Kind::unexplained) return "not explained: no input that the logs show changed";
  std::vector<std::string> inputs;
  for (const InputDiff& input : cause.inputs) inputs.push_back(arrow(input));
  return (cause.table.empty() ? "" : cause.table + ": ") + listed(inputs, "");
}

std::string effect_text(const Cause& cause) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, RealInterval change, DiffUnit unit) {
    if (!is_nothing(change)) parts.push_back(std::string(name) + " " + signed_text(change, unit));
  };
  add("HBM", cause.hbm, DiffUnit::bytes);
  add("DDR", cause.ddr, DiffUnit::bytes);
  add("SSD", cause.ssd, DiffUnit::bytes);
  add("perf", cause.perf, DiffUnit::ms);
  if (parts.empty()) return {};
  std::string text = listed(parts, "");
  if (cause.table.empty() && cause.tables > 0) text += " in " + plural(cause.tables, "table");
  return text + (cause.shared ? ", all such causes together" : "");
}

std::string cause_and_effect(const Cause& cause) {
  const std::string effect = effect_text(cause);
  return cause_text(cause) + (effect.empty() ? "" : ": " + effect);
}

std::string assumption_text(const AssumptionDiff& assumption) {
  const auto words = [&](const std::vector<AssumedValue>& values) {
    std::vector<std::string> all;
    for (const AssumedValue& value : values) {
      const auto* bandwidth = is_bandwidth(assumption.name) ? std::get_if<RealInterval>(&value) : nullptr;
      all.push_back(bandwidth ? human_bandwidth(*bandwidth) : shardstats::value_text(value));
    }
    return listed(all, "or");
  };
  return std::string(assumption.name) + " " + words(assumption.before) + " -> " + words(assumption.after) +
         (assumption.tables > 0 ? " in " + plural(assumption.tables, "table") : "");
}

std::string ranks_of(const std::vector<int>& ranks) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    parts.push_back(std::to_string(ranks[i]) + (end - i > 1 ? "-" + std::to_string(ranks[end - 1]) : ""));
    i = end;
  }
  if (parts.size() > kMost) {
    parts.resize(kMost);
    parts.emplace_back("...");
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(parts, "");
}

std::string part_text(const RankPart& part) {
  using Kind = RankPart::Kind;
  switch (part.kind) {
    case Kind::moved_here:
      return part.table + " moved here" + (part.ranks.empty() ? "" : " from " + ranks_of(part.ranks));
    case Kind::moved_away:
      return part.table + " moved to " + (part.ranks.empty() ? "other ranks" : ranks_of(part.ranks));
    case Kind::split:
      return part.table + " is split in another way";
    case Kind::changed:
      return part.table + " has other inputs";
    case Kind::added:
      return part.table + " is new";
    case Kind::dropped:
      return part.table + " is gone";
    case Kind::plan_wide:
      return "inputs of the whole plan" + (part.tables > 0 ? ", " + plural(part.tables, "table") : "");
    case Kind::dense:
      return "dense storage";
    case Kind::kjt:
      return "KJT storage";
    case Kind::unexplained:
      return "not explained";
  }
  return {};
}

std::string table_text(const TableDiff& table) {
  const std::string_view word = table.ranks.find_first_of(",-") == std::string::npos ? ", rank " : ", ranks ";
  const std::string what =
      table.sharding + ", " + table.kernel + (table.ranks.empty() ? "" : std::string(word) + table.ranks);
  if (table.presence == Presence::added) return "new (" + what + ")";
  if (table.presence == Presence::dropped) return "gone (" + what + ")";
  std::vector<std::string> inputs;
  for (const InputDiff& input : table.inputs) inputs.push_back(arrow(input));
  return listed(inputs, "");
}

namespace {

ChangeRow change_row(std::vector<std::string> words, const NumberDiff& number, Presence presence = Presence::both) {
  auto [before, after] = side_texts(number);
  if (presence == Presence::added) before.clear();
  if (presence == Presence::dropped) after.clear();
  return {std::move(words), std::move(before), std::move(after), change_text(number)};
}

// The largest parts of a rank's change.
std::string parts_text(const RankDiff& rank) {
  if (rank.presence != Presence::both) return rank.presence == Presence::added ? "new" : "gone";
  std::vector<std::string> parts;
  constexpr std::size_t kMostParts = 3;
  for (std::size_t i = 0; i < std::min(kMostParts, rank.parts.size()); ++i)
    parts.push_back(signed_text(rank.parts[i].hbm, DiffUnit::bytes) + " " + part_text(rank.parts[i]));
  if (rank.parts.size() > kMostParts) parts.emplace_back("...");
  return listed(parts, "");
}

}  // namespace

std::vector<ChangeTable> change_tables(const PlanDiff& diff) {
  ChangeTable plan{"Plan", "number", {""}, false, {}};
  for (const NumberDiff& number : diff.numbers)
    if (number.changed) plan.rows.push_back(change_row({std::string(title_of(number.name))}, number));
  ChangeTable tables{"Tables, HBM", "table", {"table", "what"}, true, {}};
  for (const TableDiff& table : diff.tables)
    tables.rows.push_back(change_row({table.fqn, table_text(table)}, table.hbm, table.presence));
  ChangeTable ranks{"Ranks, HBM", "rank", {"rank", "of it"}, false, {}};
  for (const RankDiff& rank : diff.ranks)
    ranks.rows.push_back(change_row({std::to_string(rank.rank), parts_text(rank)}, rank.hbm, rank.presence));
  ChangeTable kernels{"Kernels, HBM", "kernel", {"kernel"}, true, {}};
  for (const KernelDiff& kernel : diff.kernels) kernels.rows.push_back(change_row({kernel.name}, kernel.hbm));
  return {std::move(plan), std::move(tables), std::move(ranks), std::move(kernels)};
}

}  // namespace shardstats::diff_words
