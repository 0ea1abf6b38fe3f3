#include <algorithm>
#include <cmath>
#include <utility>

#include "infer/perf_hypotheses.h"
#include "infer/what_if_parts.h"

namespace shardstats::infer_detail {
namespace {

// Ranks of a host under a hypothesis. Where nothing reduces over hosts the log only tells one host from several.
std::vector<std::int64_t> local_sizes_of(const Inference& base, const PerfHypothesis& h) {
  const std::int64_t world = h.setting.world_size, local = h.setting.local_size;
  const std::vector<TableInputs>& tables = base.inputs.tables;
  if (base.inputs.fixed_local_size || any_grouped(tables) || any_replicated(tables) || local == world) return {local};
  std::vector<std::int64_t> sizes = divisors(world);
  std::erase(sizes, world);
  return sizes;
}

// Bandwidths and multipliers that were asked for.
void override_speed(const RunRequest& run, PerfSetting<RealInterval>& setting) {
  for (std::size_t i = 0; i < kFittedValues; ++i)
    if (const std::optional<double>& asked = fitted_value(run, i)) fitted_value(setting, i) = exactly(*asked);
}

class Evaluation {
 public:
  Evaluation(const Inference& base, const ChangedInputs& changed, const SearchResult& storage, const LikelyBase* likely,
             ChangedPerf& result)
      : base_(base), changed_(changed), likely_(likely), result_(result), cell_elements_(base.inputs) {
    result_.inputs = read_perf(changed.inputs, storage);
    PerfInputs& perf = result_.inputs;
    perf.sharders = base.perf.sharders;
    for (PerfRank& rank : perf.ranks) rank.printed = rank.maxima = {};
    for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
      perf.tables[t].printed = {};
      perf.tables[t].sharder = base.perf.tables[changed.base_rows[t]].sharder;
    }
  }

  // `old`: the hypothesis of the outcome with the bandwidths of the new one, but for those that were changed.
  void run(const PerfOutcome& before, const PerfHypothesis& old, PerfHypothesis now) {
    PerfOutcome after;
    after.hypothesis = std::move(now);
    after.values = values_of(after.hypothesis.setting);
    after.bounded = before.bounded;
    after.codecs = before.codecs;
    const std::size_t ranks = std::min(base_.perf.ranks.size(), result_.inputs.ranks.size());
    std::vector<PerfCells> differences(ranks);
    after.tables = TablePerfs(result_.inputs.tables.size());
    for (std::uint32_t b = 0; b < base_.inputs.tables.size(); ++b) {
      if (const auto t = changed_.now_at[b])
        after.tables.set(*t, table(before, old, after.hypothesis, b, *t, differences));
      else if (before.tables[b])
        drop(b, *before.tables[b], differences);
    }
    const auto add_shards = [&](std::uint32_t t, double shards, PerfCells& sum) {
      if (after.tables[t]) sum = plus(sum, together(*after.tables[t], shards, shards_in(changed_.inputs.tables[t])));
    };
    PerfCells common{};
    for (const std::uint32_t t : result_.inputs.everywhere) add_shards(t, 1, common);
    for (const PerfRank& rank : result_.inputs.ranks) {
      PerfCells sum = common;
      for (const auto& [t, shards] : rank.shards) add_shards(t, shards, sum);
      for (RealInterval& x : sum) x = with_rounding(x);
      after.ranks.push_back(sum);
      after.wrong_in_rank.push_back(0);
    }
    keep(before, std::move(after), differences);
  }

 private:
  // Has each hidden input one value?
  bool is_exact() const { return likely_ != nullptr && likely_->agrees; }

  static double shards_in(const TableInputs& table) { return static_cast<double>(table.ranks.size()); }

  // A hypothesis under which a table has no perf any more, as on a device that does not have its kernel, counts only
  // where that holds for all of them.
  void keep(const PerfOutcome& before, PerfOutcome after, const std::vector<PerfCells>& differences) {
    bool complete = true;
    for (std::uint32_t t = 0; t < after.tables.size(); ++t)
      complete &= after.tables[t] || !before.tables[changed_.base_rows[t]];
    if (!result_.outcomes.empty() && complete != complete_) {
      if (!complete) return;
      result_.outcomes.clear();
    }
    complete_ = complete;
    if (result_.outcomes.empty()) result_.rank_differences = differences;
    for (std::size_t r = 0; r < differences.size(); ++r)
      result_.rank_differences[r] = hull(result_.rank_differences[r], differences[r]);
    result_.outcomes.push_back(std::move(after));
  }

