#include "infer/assume.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "infer/perf_model.h"
#include "infer/read_plan.h"
#include "infer/settings.h"
#include "infer/sum_constants.h"
#include "infer/words.h"
#include "shardstats/infer/overrides.h"

namespace shardstats {
namespace infer_detail {
namespace {

std::optional<bool> truth(std::string_view word) {
  if (word == "true" || word == "yes" || word == "1" || word == "on") return true;
  if (word == "false" || word == "no" || word == "0" || word == "off") return false;
  return std::nullopt;
}

// One --assume key: which assumption it fixes, and how.
struct OverrideKey {
  std::string_view key, assumption, values;
  // Sets it to what a word says, of the plan or of one table; false: it says nothing. The other one is null.
  bool (*of_plan)(std::string_view word, FixedSetting& plan);
  bool (*of_table)(std::string_view word, TableInputs& table);

  bool reads(std::string_view word) const {
    FixedSetting plan;
    TableInputs table;
    return of_plan != nullptr ? of_plan(word, plan) : of_table(word, table);
  }
};

constexpr std::string_view kDevices = "cuda, cpu, mtia, tpu",
                           kPipelines = "none, train_base, train_sparse_dist, train_prefetch_sparse_dist",
                           kBools = "true, false", kElements = "fp32, fp16, bf16, int8 or bytes: 4, 2, 1",
                           kOutputs = "fp32, fp16, bf16, int8, int4, int2 or bytes: 4, 2, 1, 0.5, 0.25";

bool set_release(std::string_view word, FixedSetting& plan) { return (plan.release = parse_release(word)).has_value(); }
bool set_device(std::string_view word, FixedSetting& plan) {
  return (plan.device = parse_name<Device>(word, kDeviceNames)).has_value();
}
bool set_pipeline(std::string_view word, FixedSetting& plan) {
  return (plan.pipeline = parse_name<Pipeline>(word, kPipelineNames)).has_value();
}
bool set_ephemeral(std::string_view word, FixedSetting& plan) { return (plan.ephemeral = truth(word)).has_value(); }
bool set_inference(std::string_view word, FixedSetting& plan) { return (plan.inference = truth(word)).has_value(); }
bool set_group_size(std::string_view word, FixedSetting& plan) {
  plan.group_size = parse_integer(word, 1 << 20);
  return plan.group_size.value_or(0) > 0;
}
bool set_element(std::string_view word, TableInputs& table) {
  return (table.fixed_element = dtype_index(word)).has_value();
}
bool set_output(std::string_view word, TableInputs& table) {
  return (table.fixed_output = output_index(word)).has_value();
}
bool set_optimizer(std::string_view word, TableInputs& table) {
  return (table.fixed_optimizer = optimizer_index(word)).has_value();
}

constexpr OverrideKey kOverrideKeys[] = {
    {"release", "release", "a release such as v1.4.0 or main", set_release, nullptr},
    {"compute_device", "compute_device", kDevices, set_device, nullptr},
    {"device", "compute_device", kDevices, set_device, nullptr},
    {"pipeline_type", "pipeline_type", kPipelines, set_pipeline, nullptr},
    {"pipeline", "pipeline_type", kPipelines, set_pipeline, nullptr},
    {"count_ephemeral_storage_cost", "count_ephemeral_storage_cost", kBools, set_ephemeral, nullptr},
    {"is_inference", "is_inference", kBools, set_inference, nullptr},
    {"local_world_size", "local_world_size", "a number of ranks", set_group_size, nullptr},
    {"dtype", "element_size", kElements, nullptr, set_element},
    {"element_size", "element_size", "4, 2, 1", nullptr, set_element},
    {"output_dtype", "output_element_size", kOutputs, nullptr, set_output},
    {"output_element_size", "output_element_size", "4, 2, 1, 0.5, 0.25", nullptr, set_output},
    {"optimizer", "optimizer", "none, sgd, rowwise_adagrad, adagrad, adam, other", nullptr, set_optimizer},
};
// nullptr: there is no such key.
const OverrideKey* find_key(std::string_view name) {
  const auto* const found = std::ranges::find(kOverrideKeys, name, &OverrideKey::key);
  return found == std::end(kOverrideKeys) ? nullptr : found;
}

bool counts_optimizer(const FixedSetting& fixed, const std::vector<Release>& releases) {
  const auto counts = [](Release release) { return rules_of(release).optimizer == OptimizerRule::by_class; };
  return fixed.release ? counts(*fixed.release) : std::ranges::any_of(releases, counts);
}

// ---- the list ------------------------------------------------------------------------------------------------------

template <class Value>
bool contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

AssumedValue assumed(bool truth) { return truth; }
AssumedValue assumed(double number) { return number; }
template <class Choice>
AssumedValue assumed(Choice of_few) {
  return std::string(name(of_few));
}

bool is_flag(const InferOptions& options, std::string_view name, std::string_view table = {}) {
  return std::ranges::any_of(options.overrides, [&](const Override& o) {
    const OverrideKey* const key = find_key(o.key);
    return key != nullptr && key->assumption == name && is_about(o, table);
  });
}

class AssumptionList {
 public:
  AssumptionList(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result)
      : plan_(plan), found_(found), options_(options), result_(result) {}

