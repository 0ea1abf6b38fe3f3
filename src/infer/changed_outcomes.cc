#include <algorithm>
#include <cmath>

#include "infer/rebuild.h"
#include "infer/what_if_parts.h"

namespace shardstats::infer_detail {
namespace {

Setting changed_setting(const Inference& base, const ChangedInputs& changed, Setting setting) {
  const RunRequest& run = changed.run;
  if (run.release) setting.rules = &rules_of(*run.release);
  if (run.pipeline) setting.pipeline = *run.pipeline;
  if (run.ephemeral) setting.ephemeral = *run.ephemeral;
  setting.world_size = changed.inputs.world_size;
  const bool same_groups = any_grouped(base.inputs.tables) && changed.group_size == base.plan.setting.group_size;
  if (!any_grouped(changed.inputs.tables))
    setting.group_size = setting.column_group_size = setting.world_size;
  else if (!same_groups)
    setting.group_size = setting.column_group_size = changed.group_size;
  return setting;
}

// Bounds of S and y after the change: by the formulas from the printed inputs and, where only the batch size differs,
// by what inference knows of them already.
Lookups changed_lookups(const Setting& before, const Setting& after, const TableInputs& old, const TableInputs& now,
                        const Parts& parts) {
  const bool free = parts.variant.free_poolings;
  const Lookups from_log = lookups_of(old, before.rules->io, free);
  Lookups fresh = lookups_of(now, after.rules->io, free);
  if (fresh == from_log) return parts.lookups;
  const bool same_ids = old.indices == now.indices && old.poolings == now.poolings &&
                        old.pooling_sum == now.pooling_sum && old.uniform_batch && now.uniform_batch;
  if (!same_ids || old.batch.low <= 0) return fresh;
  constexpr double kRounding = 1e-12;  // relative
  const double factor = now.batch.low / old.batch.low;
  const auto scaled = [&](RealInterval x) {
    return RealInterval{x.low * factor * (1 - kRounding), x.high * factor * (1 + kRounding)};
  };
  fresh.lookups = narrowed(fresh.lookups, scaled(parts.lookups.lookups));
  if (before.rules->io == after.rules->io) fresh.pooled = narrowed(fresh.pooled, scaled(parts.lookups.pooled));
  return fresh;
}

class Mapping {
 public:
  Mapping(const Inference& base, const ChangedInputs& changed, const Outcome& before, const Setting& member,
          const SettingGroup& group)
      : base_(base), changed_(changed), before_(before), member_(member), group_(group) {}

  ChangedOutcome run() {
    ChangedOutcome result;
    result.base = result.from = &before_;
    result.member = member_;
    Outcome& after = result.survivor.outcome;
    after.setting = group_.members.front();
    after.uniform = false;
    // Nothing is known of the capacities of other devices, so that these split rows evenly. Buckets are the tables'
    // own.
    const bool keeps_devices = changed_.inputs.world_size == base_.inputs.world_size;
    if (keeps_devices || before_.rows.how == SplitRows::by_virtual_buckets) after.rows = changed_rows();
    after.pair = before_.pair;
    after.tables.resize(changed_.inputs.tables.size());
    result.options.resize(base_.inputs.tables.size());
    auto parts = std::make_shared<std::vector<TableParts>>(after.tables.size());
    for (std::uint32_t b = 0; b < base_.inputs.tables.size(); ++b)
      if (const auto t = changed_.now_at[b])
        map_table(b, *t, after, (*parts)[*t], result.options[b]);
      else
        for (const Option option : before_.tables[b].options) result.options[b].push_back({option, std::nullopt});
    after.parts = std::move(parts);
    result.survivor.members = group_.members;
    return result;
  }

 private:
  // What is known of the parts of each table stays; in proportion where it has other rows now, as exactly as whole rows
  // and an even split keep to that.
  RowSplit changed_rows() const {
    RowSplit split = before_.rows;
    if (!split.by_table) return split;
    auto rows = std::make_shared<RowsByTable>();
    for (std::uint32_t t = 0; t < changed_.inputs.tables.size(); ++t) {
      const TableInputs& old = base_.inputs.tables[changed_.base_rows[t]];
      const TableInputs& now = changed_.inputs.tables[t];
      if (rows->size() <= now.row) rows->resize(now.row + 1);
      std::vector<RealInterval>& parts = (*rows)[now.row] = (*split.by_table)[old.row];
      if (now.rows == old.rows) continue;
      const auto all = static_cast<double>(now.rows);
      const double times = all / static_cast<double>(old.rows);
      const double slack = static_cast<double>(parts.size()) * (times + 1);
      for (RealInterval& part : parts)
        part = {std::max(std::floor(part.low * times - slack), 0.0),
                std::min(std::ceil(part.high * times + slack), all)};
    }
    split.by_table = std::move(rows);
    return split;
  }

  // The optimizer that a release without optimizer classes counts says nothing about the real one.
  bool forgets_optimizer() const {
    return before_.setting.rules->optimizer != OptimizerRule::by_class &&
           group_.members.front().rules->optimizer == OptimizerRule::by_class;
  }

