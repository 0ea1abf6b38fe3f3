#include "report/diff_words.h"

#include <algorithm>
#include <array>

#include "report/words.h"
#include "shardstats/numbers/runs.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats::diff_words {
namespace {

std::string words_of_part(std::string_view part) {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"kernel_count", "kernels"},     {"kernel_storage", "memory of kernels"},
      {"reserved", "reserved memory"}, {"planning", "planning memory"},
      {"dense", "dense storage"},      {"kjt", "KJT storage"}};
  const auto* found = std::ranges::find(kParts, part, [](const auto& words) { return words.first; });
  return found == std::end(kParts) ? spaced(part) : std::string(found->second);
}

std::string no_headroom_text(NoHeadroom why) {
  constexpr std::array<std::string_view, 5> kWhys = {
      "not printed", "not known: the planner counts no HBM of this device", "not known: not all ranks are",
      "not known: devices have planning memory of their own",
      "not known: percentages of ranks are not of the printed planning memory"};
  return std::string(kWhys.at(static_cast<std::size_t>(why)));
}

// By how much the values are too large, where they are below 0.
NumberDiff without_sign(NumberDiff number) {
  for (auto* value : {&number.before, &number.after})
    if (*value) *value = RealInterval{} - **value;
  number.change = RealInterval{} - number.change;
  return number;
}

std::string_view why_not_compared(const NotCompared& of) {
  if (of.before && of.after) return of.partly ? "both logs have lost" : "neither log prints";
  if (of.partly) return of.before ? "the first log has lost" : "the second log has lost";
  return of.before ? "the first log does not print" : "the second log does not print";
}

}  // namespace

std::string_view no_cause_text(bool is_change) {
  return is_change ? "not decided, as the log may have been planned so already" : "no input that the logs show changed";
}

std::string open_tables_text(const PlanDiff& diff) {
  if (diff.open_tables.empty()) return {};
  return plural(diff.open_tables.size(), "table") + " whose inputs leave open whether they change";
}

std::string open_ranks_text(const PlanDiff& diff) {
  const std::size_t ranks = diff.open_ranks.size();
  if (ranks == 0) return {};
  return plural(ranks, "rank") + " whose tables leave open whether " + (ranks == 1 ? "it changes: " : "they change: ") +
         ranks_of(diff.open_ranks);
}

std::string hidden_text(const PlanDiff& diff) {
  return diff.hidden == 0 ? "" : plural(diff.hidden, "changed row") + " that the options leave out";
}

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
    groups.push_back((first.partly ? "some " : "") + listed(parts, "and") + ", which " + std::string(why));
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
  const NumberDiff& headroom = diff.headroom;
  if (!headroom.before && !headroom.after) return {};
  const auto is_short = [](const auto& side) { return side && side->high < 0; };
  const Sides lacking = side_texts(without_sign(headroom));
  Sides sides = side_texts(headroom);
  if (is_short(headroom.before)) sides.before = lacking.before + " too much";
  if (is_short(headroom.after)) sides.after = lacking.after + " too much";
  if (!headroom.before) sides.before = no_headroom_text(diff.no_headroom_before);
  if (!headroom.after) sides.after = no_headroom_text(diff.no_headroom_after);
  return "headroom to planning memory: " + both_text(headroom, sides);
}

std::string limit_text(const LimitResult& result) {
  // As it was given; only 0 needs no unit.
  const bool has_unit = result.limit.text.find_first_not_of("0123456789.") != std::string::npos;
  const std::string limit = result.limit.text + (has_unit ? "" : " bytes");
  switch (result.status) {
    case LimitStatus::kept:
      return "largest rank HBM increased by no more than " + limit;
    case LimitStatus::exceeded:
      return "largest rank HBM increased by more than " + limit;
    case LimitStatus::undecided:
      return "largest rank HBM may have increased by more than " + limit + "; what the logs print does not decide it";
    case LimitStatus::unknown:
      break;
  }
  return "the logs do not give the HBM of all ranks, so that no limit can be checked";
}

Verdict verdict_of(LimitStatus status) {
  if (status == LimitStatus::unknown) return Verdict::failed;
  return status == LimitStatus::exceeded ? Verdict::findings : Verdict::clean;
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
  if (cause.kind == Cause::Kind::unexplained)
    return cause.tables > 0 ? "not explained: no input that the logs show changed"
                            : "not explained: the plans have other tables, and the logs do not both print them";
  std::vector<std::string> inputs;
  for (const InputDiff& input : cause.inputs) inputs.push_back(arrow(input));
  return (cause.table.empty() ? "" : cause.table + ": ") + listed(inputs, "");
}

std::string effect_text(const Cause& cause) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const std::optional<RealInterval>& known, DiffUnit unit) {
    if (!known) return;
    const RealInterval change = *known;
    const bool is_rounding = unit == DiffUnit::bytes && change.low >= -kFewBytes && change.high <= kFewBytes;
    if (change != RealInterval{} && !(is_rounding && change.contains(0)))
      parts.push_back(std::string(name) + " " + signed_text(change, unit));
  };
  add("HBM", cause.hbm, DiffUnit::bytes);
  add("DDR", cause.ddr, DiffUnit::bytes);
  add("SSD", cause.ssd, DiffUnit::bytes);
  add("perf", cause.perf, DiffUnit::ms);
  if (parts.empty()) return {};
  std::string text = listed(parts, "");
  if (cause.table.empty() && cause.tables > 0) text += " in " + plural(cause.tables, "table");
  if (cause.open_tables > 0)
    text += (cause.tables > 0 ? " and " : " in ") + plural(cause.open_tables, "table") + " whose change is not decided";
  if (cause.hidden_tables > 0) text += "; hidden inputs of " + plural(cause.hidden_tables, "table") + " are not known";
  return text + (cause.lost_tables ? "; others are lost" : "") + (cause.shared ? ", all such causes together" : "");
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
  std::vector<std::string> parts = runs_of(ranks);
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
      return part.table + " has changed";
    case Kind::added:
      return part.table + " is new";
    case Kind::dropped:
      return part.table + " is gone";
    case Kind::plan_wide:
      return "changes of the whole plan" + (part.tables > 0 ? ", " + plural(part.tables, "table") : "");
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
  for (const RankPart& part : shown(rank.parts, kMostParts))
    parts.push_back(signed_text(part.hbm, DiffUnit::bytes) + " " + part_text(part));
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