  // A value that follows from the setting: alternatives are those of all survivors, support counts against the rest.
  template <class ValueOf>
  void add_setting(std::string_view name, const ValueOf& value_of) {
    const auto value = value_of(result_.setting);
    std::vector<std::remove_const_t<decltype(value)>> others;
    for (const Survivor& survivor : found_.survivors)
      for (const Setting& s : survivor.members)
        if (const auto v = value_of(s); v != value && !contains(others, v)) others.push_back(v);
    Assumption& a = result_.assumptions.emplace_back();
    for (const Excluded& excluded : found_.excluded) {
      if (a.support > 0 && excluded.cost >= a.support) continue;  // says nothing new
      for (const Setting& s : excluded.members) {
        const auto v = value_of(s);
        if (v == value || contains(others, v)) continue;
        a.support = a.support == 0 ? excluded.cost : std::min(a.support, excluded.cost);
      }
    }
    a.name = name;
    a.value = assumed(value);
    for (const decltype(value) v : others) a.alternatives.push_back(assumed(v));
    a.origin = is_flag(options_, name)                   ? Origin::flag
               : a.support > 0 || a.alternatives.empty() ? Origin::inferred
                                                         : Origin::defaulted;
  }

  void add(std::string_view name, AssumedValue value, Origin origin, std::vector<AssumedValue> alternatives = {},
           std::optional<std::uint32_t> table = std::nullopt) {
    result_.assumptions.push_back({name, table, std::move(value), origin, std::move(alternatives), 0, std::nullopt});
  }

  // A value of one table's choice.
  template <class Value>
  void add_table(std::uint32_t t, std::string_view name, Value value) {
    const PlanTable& table = result_.tables[t];
    Assumption& a = result_.assumptions.emplace_back();
    a.name = name;
    a.table = t;
    a.value = value(table.choice);
    for (const Choice& choice : table.alternatives)
      if (const AssumedValue v = value(choice); v != a.value && !contains(a.alternatives, v))
        a.alternatives.push_back(v);
    const std::string_view fqn = plan_.printed->tables.rows[table.row].fqn.text;
    a.origin = is_flag(options_, name, fqn) ? Origin::flag : Origin::inferred;
    a.support = a.alternatives.empty() ? 1 : 0;
  }

