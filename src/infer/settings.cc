#include "infer/settings.h"

#include <algorithm>
#include <map>

namespace shardstats::infer_detail {
namespace {

// The estimator's group size: the number of shards of a TWRW table; hidden (all divisors) for an empty plan.
std::vector<std::int64_t> group_sizes(const PlanInputs& plan) {
  std::map<std::int64_t, int> votes;
  bool grouped = false;
  for (const TableInputs& table : plan.tables) {
    if (!table.sized || !is_grouped(table.sharding)) continue;
    grouped = true;
    auto shards = static_cast<std::int64_t>(table.ranks.size());
    if (table.sharding == Sharding::gs && table.block > 0) shards = shards * table.block / table.cols;
    if (shards > 0) ++votes[shards];
  }
  if (!grouped) return {plan.world_size};
  if (votes.empty()) return divisors(plan.world_size);
  const auto most = std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return {most->first};
}

// One table of each kind that settings can treat differently: all that the questions below need to look at.
std::vector<const TableInputs*> kinds_of(const PlanInputs& plan) {
  std::vector<const TableInputs*> kinds;
  const auto same = [](const TableInputs& a, const TableInputs& b) {
    return a.kernel == b.kernel && a.quant == b.quant && a.ratio_printed == b.ratio_printed &&
           a.printed_ratio.has_value() == b.printed_ratio.has_value();
  };
  for (const TableInputs& table : plan.tables)
    if (table.kernel != nullptr &&
        std::none_of(kinds.begin(), kinds.end(), [&](const TableInputs* known) { return same(*known, table); }))
      kinds.push_back(&table);
  return kinds;
}

struct RankShares {
  bool any = false;       // a rank with HBM prints a share above 0%
  bool expected = false;  // some rank uses at least 2 % of the planning memory
  bool no_hbm = false;    // the device has no HBM
};

RankShares rank_shares(const PlanInputs& plan) {
  RankShares shares;
  const auto capacity = plan.printed->bytes_in(LineId::planning_memory);
  shares.no_hbm = capacity && capacity->low == 0 && capacity->high < kGiB / 1000;
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    const auto percent = printed_integer(plan.printed->ranks.rows[r].hbm_percent);
    if (!percent) continue;  // lost, or in a form of its own: not 0
    const auto& used = plan.ranks[r][at(Quantity::hbm)];
    // What is printed as none has no share, but of a small device.
    const bool may_have_share =
        !used || !capacity || used->low > 0 ||
        (capacity->low > 0 && static_cast<double>(used->high) > 0.004 * static_cast<double>(capacity->low));
    shares.any |= *percent > 0 && may_have_share;
    if (capacity && used && capacity->low > 0)
      shares.expected |= static_cast<double>(used->low) > 0.02 * static_cast<double>(capacity->high);
  }
  return shares;
}

bool all_hbm_zero(const PlanInputs& plan) {
  return std::ranges::all_of(plan.ranks, [](const PrintedSums& rank) {
    const auto& hbm = rank[at(Quantity::hbm)];
    return hbm && hbm->low == 0;
  });
}

// storage-model.md section 10.4: what rules a device out beyond the sizes themselves.
bool device_possible(const PlanInputs& plan, const std::vector<const TableInputs*>& kinds, const RankShares& shares,
                     const ReleaseRules& rules, Device device) {
  if (device == Device::mtia && !rules.mtia) return false;
  if (device == Device::tpu && !rules.tpu) return false;
  const bool has_share = device == Device::cuda || (device == Device::mtia && rules.mtia_percent);
  if (shares.any && !has_share) return false;
  if (shares.expected && !shares.any && has_share) return false;
  if (shares.no_hbm && device == Device::cuda && !plan.empty_plan && all_hbm_zero(plan)) return false;
  return device == Device::cuda || rules.release >= Release::v1_7_0 ||
         std::none_of(kinds.begin(), kinds.end(), [](const TableInputs* t) { return t->kernel->uvm; });
}

struct PipelineChoice {
  Pipeline pipeline;
  bool ephemeral;
};

constexpr std::array<PipelineChoice, 8> kPipelineChoices = {{{Pipeline::none, false},
                                                             {Pipeline::train_sparse_dist, false},
                                                             {Pipeline::train_prefetch_sparse_dist, false},
                                                             {Pipeline::train_sparse_dist, true},
                                                             {Pipeline::train_prefetch_sparse_dist, true},
                                                             {Pipeline::train_base, false},
                                                             {Pipeline::none, true},
                                                             {Pipeline::train_base, true}}};

// Do both devices put the same things into the same memory?
bool same_memory(const std::vector<const TableInputs*>& kinds, const Setting& a, const Setting& b) {
  if (a.device == b.device) return true;
  if (io_in_hbm(a) != io_in_hbm(b) || a.device == Device::tpu || b.device == Device::tpu) return false;
  return std::all_of(kinds.begin(), kinds.end(), [&](const TableInputs* t) {
    return base_in_ddr(a, *t->kernel, t->quant) == base_in_ddr(b, *t->kernel, t->quant);
  });
}

// Do two settings give the same bytes on this log?
bool same_bytes(const std::vector<const TableInputs*>& kinds, const Setting& a, const Setting& b) {
  const ReleaseRules &x = *a.rules, &y = *b.rules;
  if (a.inference != b.inference || a.group_size != b.group_size || a.column_group_size != b.column_group_size)
    return false;
  if (x.io != y.io || x.column_io != y.column_io || x.optimizer != y.optimizer || x.output_dtype != y.output_dtype ||
      x.counts_reservation != y.counts_reservation || x.columns != y.columns || x.virtual_flag != y.virtual_flag ||
      (x.release < Release::v1_6_0) != (y.release < Release::v1_6_0) || x.ddr_percentage != y.ddr_percentage)
    return false;
  if (!same_memory(kinds, a, b) || (a.device == Device::mtia && x.mtia_in_hbm != y.mtia_in_hbm)) return false;
  for (const TableInputs* kind : kinds) {
    const TableInputs& table = *kind;
    const bool cached = is_cached(*table.kernel, x.release);
    if (cached != is_cached(*table.kernel, y.release) || (cached && x.cache_aux != y.cache_aux)) return false;
    if (cached && is_ratio_hidden(a, table) != is_ratio_hidden(b, table)) return false;
    if (table.kernel->key_value && (x.key_value != y.key_value || x.ssd != y.ssd)) return false;
  }
  if (!io_in_hbm(a) || a.inference) return true;  // input and output are counted as they are, or not at all
  const auto holds_all = [](const Setting& s) {
    return s.rules->pipeline == PipelineRule::sum || s.pipeline <= Pipeline::train_base;
  };
  if (holds_all(a) && holds_all(b)) return true;
  return a.pipeline == b.pipeline && x.pipeline == y.pipeline && a.ephemeral == b.ephemeral;
}

void add_setting(const std::vector<const TableInputs*>& kinds, const Setting& setting,
                 std::vector<SettingGroup>& groups) {
  for (SettingGroup& group : groups)
    if (same_bytes(kinds, group.members.front(), setting)) {
      group.members.push_back(setting);
      return;
    }
  groups.push_back({{setting}});
}

bool pipeline_known(const ReleaseRules& rules, PipelineChoice choice) {
  if (rules.pipeline == PipelineRule::sum) return choice.pipeline == Pipeline::none && !choice.ephemeral;
  return !choice.ephemeral || rules.pipeline == PipelineRule::ephemeral;
}

bool wanted(const FixedSetting& fixed, const Setting& s) {
  const auto is = [](const auto& value, auto actual) { return !value || *value == actual; };
  return is(fixed.device, s.device) && is(fixed.pipeline, s.pipeline) && is(fixed.ephemeral, s.ephemeral) &&
         (!s.rules->inference || is(fixed.inference, s.inference)) && is(fixed.group_size, s.group_size);
}

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> found;
  for (std::int64_t d = n; d >= 1; --d)
    if (n % d == 0) found.push_back(d);
  return found;
}

