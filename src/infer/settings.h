// The settings that a log could come from: release, device, pipeline, inference, group size. Private to src/infer.
#pragma once

#include <algorithm>
#include <vector>

#include "infer/evaluate.h"
#include "shardstats/infer/plan.h"

namespace shardstats::infer_detail {

// Settings that give the same bytes on this log; inference tries one of them, `members.front()`.
struct SettingGroup {
  std::vector<Setting> members;
};
// Does the release of any of them know buckets (storage-model.md section 3.4)?
inline bool knows_buckets(const std::vector<Setting>& members) {
  return std::ranges::any_of(members, [](const Setting& setting) { return setting.rules->buckets; });
}

// The largest first.
std::vector<std::int64_t> divisors(std::int64_t n);

// What --assume fixes for the whole plan.
struct FixedSetting {
  std::optional<Release> release;
  std::optional<Device> device;
  std::optional<Pipeline> pipeline;
  std::optional<bool> ephemeral, inference;
  std::optional<std::int64_t> group_size;
};

// Those of them that give the same bytes together; order is kept.
std::vector<SettingGroup> grouped_settings(const PlanInputs& plan, const std::vector<Setting>& settings);

// Most likely first (cuda, no pipeline, training).
std::vector<SettingGroup> possible_settings(const PlanInputs& plan, const FixedSetting& fixed);

}  // namespace shardstats::infer_detail
