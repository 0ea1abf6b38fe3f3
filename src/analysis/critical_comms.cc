// The critical path of comms as the shards give it (log-format.md section 6.9).
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

constexpr double kManyRanks = 8;  // above, v1.2.0 and v1.3.0 divide comms of column-wise plans by three
constexpr double kEarlyDivisor = 3;
constexpr double kRounding = 1e-12;  // relative: the planner adds in another order

std::string_view module_of(std::string_view fqn) {
  const std::size_t dot = fqn.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : fqn.substr(0, dot);
}

std::string_view fqn_of(const PrintedPlan& printed, const PlanTable& table) {
  return printed.tables.rows[table.row].fqn.text;
}

// For each module and sharding type the largest rank's comms, forward and backward by themselves.
std::vector<CommsGroup> comms_groups(const PrintedPlan& printed, const Plan& plan, std::size_t rank_count,
                                     bool dotted_names) {
  const auto module = modules(printed, plan, dotted_names);
  std::map<std::pair<std::string_view, Sharding>, std::vector<const PlanTable*>> tables_of;
  auto group_of = tables_of.end();  // that of the table before: rows of a module mostly follow each other
  for (std::size_t t = 0; t < module.size(); ++t) {
    const std::pair group(module[t], plan.tables[t].sharding);
    if (group_of == tables_of.end() || group_of->first != group) group_of = tables_of.try_emplace(group).first;
    group_of->second.push_back(&plan.tables[t]);
  }
  constexpr std::array kParts = {PerfPart::forward_comms, PerfPart::backward_comms};
  std::vector<CommsGroup> groups;
  std::array<std::vector<RealInterval>, kParts.size()> sums;  // of each part, by rank
  for (const auto& [group, tables] : tables_of) {
    for (auto& ranks : sums) ranks.assign(rank_count, {});
    for (const PlanTable* table : tables)
      for (const PlanShard& shard : plan.shards_of(*table)) {
        if (!shard.rank || static_cast<std::size_t>(*shard.rank) >= rank_count) continue;
        for (std::size_t p = 0; p < kParts.size(); ++p) {
          RealInterval& on = sums[p][static_cast<std::size_t>(*shard.rank)];
          on = on + table->shard_perf.parts[static_cast<std::size_t>(kParts[p])];
        }
      }
    for (std::size_t p = 0; p < kParts.size(); ++p) {
      const auto most = std::ranges::max_element(sums[p], {}, &RealInterval::high);
      groups.push_back(
          {group.first, group.second, kParts[p], largest(sums[p]), static_cast<int>(most - sums[p].begin()), tables});
    }
  }
  return groups;
}

bool divides_comms(const Plan& plan, std::size_t rank_count) {
  if (!std::ranges::all_of(plan.tables, [](const PlanTable& t) { return t.sharding == Sharding::cw; })) return false;
  std::vector<bool> used(rank_count);
  for (const PlanShard& shard : plan.shards)
    if (shard.rank && static_cast<std::size_t>(*shard.rank) < used.size())
      used[static_cast<std::size_t>(*shard.rank)] = true;
  return static_cast<double>(std::ranges::count(used, true)) > kManyRanks;
}

CriticalComms comms_with(std::vector<CommsGroup> groups, double divisor) {
  CriticalComms comms{std::move(groups), divisor, {}};
  for (const CommsGroup& group : comms.groups) comms.sum = comms.sum + group.largest;
  comms.sum = {comms.sum.low * (1 - kRounding) / divisor, comms.sum.high * (1 + kRounding) / divisor};
  return comms;
}

}  // namespace

std::vector<std::string_view> modules(const PrintedPlan& printed, const Plan& plan, bool dotted_names) {
  std::vector<std::string_view> modules;
  modules.reserve(plan.tables.size());
  for (const PlanTable& table : plan.tables) modules.push_back(module_of(fqn_of(printed, table)));
  if (!dotted_names) return modules;
  const std::set<std::string_view> paths(modules.begin(), modules.end());
  for (std::string_view& module : modules)
    for (std::string_view path = module_of(module); !path.empty(); path = module_of(path))
      if (paths.contains(path)) module = path;
  return modules;
}

bool lists_dotted_names(const PrintedPlan& printed) {
  return std::ranges::any_of(printed.lines, [&](const PrintedLine& line) {
    const bool lists = line.id == LineId::top_perf_table || line.id == LineId::top_hbm_table;
    return lists && printed.slots_of(line).front().text.find('.') != std::string_view::npos;
  });
}

bool critical_path_known(const PrintedPlan& printed, const Plan& plan, bool whole) {
  const auto known = [](const PlanTable& t) { return t.perf.known; };
  const bool has_lines = printed.slot(LineId::critical_path_comms) || printed.slot(LineId::critical_path_compute);
  return has_lines && whole && plan.perf.known && std::ranges::all_of(plan.tables, known);
}

// What the shards give, in the way to read the names and by the rule of a release left that the printed value (or, if
// that is wrong, the sum of both paths) fits.
CriticalComms critical_comms(const PrintedPlan& printed, const Plan& plan, std::size_t ranks) {
  const RealInterval cell = printed_or_anything(printed.slot(LineId::critical_path_comms), Format::r3, "ms");
  const auto early = [](Release r) { return r < Release::v1_4_0; };
  const bool thirds = divides_comms(plan, ranks) && std::ranges::any_of(plan.releases, early);
  const bool wholes = !thirds || !std::ranges::all_of(plan.releases, early);
  const RealInterval path = printed_or_anything(printed.slot(LineId::critical_path_sum), Format::r3, "ms");
  const RealInterval compute = printed_or_anything(printed.slot(LineId::critical_path_compute), Format::r3, "ms");
  std::optional<CriticalComms> likely;
  bool by_sum = false;
  const bool likely_dotted = lists_dotted_names(printed);
  for (const bool dotted_names : {likely_dotted, !likely_dotted}) {
    const auto groups = comms_groups(printed, plan, ranks, dotted_names);
    for (const double divisor : {1.0, kEarlyDivisor}) {
      if (divisor == 1 ? !wholes : !thirds) continue;
      CriticalComms comms = comms_with(groups, divisor);
      if (comms.sum.overlaps(cell)) return comms;
      const bool fits_sum = (comms.sum + compute).overlaps(path);
      if (!likely || (fits_sum && !by_sum)) likely = std::move(comms);
      by_sum |= fits_sum;
    }
  }
  return *likely;
}

}  // namespace shardstats::analysis
