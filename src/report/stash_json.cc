#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/report/stash.h"
#include "shardstats/report/timeline.h"

namespace shardstats {
namespace {

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json optional_bounds(const std::optional<RealInterval>& bounds) { return bounds ? value_json(*bounds) : Json(); }

Json rank_stash_json(const RankStash& rank) {
  const auto table_json = [](const StashedTable& table) -> Json {
    return {{"fqn", std::string(table.fqn)}, {"bytes", value_json(table.bytes)}};
  };
  return {{"rank", rank.rank},
          {"candidates", rank.candidates},
          {"candidate_bytes", value_json(rank.candidate_bytes)},
          {"tables", array_of(rank.tables, table_json)},
          {"may_fit", array_of(rank.may_fit, [&](const MayFit& one) { return table_json(one.table); })},
          {"bytes", value_json(rank.bytes)},
          {"copy_ms", value_json(rank.copy_ms)},
          {"window_ms", rank.window},
          {"output_dist_ms", optional_bounds(rank.output_dist)},
          {"gradient_dist_ms", optional_bounds(rank.gradient_dist)},
          {"exact", rank.exact},
          {"off_by", rank.off_by},
          {"fits", rank.fits ? Json(name(*rank.fits)) : Json()},
          {"before", rank_timeline_json(rank.before)},
          {"after", rank_timeline_json(rank.after)}};
}

Json left_out_json(const LeftOut& group) {
  return {{"reason", name(group.reason)},
          {"kernel", group.kernel.empty() ? Json() : Json(std::string(group.kernel))},
          {"tables", group.tables}};
}

Json host_json(const HostMemory& host) {
  return {
      {"host", host.host}, {"pinned", value_json(host.pinned)}, {"free", host.free ? value_json(*host.free) : Json()}};
}

Json risk_json(const RiskFound& risk) {
  return {{"risk", name(risk.risk)},
          {"count", risk.count},
          {"worst", risk.worst},
          {"value", value_json(risk.value)},
          {"limit", value_json(risk.limit)},
          {"message", risk_text(risk)}};
}

}  // namespace

void add_stash(const StashPlan& plan, Json& block) {
  constexpr double kMsPerSecond = 1000;
  const bool known = plan.unknown.empty() && !plan.ranks.empty();
  block["stash"] = {{"unknown", plan.unknown.empty() ? Json() : Json(plan.unknown)},
                    {"bandwidth", plan.options.bandwidth * kMsPerSecond},
                    {"window_ms", optional_json(plan.options.window)},
                    {"target_hbm", optional_json(plan.options.target)},
                    {"activations", plan.activations},
                    {"peak_before", known ? value_json(plan.peak_before) : Json()},
                    {"peak_after", known ? value_json(plan.peak_after) : Json()},
                    {"left_out", array_of(plan.left_out, left_out_json)},
                    {"ranks", array_of(plan.ranks, rank_stash_json)},
                    {"hosts", array_of(plan.hosts, host_json)},
                    {"risks", array_of(plan.risks, risk_json)}};
}

}  // namespace shardstats