  void drop(std::uint32_t b, const TablePerf& perf, std::vector<PerfCells>& differences) const {
    const TableInputs& table = base_.inputs.tables[b];
    for (const ShardsOfChange& on : shards_by_rank(&table, nullptr, differences.size()))
      differences[on.rank] = minus(differences[on.rank], together(perf, on.before, shards_in(table)));
  }

  std::vector<PerfReading> readings(const PerfOutcome& before, std::uint32_t b) {
    if (is_exact()) return {*likely_->readings[b]};
    std::vector<PerfReading> all;
    const PerfHypothesis& h = before.hypothesis;
    const std::uint64_t codecs = before.codecs[base_.perf.tables[b].sharder];
    each_bit(codecs, [&](int c) {
      const auto codec = static_cast<std::size_t>(c);
      if (likely_ && !all.empty()) return;
      for (const PerfOption option : best_options(h, base_.inputs, base_.perf, b, codec_table()[codec], cell_elements_))
        all.push_back({option, codec});
    });
    if (likely_ && all.size() > 1) all.resize(1);
    return all;
  }

  // Prefetching a table takes X * D * s / link (perf-model.md 3.6), where X, the cache misses of a global batch, rests
  // on statistics that are not printed. They stay as they are, or would be taken anew where what they count changes:
  // then no more than all distinct ids miss. Without statistics the time is zero. `before`: of the log.
  RealInterval prefetch(const PerfHypothesis& old, const PerfHypothesis& now, std::uint32_t b, std::uint32_t t,
                        const TablePerf& before, double element_size) const {
    const TableInputs &table = base_.inputs.tables[b], &after = changed_.inputs.tables[t];
    RealInterval time = before.cells[at(PerfPart::prefetch_compute)];
    if (!prefetch_hidden(old, table) || time.high == 0) return exactly(0.0);
    const RealInterval old_link = link_bandwidth(old.setting), link = link_bandwidth(now.setting);
    const double bytes = static_cast<double>(table.cols) * before.option.element_size;  // of a row
    const double bytes_now = static_cast<double>(after.cols) * element_size;
    if (old_link != link) time = time * (old_link / link);
    if (bytes != bytes_now) time = time * exactly(bytes_now / bytes);
    if (likely_ || same_statistics(old, now, b, t)) return time;
    const double world = static_cast<double>(changed_.inputs.world_size);
    const double ids = std::ceil(world * (*now.outcome->parts)[t].front().lookups.lookups.high);
    const double distinct = std::min(ids, static_cast<double>(after.rows));
    return {0, std::max(time.high, prefetch_time(distinct, static_cast<double>(after.cols), element_size, link.low))};
  }

  bool same_statistics(const PerfHypothesis& old, const PerfHypothesis& now, std::uint32_t b, std::uint32_t t) const {
    const TableInputs &before = base_.inputs.tables[b], &after = changed_.inputs.tables[t];
    return before.rows == after.rows && before.batch == after.batch && before.indices == after.indices &&
           base_.inputs.world_size == changed_.inputs.world_size &&
           perf_ratio(old, before, (*old.outcome->parts)[b].front()) ==
               perf_ratio(now, after, (*now.outcome->parts)[t].front());
  }

  struct Pair {
    TablePerf old, now;
  };

  // nullopt: no public release says how fast the kernel is.
  std::optional<Pair> pair_of(const PerfHypothesis& old, const PerfHypothesis& now, std::uint32_t b, std::uint32_t t,
                              const PerfReading& reading) {
    const Codecs codecs = codec_table()[reading.codec];
    const auto before = option_perf(old, base_.inputs, base_.perf, b, reading.option, codecs);
    if (!before) return std::nullopt;
    const TableInputs& table = changed_.inputs.tables[t];
    PerfOption option = reading.option;
    if (const auto& element = changed_.requests[b].element) option.element_size = element_bytes(*element);
    if (table.kernel->speed != KernelSpeed::cached) option.prefetch_pipeline = false;
    if (prefetch_hidden(now, table))
      result_.inputs.tables[t].printed.set(at(PerfPart::prefetch_compute),
                                           prefetch(old, now, b, t, *before, option.element_size));
    const auto after = option_perf(now, changed_.inputs, result_.inputs, t, option, codecs);
    result_.inputs.tables[t].printed = {};
    if (!after) return std::nullopt;
    return Pair{*before, *after};
  }

