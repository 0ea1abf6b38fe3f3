// summary: "overview" of a block.
#include <cmath>

#include "shardstats/report/json.h"

namespace shardstats {
namespace {

Json bytes(RealInterval x) { return {{"low", capped(std::floor(x.low))}, {"high", capped(std::ceil(x.high))}}; }
Json real_bounds(RealInterval x) { return {{"low", x.low}, {"high", x.high}}; }

// A printed cell as it is: its text and its place.
Json printed(const Cell& cell) {
  if (!cell) return {};
  return {{"text", std::string(cell.text)}, {"line", cell.place.line}, {"column", cell.place.column}};
}

Json tables_json(const std::vector<TableShare>& tables, std::string_view key, Json (*value)(RealInterval)) {
  Json json = Json::array();
  for (const TableShare& table : tables)
    json.push_back({{"fqn", std::string(table.printed->fqn.text)},
                    {"sharding", std::string(table.printed->sharding.text)},
                    {"kernel", std::string(table.printed->kernel.text)},
                    {"line", table.printed->fqn.place.line},
                    {key, value(table.value)}});
  return json;
}

Json memory_json(const Summary& summary) {
  const MemorySummary& m = summary.memory;
  if (!m.known) return {};
  Json parts = Json::array(), changes = Json::array();
  for (const MemoryPart& part : m.parts) parts.push_back({{"part", part.label}, {"bytes", bytes(part.bytes)}});
  for (const ChangeEffect& change : m.changes)
    changes.push_back({{"set", change.assignment}, {"fall", bytes(change.fall)}, {"largest", bytes(change.largest)}});
  return {{"fit", name(m.fit)},
          {"complete", m.complete},
          {"counts_reservation", m.counts_reservation},
          {"fullest_ranks", m.fullest},
          {"largest", bytes(m.largest)},
          {"mean", bytes(m.mean)},
          {"smallest", bytes(m.smallest)},
          {"above_mean_percent", real_bounds(summary.memory_above_mean)},
          {"balance", name(summary.memory_balance)},
          {"planning", m.planning ? bytes(*m.planning) : Json()},
          {"headroom", m.planning ? bytes(m.headroom) : Json()},
          {"share", m.planning ? real_bounds(m.share) : Json()},
          {"histogram", m.histogram},
          {"peak",
           {{"rank", m.peak},
            {"printed", printed(m.peak_cell)},
            {"parts", std::move(parts)},
            {"tables_on_rank", m.tables_on_peak},
            {"tables", tables_json(m.tables, "hbm", bytes)}}},
          {"changes", std::move(changes)}};
}

Json perf_json(const PerfSummary& p) {
  if (!p.known) return {};
  Json json = {{"slowest_ranks", p.slowest},  {"largest", real_bounds(p.largest)},
               {"mean", real_bounds(p.mean)}, {"above_mean_percent", real_bounds(p.percent_above_mean)},
               {"balance", name(p.balance)},  {"rank", p.rank},
               {"printed", printed(p.cell)}};
  Json parts;
  for (std::size_t i = 0; i < kPerfParts && p.parts_known; ++i)
    parts[std::string(kPerfComponents[i])] = real_bounds(p.parts[i]);
  json["parts"] = std::move(parts);
  json["compute"] = p.parts_known ? real_bounds(p.compute) : Json();
  json["comms"] = p.parts_known ? real_bounds(p.comms) : Json();
  json["critical_path"] = {
      {"comms", printed(p.critical_comms)}, {"compute", printed(p.critical_compute)}, {"sum", printed(p.critical)}};
  json["tables"] = tables_json(p.tables, "perf", real_bounds);
  return json;
}

Json groups_json(const std::vector<TableGroup>& groups) {
  Json json = Json::array();
  for (const TableGroup& group : groups)
    json.push_back({{"name", std::string(group.name)},
                    {"tables", group.tables},
                    {"shards", group.shards},
                    {"hbm", bytes(group.hbm)},
                    {"ddr", bytes(group.ddr)}});
  return json;
}

}  // namespace

void add_summary(const Summary& summary, Json& block) {
  Json oddities = Json::array();
  for (const Oddity& oddity : summary.oddities)
    oddities.push_back({{"id", oddity.id}, {"tables", oddity.tables}, {"message", oddity.message}});
  block["overview"] = {{"empty_plan", summary.empty_plan},
                       {"memory", memory_json(summary)},
                       {"perf", perf_json(summary.perf)},
                       {"shardings", groups_json(summary.shape.shardings)},
                       {"kernels", groups_json(summary.shape.kernels)},
                       {"largest_tables", tables_json(summary.shape.largest, "hbm", bytes)},
                       {"oddities", std::move(oddities)}};
}

}  // namespace shardstats
