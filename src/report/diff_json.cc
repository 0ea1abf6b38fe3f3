#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "report/words.h"
#include "shardstats/report/diff.h"

namespace shardstats {
namespace {

constexpr std::string_view kUnits[] = {"bytes", "ms", "count"};                              // by DiffUnit
constexpr std::string_view kPresence[] = {"both", "added", "dropped"};                       // by Presence
constexpr std::string_view kKinds[] = {"plan", "table", "added", "dropped", "unexplained"};  // by Cause::Kind
constexpr std::string_view kParts[] = {"moved_here", "moved_away", "split", "changed", "added",
                                       "dropped",    "plan_wide",  "dense", "kjt",     "unexplained"};

// Bytes and counts are whole.
Json bounds(RealInterval x, DiffUnit unit) {
  if (unit == DiffUnit::ms) return bounds_json(x);
  return bounds_json(ByteInterval{capped(std::round(x.low)), capped(std::round(x.high))});
}

Json number_json(const NumberDiff& number) {
  const auto side = [&](const std::optional<RealInterval>& value) {
    return value ? bounds(*value, number.unit) : Json();
  };
  const auto percent = number.percent();
  const bool known = number.before && number.after;
  return {{"before", side(number.before)},
          {"after", side(number.after)},
          {"change", known ? bounds(number.change, number.unit) : Json()},
          {"percent", percent ? bounds(*percent, DiffUnit::ms) : Json()},
          {"unit", kUnits[static_cast<std::size_t>(number.unit)]},
          {"changed", number.changed || number.change == RealInterval{} ? Json(number.changed) : Json()}};
}

Json inputs_json(const std::vector<InputDiff>& inputs) {
  return array_of(inputs, [](const InputDiff& input) {
    Json one = {{"name", input.name}, {"before", input.before}, {"after", input.after}};
    if (!input.note.empty()) one["note"] = input.note;
    return one;
  });
}

Json cause_json(const Cause& cause) {
  const auto effect = [&](const std::optional<RealInterval>& of, DiffUnit unit) {
    return of && cause.has_all_effects() ? bounds(*of, unit) : Json();
  };
  return {{"kind", kKinds[static_cast<std::size_t>(cause.kind)]},
          {"table", cause.table.empty() ? Json() : Json(cause.table)},
          {"set", cause.assignments()},
          {"inputs", inputs_json(cause.inputs)},
          {"tables", cause.tables},
          {"tables_open", cause.open_tables},
          {"hbm", effect(cause.hbm, DiffUnit::bytes)},
          {"ddr", effect(cause.ddr, DiffUnit::bytes)},
          {"ssd", effect(cause.ssd, DiffUnit::bytes)},
          {"perf", effect(cause.perf, DiffUnit::ms)},
          {"shared", cause.shared}};
}

Json assumption_diff_json(const AssumptionDiff& assumption) {
  return {{"name", assumption.name},
          {"scope", assumption.tables > 0 ? "tables" : "plan"},
          {"tables", assumption.tables > 0 ? Json(assumption.tables) : Json()},
          {"before", array_of(assumption.before, value_json)},
          {"after", array_of(assumption.after, value_json)}};
}

Json table_diff_json(const TableDiff& table) {
  return {{"fqn", table.fqn},
          {"presence", kPresence[static_cast<std::size_t>(table.presence)]},
          {"sharding", table.sharding},
          {"kernel", table.kernel},
          {"ranks", table.ranks},
          {"inputs", inputs_json(table.inputs)},
          {"shards", number_json(table.shards)},
          {"hbm", number_json(table.hbm)},
          {"ddr", number_json(table.ddr)},
          {"ssd", number_json(table.ssd)},
          {"perf", number_json(table.perf)}};
}

Json part_json(const RankPart& part) {
  return {{"kind", kParts[static_cast<std::size_t>(part.kind)]},
          {"table", part.table.empty() ? Json() : Json(part.table)},
          {"ranks", part.ranks},
          {"tables", part.tables},
          {"hbm", bounds(part.hbm, DiffUnit::bytes)}};
}

Json kernel_json(const KernelDiff& kernel) {
  return {{"kernel", kernel.name},
          {"tables", number_json(kernel.tables)},
          {"hbm", number_json(kernel.hbm)},
          {"ddr", number_json(kernel.ddr)},
          {"ssd", number_json(kernel.ssd)}};
}

// None where no difference shows, but a log lacks what the other prints: nobody knows then.
Json changed_json(const PlanDiff& diff) {
  return diff.changed() || diff.compares_all() ? Json(diff.changed()) : Json();
}

Json not_compared_json(const NotCompared& part) {
  const std::string_view lacks = part.before && part.after ? "both" : part.before ? "before" : "after";
  return {{"what", part.what}, {"part", part.partly ? "some" : "all"}, {"lacks", lacks}};
}

Json releases_json(const std::vector<Release>& releases) {
  return array_of(releases, [](Release release) { return name(release); });
}

}  // namespace

Json diff_json(const PlanDiff& diff, std::size_t top) {
  const auto rank_json = [&](const RankDiff& rank) {
    return Json{{"rank", rank.rank},
                {"presence", kPresence[static_cast<std::size_t>(rank.presence)]},
                {"hbm", number_json(rank.hbm)},
                {"parts", array_of(shown(rank.parts, top), part_json)},
                {"ddr", number_json(rank.ddr)},
                {"input", number_json(rank.input)},
                {"output", number_json(rank.output)},
                {"perf", number_json(rank.perf)}};
  };
  const auto left_out = [&](std::size_t rows) { return rows - shown(rows, top); };
  Json plan = Json::object();
  for (const NumberDiff& number : diff.numbers) plan[std::string(number.name)] = number_json(number);
  Json largest = number_json(diff.largest.hbm);
  largest["ranks_before"] = diff.largest.before;
  largest["ranks_after"] = diff.largest.after;
  return {
      {"changed", changed_json(diff)},
      {"releases", {{"before", releases_json(diff.releases_before)}, {"after", releases_json(diff.releases_after)}}},
      {"largest_hbm", std::move(largest)},
      {"headroom", number_json(diff.headroom)},
      {"causes", array_of(shown(diff.causes, top), cause_json)},
      {"assumptions", array_of(diff.assumptions, assumption_diff_json)},
      {"plan", std::move(plan)},
      {"tables", array_of(shown(diff.tables, top), table_diff_json)},
      {"tables_same", diff.same_tables},
      {"tables_open", diff.open_tables},
      {"tables_printed", diff.tables_printed},
      {"not_compared", array_of(diff.not_compared, not_compared_json)},
      {"ranks", array_of(shown(diff.ranks, top), rank_json)},
      {"ranks_open", diff.open_ranks},
      {"kernels", array_of(shown(diff.kernels, top), kernel_json)},
      {"left_out",
       {{"causes", left_out(diff.causes.size())},
        {"tables", left_out(diff.tables.size())},
        {"ranks", left_out(diff.ranks.size())},
        {"kernels", left_out(diff.kernels.size())}}},
      {"hidden", diff.hidden},
      {"limit", diff.limit ? Json{{"limit", diff.limit->limit.text}, {"status", name(diff.limit->status)}} : Json()}};
}

}  // namespace shardstats