  Variant map_variant(const TableInputs& old, const TableInputs& now, const TableRequest& asked,
                      const Variant& variant) const {
    Variant result = variant;
    const Setting& after = group_.members.front();
    if (now.kernel != old.kernel) result.passes = 1;
    if (now.kernel != old.kernel) result.virtual_table = false;
    if (!is_cached(*now.kernel, after.rules->release)) return result;
    const bool known = is_cached(*old.kernel, before_.setting.rules->release) && !asked.cache_load_factor;
    result.free_ratio = true;
    if (known)
      result.ratio = ratio_of(before_.setting, old, variant);
    else
      result.ratio = exactly(now.printed_ratio.value_or(0) == 0 ? kDefaultCachingRatio : *now.printed_ratio);
    return result;
  }

  Combo map_combo(const TableInputs& now, const TableRequest& asked, Combo combo) const {
    if (asked.element) {
      if (combo.output == combo.element) combo.output = *asked.element;
      combo.element = *asked.element;
    }
    if (asked.optimizer && !now.quant) combo.optimizer = *asked.optimizer;
    return combo;
  }

  void map_table(std::uint32_t b, std::uint32_t t, Outcome& after, TableParts& parts,
                 std::vector<ChangedOption>& changed) {
    const TableInputs& old = base_.inputs.tables[b];
    const TableInputs& now = changed_.inputs.tables[t];
    const TableRequest& asked = changed_.requests[b];
    const TableParts& old_parts = (*before_.parts)[b];
    struct Made {
      Variant variant;
      std::uint8_t from = 0;  // variant of the log
      std::uint64_t combos = 0;
    };
    std::vector<Made> made;
    Options& options = after.tables[t].options;
    for (const Option option : before_.tables[b].options) {
      const Variant variant = map_variant(old, now, asked, old_parts[option.variant].variant);
      auto found =
          std::ranges::find_if(made, [&](const Made& m) { return m.variant == variant && m.from == option.variant; });
      if (found == made.end()) found = made.insert(made.end(), {variant, option.variant, 0});
      const auto v = static_cast<std::uint8_t>(found - made.begin());
      const int combo = combo_index(map_combo(now, asked, combo_of(option.combo)));
      const auto add = [&](int c) {
        changed.push_back({option, Option{v, static_cast<std::uint8_t>(c)}});
        if ((found->combos >> c & 1) != 0) return;
        found->combos |= std::uint64_t{1} << c;
        options.push_back({v, static_cast<std::uint8_t>(c)});
      };
      add(combo);
      if (forgets_optimizer() && !asked.optimizer && !now.quant)
        for (int o = 0; o < static_cast<int>(kOptimizers.size()); ++o) {
          Combo other = combo_of(combo);
          other.optimizer = o;
          if (combo_index(other) != combo) add(combo_index(other));
        }
    }
    const Setting& setting = group_.members.front();
    for (const Made& m : made) {
      const Lookups lookups = changed_lookups(member_, setting, old, now, old_parts[m.from]);
      parts.push_back(make_parts(setting, now, m.variant, after.rows, m.combos, &lookups));
    }
  }

  const Inference& base_;
  const ChangedInputs& changed_;
  const Outcome& before_;
  const Setting& member_;  // of the log
  const SettingGroup& group_;
};

}  // namespace

std::vector<ChangedOutcome> changed_outcomes(const Inference& base, const ChangedInputs& changed) {
  std::vector<ChangedOutcome> outcomes;
  for (const Survivor& survivor : base.found.survivors) {
    std::vector<Setting> settings;
    for (const Setting& member : survivor.members) settings.push_back(changed_setting(base, changed, member));
    for (const SettingGroup& group : grouped_settings(changed.inputs, settings)) {
      const auto member =
          static_cast<std::size_t>(std::ranges::find(settings, group.members.front()) - settings.begin());
      outcomes.push_back(Mapping(base, changed, survivor.outcome, survivor.members[member], group).run());
    }
  }
  return outcomes;
}

ChangedOutcome likely_outcome(const Inference& base, const ChangedInputs& changed, const LikelyBase& likely,
                              const std::vector<ChangedOutcome>& outcomes) {
  const ChangedOutcome& all = *std::ranges::find(outcomes, likely.from, &ChangedOutcome::from);
  ChangedOutcome one = Mapping(base, changed, likely.outcome, all.member, {.members = all.survivor.members}).run();
  one.from = likely.from;
  for (std::uint32_t b = 0; b < one.options.size(); ++b) {
    if (!changed.now_at[b]) continue;
    Options& options = one.survivor.outcome.tables[*changed.now_at[b]].options;
    options.clear();
    one.options[b].resize(1);
    options.push_back(*one.options[b].front().is);
  }
  take_equal_features(changed.inputs.tables, one.survivor.outcome);
  return one;
}

}  // namespace shardstats::infer_detail
