#include "cli/examine_changes.h"

#include <algorithm>
#include <utility>

#include "shardstats/analysis/changed_print.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/explain_changes.h"
#include "shardstats/log/render.h"

namespace shardstats::cli {
namespace {

bool is_sweep(const Assignment& assignment) { return assignment.values.size() > 1; }

std::vector<std::string> texts_of(const std::vector<Change>& changes) {
  std::vector<std::string> texts;
  for (const Change& change : changes) texts.push_back(change.text);
  return texts;
}

class ChangedBlock {
 public:
  ChangedBlock(const Options& options, const Filter& filter, std::size_t index, Examined& examined)
      : options_(options), filter_(filter), index_(index), examined_(examined) {}

  void run() {
    assumed_.overrides = options_.assume;
    assumed_.effort = errors_of_verify(options_, examined_).effort();
    what_if_.emplace(*examined_.printed, assumed_);
    compare_with_bounds(options_, what_if_->base(), examined_);
    examined_.result.view = view_block(*examined_.printed, what_if_->base(), index_, false);
    examined_.refused = wrong_assumptions(options_, *examined_.printed, what_if_->base());
    if (!examined_.refused.empty()) return;
    if (const Refusal* refusal = what_if_->refusal()) {
      examined_.refused = refusal->message;
      return;
    }
    planning_ = planning_memory(*examined_.printed, what_if_->base(), {});
    WhatIfResult& result = examined_.result.what_if.emplace();
    const bool sweeps = std::ranges::any_of(assignments_, is_sweep);
    if (!options_.largest && !sweeps) return change(result);
    examined_.result.detailed = view_block(*examined_.printed, what_if_->base(), index_, true);
    if (options_.largest)
      find_largest(result);
    else
      sweep(result);
  }

 private:
  // The changes with the chosen value of each assignment; nullopt: `refused` says why.
  std::optional<std::vector<Change>> resolved(const std::vector<std::size_t>& chosen) {
    auto changes = resolve(assignments_, chosen, *examined_.printed);
    if (auto* all = std::get_if<std::vector<Change>>(&changes)) return std::move(*all);
    examined_.refused = std::get<std::string>(std::move(changes));
    return std::nullopt;
  }

  // Do they set what the log prints of the whole plan? Bounds of what it hides leave room for other numbers.
  bool restate_log(const std::vector<Change>& changes) const {
    const Plan& base = what_if_->base();
    const auto batch = parse_integer(examined_.printed->slot(LineId::batch_size).text);
    return std::ranges::all_of(changes, [&](const Change& change) {
      if (change.attribute == Attribute::world_size)
        return change.number == static_cast<double>(base.setting.world_size);
      return change.attribute == Attribute::batch_size && !change.tables && batch &&
             change.number == static_cast<double>(*batch);
    });
  }

  // The log itself, in which the rows of ranks that it lost are those of `rendered`.
  PrintedPlan as_logged(const PrintedPlan& rendered) const {
    PrintedPlan log = *examined_.printed;
    for (std::size_t r = 0; r < log.ranks.rows.size(); ++r)
      if (log.ranks.rows[r].lost) log.ranks.rows[r] = rendered.ranks.rows[r];
    return log;
  }

  void change(WhatIfResult& result) {
    const auto changes = resolved(std::vector<std::size_t>(assignments_.size(), 0));
    if (!changes) return;
    auto outcome = what_if_->with(*changes, options_.render_changed ? Answer::likely_too : Answer::growth_too);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) {
      examined_.refused = std::move(refusal->message);
      return;
    }
    ChangedPlan& changed =
        *(examined_.changed = std::make_unique<ChangedPlan>(std::get<ChangedPlan>(std::move(outcome))));
    result.changes = texts_of(*changes);
    result.placed = changed.placed;
    BlockResult& block = examined_.result;
    block.view = view_block(changed.skeleton, changed.plan, index_, false);
    block.detailed = view_block(changed.skeleton, changed.plan, index_, true);
    const PrintedPlan rendered =
        options_.render_changed ? print(changed, what_if_->likely_base(), changed.likely) : PrintedPlan();
    changed.skeleton = known(changed);
    if (options_.command == CommandId::explain) return explain_changed(changed);
    result.diff =
        diff_plans({*examined_.printed, what_if_->base()}, {changed.skeleton, changed.plan, &changed.growth}, filter_);
    if (options_.render_changed)
      examined_.too_large =
          !render(restate_log(*changes) && !result.diff->changed() ? as_logged(rendered) : rendered, block.rendered);
    block.reconstruction = reconstruct(changed.skeleton, changed.plan, filter_, options_.reconstruct);
  }

  // What the log says of the changed plan as well, without each number that any explanation changes.
  PrintedPlan known(const ChangedPlan& changed) const {
    const PrintedPlan middles = print(changed, what_if_->base(), changed.plan);
    return without_changed(middles, what_if_->base(), changed.plan, *examined_.printed, *changed.texts);
  }

  // As the planner would log it, each number in the middle of its bounds in `plan`. What is the same in `base` has the
  // text of the log.
  PrintedPlan print(const ChangedPlan& changed, const Plan& base, const Plan& plan) const {
    const PrintedPlan& log = *examined_.printed;
    const Release release = changed.skeleton.releases.front();
    const bool same_layout = release == log.releases.front();
    const PrintedPlan skeleton = same_layout ? changed.skeleton : relaid(changed.skeleton, release, *changed.texts);
    return changed_print(log, base, skeleton, plan, *changed.texts, changed.device_hbm);
  }

