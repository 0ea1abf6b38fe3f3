// summary: "overview" of a block.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/report/json.h"

namespace shardstats {
namespace {

// A printed cell as it is: its text and its place.
Json printed(const Cell& cell) {
  if (!cell) return {};
  return {{"text", std::string(cell.text)}, {"line", cell.place.line}, {"column", cell.place.column}};
}

Json tables_json(const std::vector<TableShare>& tables, std::string_view key, Json (*value)(RealInterval)) {
  return array_of(tables, [&](const TableShare& table) -> Json {
    return {{"fqn", std::string(table.printed->fqn.text)},
            {"sharding", std::string(table.printed->sharding.text)},
            {"kernel", std::string(table.printed->kernel.text)},
            {"line", table.printed->fqn.place.line},
            {key, value(table.value)}};
  });
}

Json memory_json(const Summary& summary) {
  const MemorySummary& m = summary.memory;
  if (!m.known) return {};
  Json parts = Json::array(), changes = Json::array();
  for (const MemoryPart& part : m.parts) parts.push_back({{"part", part.label}, {"bytes", bytes_json(part.bytes)}});
  for (const ChangeEffect& change : m.changes)
    changes.push_back(
        {{"set", change.assignment}, {"fall", bytes_json(change.fall)}, {"largest", bytes_json(change.largest)}});
  return {{"fit", name(m.fit)},
          {"complete", m.complete},
          {"counts_reservation", m.counts_reservation},
          {"fullest_ranks", m.fullest},
          {"largest", bytes_json(m.largest)},
          {"mean", bytes_json(m.mean)},
          {"smallest", bytes_json(m.smallest)},
          {"above_mean_percent", bounds_json(summary.memory_above_mean)},
          {"balance", name(summary.memory_balance)},
          {"planning", m.planning ? bytes_json(*m.planning) : Json()},
          {"headroom", m.planning ? bytes_json(m.headroom) : Json()},
          {"share", m.planning ? bounds_json(m.share) : Json()},
          {"smaller_device", m.smaller ? Json{{"rank", *m.smaller}, {"printed", printed(m.smaller_cell)}} : Json()},
          {"histogram", m.histogram},
          {"peak",
           {{"rank", m.peak},
            {"printed", printed(m.peak_cell)},
            {"parts", std::move(parts)},
            {"tables_on_rank", m.tables_on_peak},
            {"tables", tables_json(m.tables, "hbm", bytes_json)}}},
          {"changes", std::move(changes)}};
}

Json perf_json(const PerfSummary& p) {
  if (!p.known) return {};
  Json json = {{"complete", p.complete},
               {"slowest_ranks", p.slowest},
               {"largest", bounds_json(p.largest)},
               {"mean", bounds_json(p.mean)},
               {"above_mean_percent", bounds_json(p.percent_above_mean)},
               {"balance", name(p.balance)},
               {"rank", p.rank},
               {"printed", printed(p.cell)}};
  Json parts;
  for (std::size_t i = 0; i < kPerfParts && p.parts_known; ++i)
    parts[std::string(kPerfComponents[i])] = bounds_json(p.parts[i]);
  json["parts"] = std::move(parts);
  json["compute"] = p.parts_known ? bounds_json(p.compute) : Json();
  json["comms"] = p.parts_known ? bounds_json(p.comms) : Json();
  json["critical_path"] = {
      {"comms", printed(p.critical_comms)}, {"compute", printed(p.critical_compute)}, {"sum", printed(p.critical)}};
  json["tables"] = tables_json(p.tables, "perf", bounds_json);
  return json;
}

Json groups_json(const std::vector<TableGroup>& groups) {
  return array_of(groups, [](const TableGroup& group) -> Json {
    return {{"name", std::string(group.name)},
            {"tables", group.tables},
            {"shards", group.shards ? Json(*group.shards) : Json()},
            {"hbm", group.hbm ? bytes_json(*group.hbm) : Json()},
            {"ddr", group.ddr ? bytes_json(*group.ddr) : Json()}};
  });
}

}  // namespace

void add_summary(const Summary& summary, Json& block) {
  Json oddities = Json::array();
  for (const Oddity& oddity : summary.oddities)
    oddities.push_back({{"id", oddity.id}, {"tables", oddity.tables}, {"message", oddity.message}});
  block["overview"] = {{"empty_plan", summary.empty_plan},
                       {"memory", memory_json(summary)},
                       {"perf", perf_json(summary.perf)},
                       {"tables_complete", summary.shape.complete},
                       {"shardings", groups_json(summary.shape.shardings)},
                       {"kernels", groups_json(summary.shape.kernels)},
                       {"largest_tables", tables_json(summary.shape.largest, "hbm", bytes_json)},
                       {"oddities", std::move(oddities)}};
}

}  // namespace shardstats