  std::optional<TablePerf> table(const PerfOutcome& before, const PerfHypothesis& old, const PerfHypothesis& now,
                                 std::uint32_t b, std::uint32_t t, std::vector<PerfCells>& differences) {
    if (!before.tables[b] || (is_exact() && !likely_->readings[b])) return std::nullopt;
    bool differs = !std::ranges::equal(base_.inputs.tables[b].ranks, changed_.inputs.tables[t].ranks);
    std::vector<Pair> pairs;
    for (const PerfReading& reading : readings(before, b)) {
      const auto pair = pair_of(old, now, b, t, reading);
      if (!pair) return std::nullopt;
      differs |= pair->old.cells != pair->now.cells;
      pairs.push_back(*pair);
    }
    if (!differs && !is_exact()) return *before.tables[b];
    add_differences(pairs, b, t, differences);
    TablePerf all = pairs.front().now;
    for (const Pair& pair : pairs) widen(all, pair.now);
    return all;
  }

  void add_differences(const std::vector<Pair>& pairs, std::uint32_t b, std::uint32_t t,
                       std::vector<PerfCells>& differences) const {
    const TableInputs &old = base_.inputs.tables[b], &now = changed_.inputs.tables[t];
    for (const ShardsOfChange& on : shards_by_rank(&old, &now, differences.size())) {
      std::optional<PerfCells> all;
      for (const Pair& pair : pairs)
        hull_into(all,
                  minus(together(pair.now, on.now, shards_in(now)), together(pair.old, on.before, shards_in(old))));
      differences[on.rank] = plus(differences[on.rank], *all);
    }
  }

  const Inference& base_;
  const ChangedInputs& changed_;
  const LikelyBase* likely_;  // one explanation alone
  ChangedPerf& result_;
  CellElements cell_elements_;
  bool complete_ = true;  // the outcomes kept give each table its perf
};

// Ranks of a host after the change.
std::vector<std::int64_t> changed_local_sizes(const Inference& base, const ChangedInputs& changed,
                                              const PerfHypothesis& h) {
  const std::int64_t world = changed.inputs.world_size;
  if (changed.run.local_world_size) return {*changed.run.local_world_size};
  if (base.inputs.fixed_local_size && world == base.inputs.world_size) return {h.setting.local_size};
  const bool same_groups = any_grouped(base.inputs.tables) && changed.group_size == base.plan.setting.group_size;
  if (changed.group_size > 0 && !same_groups) return {changed.group_size};
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : local_sizes_of(base, h)) {
    const std::int64_t local = std::min(size, world);
    if (world % local == 0 && std::ranges::find(sizes, local) == sizes.end()) sizes.push_back(local);
  }
  if (sizes.empty()) sizes.push_back(world);
  // Where nothing reduces over hosts, hosts of any smaller size are the same.
  if (changed.group_size == 0 && !any_replicated(changed.inputs.tables)) {
    std::vector<std::int64_t> kinds;
    for (const std::int64_t size : sizes)
      if (std::ranges::none_of(kinds, [&](std::int64_t k) { return (k < world) == (size < world); }))
        kinds.push_back(size);
    return kinds;
  }
  const auto place = [](std::int64_t size) { return std::ranges::find(kUsualLocalSizes, size); };
  std::ranges::stable_sort(sizes, {}, place);
  return sizes;
}

}  // namespace

std::vector<std::int64_t> possible_local_sizes(const Inference& base) {
  std::vector<std::int64_t> sizes;
  for (const PerfOutcome& outcome : base.perf_outcomes)
    for (const std::int64_t size : local_sizes_of(base, outcome.hypothesis))
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  return sizes;
}

ChangedPerf changed_perf(const Inference& base, const ChangedInputs& changed,
                         const std::vector<ChangedOutcome>& outcomes, const SearchResult& storage,
                         const LikelyBase* likely) {
  ChangedPerf result;
  Evaluation evaluation(base, changed, storage, likely, result);
  for (const PerfOutcome& before : base.perf_outcomes) {
    if (likely != nullptr && likely->perf != &before) continue;
    PerfHypothesis old = likely != nullptr ? likely->hypothesis : before.hypothesis;
    if (likely == nullptr) set_values(before.values, old.setting);
    for (const ChangedOutcome& outcome : outcomes) {
      if (outcome.from != before.hypothesis.outcome) continue;
      PerfHypothesis now = old;
      now.outcome = &outcome.survivor.outcome;
      const Setting& setting = outcome.survivor.outcome.setting;
      if (changed.run.release) now.setting.rules = &perf_rules_of(setting.rules->release);
      now.setting.world_size = setting.world_size;
      now.setting.group_size = setting.group_size;
      override_speed(changed.run, now.setting);
      for (const std::int64_t local : changed_local_sizes(base, changed, before.hypothesis)) {
        now.setting.local_size = local;
        evaluation.run(before, old, now);
        if (likely != nullptr) return result;
      }
    }
  }
  return result;
}

}  // namespace shardstats::infer_detail