 private:
  const PlanInputs& plan_;
  const SearchResult& found_;
  const InferOptions& options_;
  Plan& result_;
};

std::string word(std::string_view text) { return std::string(text); }

void list_plan(const PlanInputs& plan, AssumptionList& list, Plan& result) {
  list.add_setting("compute_device", [](const Setting& s) { return s.device; });
  list.add_setting("pipeline_type", [](const Setting& s) { return s.pipeline; });
  list.add_setting("count_ephemeral_storage_cost", [](const Setting& s) { return s.ephemeral; });
  // Before v0.8.0 storage does not depend on it, so that a log says nothing about it here.
  if (result.setting.rules->inference) list.add_setting("is_inference", [](const Setting& s) { return s.inference; });
  list.add_setting("output_scaling", [](const Setting& s) { return s.rules->io == IoGeneration::d; });
  if (any_grouped(plan.tables) || plan.fixed_local_size) {
    list.add_setting("local_world_size", [](const Setting& s) { return static_cast<double>(s.group_size); });
    Assumption& a = result.assumptions.back();
    // With pods only the product of pod size and local world size shows (3.6).
    const bool may_be_pods = result.setting.rules->pods && any_grouped(plan.tables);
    for (std::int64_t d = 1; d < result.setting.group_size && may_be_pods; ++d)
      if (result.setting.group_size % d == 0 && !contains(a.alternatives, AssumedValue(static_cast<double>(d))))
        a.alternatives.emplace_back(static_cast<double>(d));
  }
}

void list_reservation(const PlanInputs& plan, AssumptionList& list, const Plan& result) {
  std::vector<AssumedValue> others;
  for (std::size_t i = 1; i < result.policies.size(); ++i) others.emplace_back(word(name(result.policies[i])));
  list.add("reservation_policy", word(name(result.policy)), Origin::inferred, std::move(others));
  if (may_be_any(result.dense_hbm)) return;
  const Origin origin = plan.reservation_printed ? Origin::log : Origin::inferred;
  list.add("dense_hbm", result.dense_hbm, origin);
  list.add("kjt_hbm", result.kjt_hbm, origin);
}

void list_bandwidths(AssumptionList& list, const Plan& result) {
  if (!result.perf.known) return;
  const Bandwidths<RealInterval>& found = result.perf.bandwidths;
  const auto add = [&](std::string_view name, bool used, RealInterval bandwidth, double usual) {
    if (used) list.add(name, bandwidth, bandwidth == exactly(usual) ? Origin::defaulted : Origin::inferred);
  };
  add("hbm_mem_bw", result.perf.used.hbm, found.hbm, kDefaultBandwidths.hbm);
  add("inter_host_bw", result.perf.used.inter_host, found.inter_host, kDefaultBandwidths.inter_host);
  add("intra_host_bw", result.perf.used.intra_host, found.intra_host, kDefaultBandwidths.intra_host);
}

AssumedValue number_or_bounds(RealInterval x) { return x.exact() ? AssumedValue(x.low) : AssumedValue(x); }

// Those that are not the usual ones. Where all tables are weighted only their product shows.
void list_multipliers(AssumptionList& list, const Plan& result) {
  const auto is_unweighted = [](const PlanTable& t) { return t.perf.known && !t.perf_choice.weighted; };
  const bool product = result.perf.setting.rules && result.perf.setting.rules->weighted_multiplier;
  if (!result.perf.known || (product && std::ranges::none_of(result.tables, is_unweighted))) return;
  const auto add = [&](std::string_view name, RealInterval multiplier, RealInterval usual) {
    if (!multiplier.overlaps(usual)) list.add(name, number_or_bounds(multiplier), Origin::inferred);
  };
  add("bwd_compute_multiplier", result.perf.backward, kDefaultBackward);
  add("weighted_feature_bwd_compute_multiplier", result.perf.weighted_backward, kDefaultWeightedBackward);
}

// A table whose alternatives are not the product of their values gets a group: the joint choices.
void group_choices(std::uint32_t t, std::size_t first_assumption, Plan& result) {
  const PlanTable& table = result.tables[t];
  if (table.alternatives.empty()) return;
  std::size_t product = 1;
  for (std::size_t a = first_assumption; a < result.assumptions.size(); ++a)
    product *= 1 + result.assumptions[a].alternatives.size();
  if (product == 1 + table.alternatives.size()) return;
  const int id = static_cast<int>(result.groups.size()) + 1;
  for (std::size_t a = first_assumption; a < result.assumptions.size(); ++a)
    if (!result.assumptions[a].alternatives.empty()) result.assumptions[a].group = id;
  JointChoices joint{id, t, {table.choice}};
  joint.choices.insert(joint.choices.end(), table.alternatives.begin(), table.alternatives.end());
  result.groups.push_back(std::move(joint));
}

// What an output element takes on its way to other ranks; a DP table sends none.
void list_wire_sizes(std::uint32_t t, AssumptionList& list, const Plan& result) {
  const PlanTable& table = result.tables[t];
  if (!table.perf.known || !result.perf.setting.rules->wire_sizes || table.sharding == Sharding::dp) return;
  const bool scattered = is_scattered(table.sharding, table.sequence);
  const auto add = [&](std::string_view name, double WireSizes::*size) {
    std::vector<AssumedValue> others;
    for (const WireSizes& wire : table.perf_choice.other_wires)
      if (wire.*size != table.perf_choice.wire.*size && !contains(others, AssumedValue(wire.*size)))
        others.emplace_back(wire.*size);
    list.add(name, table.perf_choice.wire.*size, Origin::inferred, std::move(others), t);
  };
  add("wire_size", scattered ? &WireSizes::scatter_forward : &WireSizes::all_to_all_forward);
  add("wire_size_backward", scattered ? &WireSizes::scatter_backward : &WireSizes::all_to_all_backward);
}

void list_table(const PlanInputs& plan, std::uint32_t t, AssumptionList& list, Plan& result) {
  const PlanTable& table = result.tables[t];
  const std::size_t first = result.assumptions.size();
  list.add_table(t, "element_size", [](const Choice& c) { return c.element_size; });
  list.add_table(t, "output_element_size", [](const Choice& c) { return c.output_element_size; });
  list.add_table(t, "optimizer", [](const Choice& c) { return word(name(c.optimizer)); });
  list.add_table(t, "storage_family", [&](const Choice&) { return word(plan.tables[t].quant ? "QUANT" : "BASE"); });
  if (is_cached(*table.kernel, result.setting.rules->release))
    list.add_table(t, "caching_ratio", [](const Choice& c) { return number_or_bounds(c.caching_ratio); });
  const auto has_passes = [](const Choice& c) { return c.passes != 1; };
  if (has_passes(table.choice) || std::ranges::any_of(table.alternatives, has_passes))
    list.add_table(t, "multipass_prefetch_passes", [](const Choice& c) { return static_cast<double>(c.passes); });
  if (table.choice.virtual_table) list.add_table(t, "virtual_table", [](const Choice& c) { return c.virtual_table; });
  group_choices(t, first, result);
  list_wire_sizes(t, list, result);
}

// Everything that the list says of a table, so that equal ones are listed once.
bool same_kind(const PlanInputs& plan, const PlanTable& a, const PlanTable& b) {
  const auto& inputs = plan.tables;
  return a.kernel == b.kernel && a.sharding == b.sharding && a.perf_choice.wire == b.perf_choice.wire &&
         a.choice == b.choice && a.sequence == b.sequence && a.perf.known == b.perf.known &&
         inputs[a.row].quant == inputs[b.row].quant;
}

void list_kinds(const PlanInputs& plan, AssumptionList& list, Plan& result) {
  struct Kind {
    std::uint32_t table;
    std::size_t first, last;  // of its assumptions
    std::int64_t others = 0;  // tables but the first
  };
  std::array<std::vector<Kind>, kShardingNames.size()> by_sharding;
  for (std::uint32_t t = 0; t < result.tables.size(); ++t) {
    const PlanTable& table = result.tables[t];
    if (!table.sized) continue;
    std::vector<Kind>& kinds = by_sharding[static_cast<std::size_t>(table.sharding)];
    const auto same = [&](const Kind& kind) { return same_kind(plan, result.tables[kind.table], table); };
    if (const auto known = std::ranges::find_if(kinds, same); known != kinds.end()) {
      ++known->others;
      continue;
    }
    const std::size_t first = result.assumptions.size();
    list_table(plan, t, list, result);
    kinds.push_back({t, first, result.assumptions.size()});
  }
  for (const std::vector<Kind>& kinds : by_sharding)
    for (const Kind& kind : kinds)
      for (std::size_t a = kind.first; a < kind.last; ++a) result.assumptions[a].tables += kind.others;
}

}  // namespace

FixedSetting apply_overrides(const std::vector<Override>& overrides, PlanInputs& plan) {
  FixedSetting fixed;
  for (const Override& o : overrides) {
    const OverrideKey* const key = find_key(o.key);
    if (key == nullptr) continue;
    if (key->of_plan != nullptr) {
      key->of_plan(o.value, fixed);
      continue;
    }
    for (TableInputs& table : plan.tables)
      if (is_about(o, plan.printed->tables.rows[table.row].fqn.text)) key->of_table(o.value, table);
  }
  plan.fixed_inference = fixed.inference;
  // More than there are: all are on one host.
  if (fixed.group_size) plan.fixed_local_size = fixed.group_size = std::min(*fixed.group_size, plan.world_size);
  // Where no optimizer counts anything, each explains the log.
  const bool counts = counts_optimizer(fixed, plan.printed->releases);
  for (TableInputs& table : plan.tables)
    if (!counts || table.quant) table.fixed_optimizer.reset();
  return fixed;
}

void list_assumptions(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result) {
  AssumptionList list(plan, found, options, result);
  if (found.survivors.empty()) return;
  constexpr std::size_t kOfPlan = 16, kPerTable = 7, kUsualKinds = 12;
  const std::size_t listed = options.alternatives ? result.tables.size() : std::min(result.tables.size(), kUsualKinds);
  result.assumptions.reserve(kOfPlan + kPerTable * listed);
  list_plan(plan, list, result);
  list_reservation(plan, list, result);
  list_bandwidths(list, result);
  list_multipliers(list, result);
  if (!options.alternatives) return list_kinds(plan, list, result);
  for (std::uint32_t t = 0; t < result.tables.size(); ++t)
    if (result.tables[t].sized) list_table(plan, t, list, result);
}

}  // namespace infer_detail

bool is_dtype(std::string_view word) { return infer_detail::dtype_index(word).has_value(); }

bool is_about(const Override& override, std::string_view fqn) {
  return override.table.empty() || is_named(fqn, override.table);
}

bool can_hold(const std::vector<Override>& overrides, const PrintedPlan& printed) {
  using namespace infer_detail;
  PlanInputs plan = read_plan(printed);
  const FixedSetting fixed = apply_overrides(overrides, plan);
  return !plan.sized || !possible_settings(plan, fixed).empty();
}

std::variant<Override, BadOverride> parse_override(std::string_view text) {
  using namespace infer_detail;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return BadOverride{"--assume " + std::string(text) +
                       ": expected KEY=VALUE, for example pipeline=none or table_X.dtype=fp16"};
  const std::string_view left = text.substr(0, equals), value = text.substr(equals + 1);
  const std::size_t dot = left.rfind('.');
  const std::string_view key = dot == std::string_view::npos ? left : left.substr(dot + 1);
  const std::string_view table = dot == std::string_view::npos ? std::string_view{} : left.substr(0, dot);
  const OverrideKey* const form = find_key(key);
  if (form == nullptr) {
    std::string known;
    for (const OverrideKey& k : kOverrideKeys) known += (known.empty() ? "" : ", ") + std::string(k.key);
    return BadOverride{"--assume: unknown key '" + std::string(key) + "'; known are " + known};
  }
  if (!table.empty() && form->of_table == nullptr)
    return BadOverride{"--assume: '" + std::string(key) + "' holds for the whole plan, not for table '" +
                       std::string(table) + "'"};
  if (!form->reads(value))
    return BadOverride{"--assume " + std::string(key) + ": '" + std::string(value) + "' is not " +
                       (form->values.starts_with("a ") ? "" : "one of ") + std::string(form->values)};
  return Override{std::string(key), std::string(table), std::string(value)};
}

}  // namespace shardstats
