// What dense modules and the KJT take of each rank of a changed plan (storage-model.md section 8).
#include <algorithm>
#include <cmath>
#include <span>

#include "infer/assume.h"
#include "infer/rebuild.h"
#include "infer/what_if_parts.h"

namespace shardstats::infer_detail {
namespace {

// Ids of a local batch over all features, Q of storage-model.md section 8.2.
struct ChangedLookups {
  std::optional<RealInterval> all;  // of the changed plan
  RealInterval difference{};        // less those of the log
  bool differ = false;
};

ChangedLookups changed_lookups(const Inference& base, const ChangedInputs& changed) {
  const auto lookups_of = [](const TableInputs& table) { return table.pooling_sum * table.batch; };
  ChangedLookups lookups{kjt_lookups(changed.inputs)};
  if (base.plan.setting.device == Device::tpu) return lookups;  // its memory is not counted: there is no KJT storage
  const auto add = [&](RealInterval difference) {
    lookups.differ = true;
    lookups.difference = lookups.difference + difference;
  };
  for (std::uint32_t b = 0; b < base.inputs.tables.size(); ++b) {
    const TableInputs& old = base.inputs.tables[b];
    const TableInputs* now = changed.now_at[b] ? &changed.inputs.tables[*changed.now_at[b]] : nullptr;
    if (now == nullptr)
      add(RealInterval{} - lookups_of(old));
    else if (old.pooling_sum != now->pooling_sum || old.batch != now->batch)
      add(lookups_of(*now) - lookups_of(old));
  }
  return lookups;
}

// Bytes, of whole ones before and after.
RealInterval kjt_growth(const ChangedLookups& lookups, Policy policy) {
  const double m = kjt_multiplier(policy);
  return {m * (8 * lookups.difference.low - 1), m * (8 * lookups.difference.high + 1)};
}

// The same of a reservation that the log does not print. Where its lines are lost, it may be that of any policy; else
// only the inference policy prints nothing of what it adds.
RealInterval hidden_kjt_growth(const Inference& base, const ChangedLookups& lookups, std::span<const Policy> policies) {
  if (!lookups.differ) return {};
  std::optional<RealInterval> all;
  for (const Policy policy : policies) {
    const bool is_hidden = base.inputs.reservation_lost || policy == Policy::inference;
    for (const Release release : base.plan.releases) {
      if (is_hidden && adds_kjt(policy, release)) hull_into(all, kjt_growth(lookups, policy));
      if (!is_hidden || may_add_no_kjt(policy, release)) hull_into(all, RealInterval{});
    }
  }
  return all.value_or(RealInterval{});
}

// The KJT reservation of the changed plan: what the log prints, by the difference of the ids.
ByteInterval changed_kjt(const ChangedLookups& lookups, ByteInterval printed, Policy policy) {
  const double m = kjt_multiplier(policy);
  const RealInterval moved = at_least_zero(real(printed) + kjt_growth(lookups, policy));
  return lookups.all ? narrowed(whole_bytes(kjt_bytes(m, *lookups.all)), whole_bytes(moved)) : whole_bytes(moved);
}

// Over all these policies.
ByteInterval changed_kjt(const ChangedLookups& lookups, ByteInterval printed, std::span<const Policy> policies) {
  if (!lookups.differ || printed.high == 0) return printed;
  ByteInterval all = changed_kjt(lookups, printed, policies.front());
  for (const Policy policy : policies) all = hull(all, changed_kjt(lookups, printed, policy));
  return all;
}

}  // namespace

ByteInterval moved(ByteInterval from, RealInterval by) {
  const RealInterval x = real(from);
  const double low = std::max(std::floor(x.low + by.low), 0.0), high = std::max(std::ceil(x.high + by.high), 0.0);
  return {capped(low), capped(high)};
}

void set_reservation(const Inference& base, const LikelyBase* likely, ChangedInputs& changed) {
  const Plan& plan = base.plan;
  PlanInputs& inputs = changed.inputs;
  const auto policies = likely != nullptr ? std::span{&plan.policy, 1} : std::span<const Policy>{plan.policies};
  const ChangedLookups lookups = changed_lookups(base, changed);
  const bool in_hbm = io_in_hbm(plan.setting);
  inputs.reservation_printed = true;  // so that the sums take them as they are
  if (base.inputs.reservation_printed) {
    inputs.dense_hbm = plan.dense_hbm;
    inputs.dense_ddr = plan.dense_ddr;
    inputs.kjt_hbm = plan.kjt_hbm;
    inputs.kjt_ddr = plan.kjt_ddr;
    ByteInterval& kjt = in_hbm ? inputs.kjt_hbm : inputs.kjt_ddr;
    kjt = changed_kjt(lookups, kjt, policies);
    return;
  }
  // Dense and KJT storage together: the log prints neither.
  Constants hidden = likely != nullptr ? likely->constants : constants_of(base.found);
  changed.hidden_kjt = hidden_kjt_growth(base, lookups, policies);
  RealInterval& with_kjt = in_hbm ? hidden.hbm : hidden.ddr;
  with_kjt = at_least_zero(with_kjt + changed.hidden_kjt);
  inputs.dense_hbm = whole_bytes(hidden.hbm);
  inputs.dense_ddr = whole_bytes(hidden.ddr);
}

void describe_reservation(const Inference& base, const ChangedInputs& changed, const LikelyBase* likely, Plan& plan) {
  const Plan& from = base.plan;
  plan.dense_hbm = from.dense_hbm;
  plan.dense_ddr = from.dense_ddr;
  if (base.inputs.reservation_printed) {
    plan.kjt_hbm = changed.inputs.kjt_hbm;
    plan.kjt_ddr = changed.inputs.kjt_ddr;
    const ByteInterval kjt = plan.kjt_hbm.high > 0 ? plan.kjt_hbm : plan.kjt_ddr;
    plan.kjt = {kjt, from.kjt.known, false};
    return;
  }
  plan.kjt_hbm = from.kjt_hbm;
  plan.kjt_ddr = from.kjt_ddr;
  const bool in_hbm = io_in_hbm(from.setting);
  ByteInterval& kjt = in_hbm ? plan.kjt_hbm : plan.kjt_ddr;
  kjt = moved(kjt, changed.hidden_kjt);
  if (likely == nullptr) return;
  // Together they are what the ranks take besides their shards.
  const ByteInterval both = in_hbm ? changed.inputs.dense_hbm : changed.inputs.dense_ddr;
  const auto lookups = changed_lookups(base, changed).all;
  if (lookups && adds_kjt(from.policy, from.releases.front()))
    kjt = whole_bytes(kjt_bytes(kjt_multiplier(from.policy), *lookups));
  kjt = exactly(std::min(static_cast<std::int64_t>(middle(real(kjt))), both.high));
  (in_hbm ? plan.dense_hbm : plan.dense_ddr) = moved(both, exactly(-real(kjt).low));
}

}  // namespace shardstats::infer_detail