  void explain_changed(const ChangedPlan& changed) {
    const std::string& target = options_.target;
    if (target.starts_with("assumption:")) {
      examined_.refused = "an assumption is about the log as it is: leave --set and --changes out";
      return;
    }
    auto now = explain(changed.skeleton, changed.plan, target, assumed_);
    if (const auto* unknown = std::get_if<UnknownTarget>(&now)) {
      examined_.unknown_target = message_of(*unknown);
      return;
    }
    auto& explained = examined_.result.explained.emplace(std::get<std::vector<Explained>>(std::move(now)));
    const auto before = explain(*examined_.printed, what_if_->base(), target, assumed_);
    if (const auto* log = std::get_if<std::vector<Explained>>(&before)) mark_changes(*log, explained);
  }

  SweepPoint point(const std::vector<Change>& changes, std::vector<std::string> values) const {
    SweepPoint point{std::move(values), {}, {}};
    const auto outcome = what_if_->with(changes, Answer::memory_and_perf);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) {
      point.refused = refusal->message;
      return point;
    }
    const auto& changed = std::get<ChangedPlan>(outcome);
    const auto planning =
        changed.device_hbm ? planning_memory(*examined_.printed, what_if_->base(), changed.device_hbm) : planning_;
    point.peak = peak_of(changed.plan, planning);
    return point;
  }

  // Of the fullest rank; nullopt: it cannot be.
  std::optional<RealInterval> largest_hbm(const std::vector<Change>& changes) const {
    const auto outcome = what_if_->with(changes, Answer::memory);
    const auto* changed = std::get_if<ChangedPlan>(&outcome);
    return changed == nullptr ? std::nullopt : std::optional(peak_of(changed->plan, {}).hbm);
  }

  // Every combination of the values, the last assignment fastest.
  void sweep(WhatIfResult& result) {
    Sweep& sweep = result.sweep.emplace();
    sweep.base = peak_of(what_if_->base(), planning_);
    sweep.keys = swept_keys(options_);
    std::vector<std::size_t> chosen(assignments_.size(), 0);
    bool more = true;
    while (more) {
      const auto changes = resolved(chosen);
      if (!changes) return;
      if (result.changes.empty())
        for (std::size_t i = 0; i < assignments_.size(); ++i)
          if (!is_sweep(assignments_[i])) result.changes.push_back((*changes)[i].text);
      std::vector<std::string> values;
      for (std::size_t i = 0; i < assignments_.size(); ++i)
        if (is_sweep(assignments_[i])) values.push_back((*changes)[i].text.substr(assignments_[i].key.size() + 1));
      sweep.points.push_back(point(*changes, std::move(values)));
      more = false;
      for (std::size_t i = assignments_.size(); i-- > 0 && !more;) {
        more = ++chosen[i] < assignments_[i].values.size();
        if (!more) chosen[i] = 0;
      }
    }
  }

  void find_largest(WhatIfResult& result) {
    const LargestQuestion& asked = *options_.largest;
    const auto changes = resolved(std::vector<std::size_t>(assignments_.size(), 0));
    if (!changes) return;
    // The last change is the one whose value is asked for.
    for (std::size_t i = 0; i + 1 < changes->size(); ++i) result.changes.push_back((*changes)[i].text);
    double limit = static_cast<double>(asked.max_hbm.value_or(0));
    if (!asked.max_hbm) {
      if (!planning_) {
        examined_.refused = "the log does not print one planning memory for all devices; name a limit with --max-hbm";
        return;
      }
      limit = planning_->low;
    }
    const auto with = [&](std::int64_t value) {
      auto all = *changes;
      all.back().number = static_cast<double>(value);
      all.back().text = asked.key + "=" + std::to_string(value);
      return all;
    };
    // Where the other changes are refused, none fits; `Answer::memory` does not ask for perf.
    if (const SweepPoint least = point(with(1), {}); !least.refused.empty()) {
      examined_.refused = least.refused;
      return;
    }
    result.largest = largest_fit(
        asked.key, limit, [&](std::int64_t value) { return largest_hbm(with(value)); },
        [&](std::int64_t value) { return point(with(value), {std::to_string(value)}); });
  }

  const Options& options_;
  const Filter& filter_;
  std::size_t index_;
  Examined& examined_;
  std::vector<Assignment> assignments_ = without_overruled(options_.changes, *examined_.printed);
  InferOptions assumed_;
  std::optional<WhatIf> what_if_;
  std::optional<RealInterval> planning_;
};

}  // namespace

std::vector<std::string> swept_keys(const Options& options) {
  if (options.largest) return {options.largest->key};
  std::vector<std::string> keys;
  for (const Assignment& assignment : options.changes)
    if (is_sweep(assignment)) keys.push_back(assignment.key);
  return keys;
}

void examine_changes(const Options& options, const Filter& filter, std::size_t index, Examined& examined) {
  ChangedBlock(options, filter, index, examined).run();
}

}  // namespace shardstats::cli
