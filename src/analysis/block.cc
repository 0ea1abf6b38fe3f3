#include "shardstats/analysis/block.h"

#include <algorithm>

namespace shardstats {
namespace {

struct SectionName {
  LineId first;
  std::string_view name;
};
constexpr std::array<SectionName, 22> kSections = {{{LineId::title, "header"},
                                                    {LineId::rank_table, "ranks"},
                                                    {LineId::parameter_table, "parameters"},
                                                    {LineId::batch_size, "batch_size"},
                                                    {LineId::world_size, "world_size"},
                                                    {LineId::kernel_count_heading, "kernel_count"},
                                                    {LineId::kernel_weights_heading, "kernel_weights"},
                                                    {LineId::kernel_optimizer_heading, "kernel_optimizer"},
                                                    {LineId::kernel_storage_heading, "kernel_storage"},
                                                    {LineId::kernel_constraints_heading, "kernel_constraints"},
                                                    {LineId::perf_imbalance_heading, "perf_imbalance"},
                                                    {LineId::hbm_imbalance_heading, "hbm_imbalance"},
                                                    {LineId::ddr_imbalance_heading, "ddr_imbalance"},
                                                    {LineId::max_total_perf, "perf_maxima"},
                                                    {LineId::peak_memory_pressure, "peak_memory"},
                                                    {LineId::distribution_heading, "hbm_distribution"},
                                                    {LineId::top_hbm, "tiers"},
                                                    {LineId::reserved_heading, "reserved"},
                                                    {LineId::planning_heading, "planning"},
                                                    {LineId::dense_heading, "dense"},
                                                    {LineId::kjt_heading, "kjt"},
                                                    {LineId::top_perf_heading, "top_tables"}}};

// By line id; null for those that open none.
constexpr auto kSectionOf = [] {
  std::array<const SectionName*, static_cast<std::size_t>(LineId::unknown_nested) + 1> sections{};
  for (const SectionName& section : kSections) sections[static_cast<std::size_t>(section.first)] = &section;
  return sections;
}();

std::vector<std::string_view> sections_of(const PrintedPlan& printed) {
  std::vector<std::string_view> sections;
  sections.reserve(kSections.size());
  for (const PrintedLine& line : printed.lines)
    if (const SectionName* section = kSectionOf[static_cast<std::size_t>(line.id)];
        section != nullptr && std::ranges::find(sections, section->name) == sections.end())
      sections.push_back(section->name);
  return sections;
}

// All tables' values of one name, most frequent first.
void sum_up(const Assumption& assumption, std::vector<AssumptionView>& views) {
  auto view = std::ranges::find_if(views, [&](const AssumptionView& v) {
    return v.scope == AssumptionView::Scope::tables && v.name == assumption.name;
  });
  if (view == views.end()) {
    views.push_back({assumption.name, AssumptionView::Scope::tables, {}, {}, {}});
    view = views.end() - 1;
  }
  for (ValueCount& counted : view->values)
    if (counted.value == assumption.value) {
      counted.tables += assumption.tables;
      return;
    }
  view->values.push_back({assumption.value, assumption.tables});
}

}  // namespace

BlockView view_block(const PrintedPlan& printed, const Plan& plan, std::size_t index, bool each_table) {
  BlockView view;
  view.index = index;
  view.line = printed.line;
  view.candidates = plan.releases;
  view.layout = printed.releases.front();
  view.world_size =
      printed.ranks.printed ? std::ssize(printed.ranks.rows) : parse_integer(printed.slot(LineId::world_size).text);
  view.tables = static_cast<std::int64_t>(printed.tables.rows.size());
  view.has_tables = !printed.tables.rows.empty() || plan.empty;
  view.batch_size = parse_integer(printed.slot(LineId::batch_size).text);
  view.sections = sections_of(printed);
  constexpr std::size_t kUsualViews = 24;
  view.assumptions.reserve(each_table ? plan.assumptions.size() : std::min(plan.assumptions.size(), kUsualViews));
  for (const Assumption& assumption : plan.assumptions) {
    if (!assumption.table)
      view.assumptions.push_back({assumption.name, AssumptionView::Scope::plan, {}, assumption, {}});
    else if (each_table)
      view.assumptions.push_back({assumption.name,
                                  AssumptionView::Scope::table,
                                  printed.tables.rows[plan.tables[*assumption.table].row].fqn.text,
                                  assumption,
                                  {}});
    else
      sum_up(assumption, view.assumptions);
  }
  for (AssumptionView& v : view.assumptions)
    std::ranges::stable_sort(v.values, std::ranges::greater{}, &ValueCount::tables);
  if (each_table) view.groups = plan.groups;
  return view;
}

}  // namespace shardstats