std::vector<SettingGroup> grouped_settings(const PlanInputs& plan, const std::vector<Setting>& settings) {
  const auto kinds = kinds_of(plan);
  std::vector<SettingGroup> groups;
  for (const Setting& setting : settings) add_setting(kinds, setting, groups);
  return groups;
}

namespace {

std::vector<SettingGroup> settings_with(const PlanInputs& plan, const FixedSetting& fixed, const RankShares& shares) {
  std::vector<Release> releases = plan.printed->releases;
  if (fixed.release) std::erase_if(releases, [&](Release release) { return release != *fixed.release; });
  const auto kinds = kinds_of(plan);
  const bool grouped = any_grouped(plan.tables);
  std::vector<SettingGroup> groups;
  const std::vector<std::int64_t> sizes = fixed.group_size ? std::vector{*fixed.group_size} : group_sizes(plan);
  const auto add_sizes = [&](Setting setting) {
    const bool split_groups = setting.rules->pods && !setting.rules->pods_in_statistics && grouped;
    for (const std::int64_t size : sizes)
      for (const std::int64_t columns : split_groups ? divisors(size) : std::vector{size}) {
        setting.group_size = size;
        setting.column_group_size = columns;
        if (wanted(fixed, setting)) add_setting(kinds, setting, groups);
      }
  };
  Setting setting;
  setting.world_size = plan.world_size;
  for (const bool inference : {false, true})
    for (const PipelineChoice choice : kPipelineChoices)
      for (const Device device : {Device::cuda, Device::cpu, Device::mtia, Device::tpu})
        for (const Release release : releases) {
          const ReleaseRules& rules = rules_of(release);
          if ((inference && !rules.inference) || !pipeline_known(rules, choice)) continue;
          if (!fixed.device && !device_possible(plan, kinds, shares, rules, device)) continue;
          setting.rules = &rules;
          setting.device = device;
          setting.pipeline = choice.pipeline;
          setting.ephemeral = choice.ephemeral;
          setting.inference = inference;
          add_sizes(setting);
        }
  return groups;
}

}  // namespace

std::vector<SettingGroup> possible_settings(const PlanInputs& plan, const FixedSetting& fixed) {
  const auto groups = settings_with(plan, fixed, rank_shares(plan));
  // Shares that no device of these releases has are wrong ones.
  return groups.empty() ? settings_with(plan, fixed, {}) : groups;
}

}  // namespace shardstats::infer_detail
